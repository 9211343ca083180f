import type { Address } from '@solana/kit';
import { parseSolanaAddress } from '../../network/wallet.ts';
import type { PassKey } from '../../pass/pass.ts';
import { mayBeBehind, readingFor, type Token } from '../plan-step.ts';
import { type Pairs, type PrepareResult, pairAll, type Question, type Reading } from '../port.ts';
import { notNow, unreadable } from '../reasons.ts';
import type { Solana } from './context.ts';
import { type Acting, gatekeeperAccount, readToken, type TokenAddress, tokenAddresses } from './gateway.ts';
import { readTime } from './network-conditions.ts';
import { type Account, readAccounts } from './rpc.ts';

/** A wallet, its token addresses, and the gatekeeper's accounts in its gatekeeper network. */
export interface Holder {
  readonly acting: Acting;
  readonly wallet: Address;
  readonly addresses: readonly TokenAddress[];
}

/** A token, identified by its address. */
interface SolanaToken extends Token {
  readonly id: Address;
}

/** The tokens at the addresses of a wallet, and the slot that shows them. */
export interface Holdings {
  readonly tokens: readonly SolanaToken[];
  readonly asOf: number;
  /** The first address without an account. Anybody can block an address by sending lamports to it. */
  readonly free: TokenAddress | undefined;
}

/**
 * Indexes of a wallet's token addresses that the service reads: the same ones as the client of dApps (`findGatewayToken` of
 * solana-gateway-ts), so that both see the same tokens. The program itself has no limit.
 */
const TOKEN_INDEXES = [0, 1, 2, 3, 4];

/** Pairs each item with its holder; undefined if the gatekeeper network is not a public key. */
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

/** Reads the tokens of every holder at that commitment. */
export async function readTokens<H extends Holder>(
  chain: Solana,
  all: readonly H[],
  commitment: 'confirmed' | 'finalized',
): Promise<Map<H, Holdings | PrepareResult>> {
  if (all.length === 0) return new Map();
  const addresses = all.flatMap((holder) => holder.addresses.map(({ address }) => address));
  const { slot, accounts } = await readAccounts(chain.rpc, [chain.program, ...addresses], commitment);
  // If the program is missing, missing tokens prove nothing.
  if (!accounts.get(chain.program)?.executable) return new Map(all.map((holder) => [holder, notNow('no-program')]));
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
  // dApps may accept a token that the service cannot read. Do not issue another one beside it.
  if (tokens.length < held.length) return notNow('account-unreadable');
  return { tokens, asOf, free: places.find(({ account }) => account === undefined)?.at };
}

/** Reads the tokens of these wallets. */
export async function read<Q extends Question>(
  chain: Solana,
  questions: readonly Q[],
  commitment: 'confirmed' | 'finalized' = 'confirmed',
): Promise<Pairs<Q, Reading>> {
  const located = findHolders(chain, questions, ({ key }) => key);
  const holders = located.flatMap(([, holder]) => holder ?? []);
  const [time, tokens] = await Promise.all([readTime(chain.rpc), readTokens(chain, holders, commitment)]);
  if (mayBeBehind(time, Date.now())) return pairAll(questions, unreadable('nodes-behind'));
  return located.map(([question, holder]) => [
    question,
    holder ? readingFor(tokens.get(holder), question.known) : unreadable('no-gatekeeper-network'),
  ]);
}
