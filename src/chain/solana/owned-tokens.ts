import type { Address } from '@solana/kit';
import { parseSolanaAddress } from '../../network/wallet.ts';
import type { PassKey } from '../../pass/pass.ts';
import type { Pairs } from '../pairs.ts';
import type { Token } from '../plan-step.ts';
import type { PrepareResult } from '../port.ts';
import type { Solana } from './context.ts';
import { type Acting, gatekeeperAccount, readToken, type TokenAddress, tokenAddresses } from './gateway.ts';
import { NO_PROGRAM } from './refusal.ts';
import { type Account, readAccounts } from './rpc.ts';

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

/** Pairs each item with its holder; undefined where the gatekeeper network is no public key. */
export function findHolders<T>(
  { program, gatekeeper }: Solana,
  items: readonly T[],
  keyOf: (item: T) => PassKey,
): Pairs<T, Holder | undefined> {
  const accounts = new Map<Address, Address>();
  return items.map((item) => {
    const { wallet, ...key } = keyOf(item);
    if (parseSolanaAddress(key.gatekeeperNetwork) === undefined) return [item, undefined];
    const [owner, gatekeeperNetwork] = [wallet as string as Address, key.gatekeeperNetwork as string as Address];
    const account = accounts.get(gatekeeperNetwork) ?? gatekeeperAccount(program, gatekeeper, gatekeeperNetwork);
    accounts.set(gatekeeperNetwork, account);
    const acting = { program, gatekeeper, gatekeeperNetwork, gatekeeperAccount: account };
    const addresses = tokenAddresses(program, owner, gatekeeperNetwork, TOKEN_INDEXES);
    return [item, { wallet: owner, acting, addresses }];
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
  // Without the program there are no tokens, and that says nothing about them.
  if (!accounts.get(chain.program)?.executable) return new Map(all.map((holder) => [holder, NO_PROGRAM]));
  return new Map(
    all.map((holder) => {
      const places = holder.addresses.map((at) => ({ at, account: accounts.get(at.address) }));
      return [holder, holdingsOf(places, chain, slot)];
    }),
  );
}

/** An address of a wallet, and the account there. */
interface Place {
  readonly at: TokenAddress;
  readonly account: Account | undefined;
}

function holdingsOf(places: readonly Place[], { program, gatekeeper }: Solana, asOf: number): Holdings | PrepareResult {
  const held = places.filter(({ account }) => account?.owner === program);
  const tokens = held.flatMap(({ at, account }): SolanaToken[] => {
    const token = account && readToken(account.data);
    if (token === undefined) return [];
    const { state, expiry, issuer } = token;
    const others = issuer === gatekeeper ? undefined : ({ foreign: true, issuer } as const);
    return [{ id: at.address, state, expiry, ...others }];
  });
  // A token that is there and not understood may be good to others: another beside it would be one too many.
  if (tokens.length < held.length) return UNREADABLE;
  return { tokens, asOf, free: places.find(({ account }) => account === undefined)?.at };
}
