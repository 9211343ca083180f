import type { Chain } from './network.ts';
import { isSandbox } from './sandbox.ts';
import type { Wallet } from './wallet.ts';

/**
 * The wallets of a sandbox that always behave in one way. Every other wallet is issued in about a second. The number in an Ethereum-type
 * address is the place in this list, and a Solana address has the name, so the list is append-only. No name has a letter that base58 lacks.
 */
export const SANDBOX_CASES = [
  'takes-a-minute',
  'rejected',
  'reorged',
  'reorged-and-dropped',
  'never-funded',
  'node-away',
  'expires',
  'announced',
  'revoked',
  'frozen',
  'adopted',
  'quota-exceeded',
  'rate-limited',
] as const;
export type SandboxCase = (typeof SANDBOX_CASES)[number];

/** An address with only these digits, a number at the end. It has no letters, so it is its own EIP-55 form. */
const ETHEREUM_DIGITS = '5'.repeat(38);
/** Addresses of this length that begin with an "S" have 32 bytes. */
const SOLANA_LENGTH = 43;
const SOLANA_MARK = 'Sandbox';

/** Returns the wallet of a case, in the form of the chain. */
export function sandboxWallet(name: SandboxCase, chain: Chain): Wallet {
  const number = String(SANDBOX_CASES.indexOf(name) + 1).padStart(2, '0');
  const words = name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
  const address =
    chain === 'ethereum' ? `0x${ETHEREUM_DIGITS}${number}` : `${SOLANA_MARK}${words}`.padEnd(SOLANA_LENGTH, '1');
  return address as Wallet;
}

/** Returns the case of a wallet; undefined: it has none. */
export function sandboxCaseOf(wallet: string): SandboxCase | undefined {
  const chain = wallet.startsWith('0x') ? 'ethereum' : 'solana';
  return SANDBOX_CASES.find((name) => wallet === sandboxWallet(name, chain));
}

/** Where a pass is: its gatekeeper network may be a sandbox. */
interface Place {
  readonly gatekeeperNetwork: string;
  readonly wallet: string;
}

/** Returns the case of the wallet of a pass; undefined: it has none, or the gatekeeper network is no sandbox. */
export function sandboxCaseFor({ gatekeeperNetwork, wallet }: Place): SandboxCase | undefined {
  return isSandbox(gatekeeperNetwork) ? sandboxCaseOf(wallet) : undefined;
}

const EXPIRES_SECONDS = 60;
/** Time from the issuance until the notice. */
const ANNOUNCED_SECONDS = 10;

/** Returns how many seconds a pass of the wallet lives if its request names no expiry; undefined: as any other one. */
export function sandboxLifetimeOf(place: Place, noticeSeconds: number): number | undefined {
  const name = sandboxCaseFor(place);
  if (name === 'expires') return EXPIRES_SECONDS;
  return name === 'announced' ? noticeSeconds + ANNOUNCED_SECONDS : undefined;
}
