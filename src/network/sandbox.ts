import { encodeBase58 } from '../lib/bytes.ts';
import type { Chain, Network } from './network.ts';
import { findNetwork } from './networks.ts';
import type { GatekeeperNetwork } from './slot.ts';
import type { Wallet } from './wallet.ts';

/**
 * A sandbox is a gatekeeper network whose networks are all simulated. Its key says so, so that no part of the service needs to ask, and
 * nothing can turn one into the other. It differs from others in the rules below, and callers decide by them, never by the key. The key is base58 of 32 bytes like any other, and nobody has its private key.
 */
export const SANDBOX_MARK = 'sandbox';
/** With the mark, 43 digits. They always encode 32 bytes, because the first digit is not among the lowest. */
const RANDOM_DIGITS = 36;

/** Whether the networks of that gatekeeper network are simulated. */
export function isSandbox(gatekeeperNetwork: string): boolean {
  return gatekeeperNetwork.startsWith(SANDBOX_MARK);
}

/** Returns the key of a new sandbox. */
export function newSandbox(random = crypto.getRandomValues(new Uint8Array(32))): GatekeeperNetwork {
  return `${SANDBOX_MARK}${encodeBase58(random).slice(-RANDOM_DIGITS)}` as GatekeeperNetwork;
}

/** How many days the clock of a sandbox may be ahead of the time. */
export const CLOCK_MAX_DAYS = 400;
/** How often the clock may be advanced in a real minute. A step is cheap, but a program that loops must not make it dear. */
export const CLOCK_STEPS_PER_MINUTE = 10;

/** Time between two simulated blocks, in milliseconds. */
export const SANDBOX_BLOCK_MS = 250;
/** A simulated block is final when this number of blocks is above it. */
export const SANDBOX_FINAL_DEPTH = 4;

/** The rules for the passes of a gatekeeper network, by which a sandbox differs from all others. */
type GatekeeperRules = typeof REAL;

const REAL = {
  /** Whether its networks are simulated: its key is the key of its signers, and its object is their node. */
  isSimulated: false,
  /** Returns a network as its passes have it. */
  networkOf: (network: Network): Network => network,
  /** Whether watchers follow its tokens. No contract has those of a sandbox. */
  isWatched: true,
  /** Whether the operator has its passes and webhooks in lists, metrics and the usage. A sandbox is its partner's test. */
  isMeasured: true,
  /** Whether anybody may check its passes. Nobody may take a simulated pass for a real one. */
  mayBePublic: true,
  /** Whether its object keeps a clock, and triggers events. Each read asks for the time, and costs nearly as much as a change. */
  hasClock: false,
  /** Whether some wallets always behave in one way. */
  hasCases: false,
  /** Whether its object limits the number of its passes, and deletes old ones. */
  forgetsPasses: false,
  /** Whether each change counts for the room of its day. Otherwise only those without a transaction do. */
  countsChanges: false,
  /** Whether it leaves the rest of a filling database to the passes of others. */
  leavesRoom: false,
  /**
   * Seconds after their time within which its notices of expiries come: a day of expiries at the same second must not fire as many alarms
   * at once. A sandbox has few passes, and its partner waits for the event.
   */
  expirySpreadSeconds: 540,
};

const SIMULATED: GatekeeperRules = {
  isSimulated: true,
  networkOf: simulationOf,
  isWatched: false,
  isMeasured: false,
  mayBePublic: false,
  hasClock: true,
  hasCases: true,
  forgetsPasses: true,
  countsChanges: true,
  leavesRoom: true,
  expirySpreadSeconds: 1,
};

/** Returns the rules for the passes of a gatekeeper network. The address of a signer names its gatekeeper network in a sandbox only. */
export function rulesFor(gatekeeperNetwork: string): GatekeeperRules {
  return isSandbox(gatekeeperNetwork) ? SIMULATED : REAL;
}

/** Returns the simulation of a network: it is fast, and its coins cost nothing. */
function simulationOf(network: Network): Network {
  const money = { dailyCeiling: Number.MAX_SAFE_INTEGER, dailyLaneCeiling: Number.MAX_SAFE_INTEGER };
  const times = { ...money, blockMs: SANDBOX_BLOCK_MS };
  if (network.chain === 'solana') return { ...network, ...times };
  return { ...network, ...times, confirmations: 1, final: { depth: SANDBOX_FINAL_DEPTH } };
}

/** Returns the network with that name as the gatekeeper network has it. */
export function findNetworkFor(
  gatekeeperNetwork: string,
  rows: readonly Network[],
  chain: string,
  name: string,
): Network | undefined {
  const network = findNetwork(rows, chain, name);
  return network && rulesFor(gatekeeperNetwork).networkOf(network);
}

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
  return rulesFor(gatekeeperNetwork).hasCases ? sandboxCaseOf(wallet) : undefined;
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
