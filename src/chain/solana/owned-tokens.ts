import type { Address } from '@solana/kit';
import { parseSolanaAddress } from '../../network/wallet.ts';
import type { PassKey } from '../../pass/pass.ts';
import type { Token } from '../plan-step.ts';
import type { PrepareResult } from '../port.ts';
import type { Solana } from './adapter.ts';
import { type Account, readAccounts } from './calls.ts';
import { type Acting, gatekeeperAccount, readToken, type TokenAddress, tokenAddresses } from './gateway.ts';
import { NO_PROGRAM } from './refusal.ts';

/** A wallet, its addresses, and who acts on them in its gatekeeper network. */
export interface Holder {
  readonly acting: Acting;
  readonly wallet: Address;
  readonly addresses: readonly TokenAddress[];
}

/** A token, known by its address. */
interface SolanaToken extends Token {
  readonly id: Address;
}

/** What is at the addresses of a wallet, and the slot that shows it. */
export interface Holdings {
  readonly tokens: readonly SolanaToken[];
  readonly asOf: number;
  /** The first address that nothing occupies: anybody may send lamports to any address, and so block it. */
  readonly free: TokenAddress | undefined;
}

const UNREADABLE: PrepareResult = { type: 'not-now', why: 'the account of a token cannot be read', blocks: 'step' };

/**
 * How many of a wallet's addresses are looked at: as many as by the client of dApps (`findGatewayToken` of
 * solana-gateway-ts), so that what counts there counts here. The program itself knows no end of them.
 */
const TOKEN_INDEXES = [0, 1, 2, 3, 4];

/** What is behind each key, in order; undefined where the gatekeeper network is no public key. */
export function findHolders({ program, gatekeeper }: Solana, keys: readonly PassKey[]): (Holder | undefined)[] {
  const accounts = new Map<string, Address>();
  return keys.map((key) => {
    if (parseSolanaAddress(key.gatekeeperNetwork) === undefined) return undefined;
    const gatekeeperNetwork = key.gatekeeperNetwork as Address;
    const account = accounts.get(gatekeeperNetwork) ?? gatekeeperAccount(program, gatekeeper, gatekeeperNetwork);
    accounts.set(gatekeeperNetwork, account);
    const wallet = key.wallet as Address;
    const acting = { program, gatekeeper, gatekeeperNetwork, gatekeeperAccount: account };
    return { wallet, acting, addresses: tokenAddresses(program, wallet, gatekeeperNetwork, TOKEN_INDEXES) };
  });
}

/** The tokens of every holder at that commitment. */
export async function readTokens<H extends Holder>(
  chain: Solana,
  all: readonly H[],
  commitment: 'confirmed' | 'finalized',
): Promise<Map<H, Holdings | PrepareResult>> {
  if (all.length === 0) return new Map();
  const addresses = all.flatMap((holder) => holder.addresses.map(({ address }) => address));
  const { slot, accounts } = await readAccounts(chain.rpc, [chain.program, ...addresses], commitment);
  const [program, ...held] = accounts;
  // Without the program there are no tokens, and that says nothing of them.
  if (!program?.executable) return new Map(all.map((holder) => [holder, NO_PROGRAM]));
  return new Map(
    all.map((holder, row) => {
      const looked = holder.addresses.map((at, index) => ({ at, account: held[row * TOKEN_INDEXES.length + index] }));
      return [holder, holdingsOf(looked, chain, slot)];
    }),
  );
}

interface Looked {
  readonly at: TokenAddress;
  readonly account: Account | undefined;
}

function holdingsOf(
  looked: readonly Looked[],
  { program, gatekeeper }: Solana,
  asOf: number,
): Holdings | PrepareResult {
  const held = looked.filter(({ account }) => account?.owner === program);
  const tokens = held.flatMap(({ at, account }): SolanaToken[] => {
    const token = account && readToken(account.data);
    if (token === undefined) return [];
    const { state, expiry, issuer } = token;
    const others = issuer === gatekeeper ? undefined : ({ foreign: true, issuer } as const);
    return [{ id: at.address, state, expiry, ...others }];
  });
  // A token that is there and not understood may be good to others: another beside it would be one too many.
  if (tokens.length < held.length) return UNREADABLE;
  return { tokens, asOf, free: looked.find(({ account }) => account === undefined)?.at };
}
