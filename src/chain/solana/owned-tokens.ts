import type { Address } from '@solana/kit';
import { SECOND_MS } from '../../lib/units.ts';
import { parseSolanaAddress } from '../../network/wallet.ts';
import type { PassKey } from '../../pass/pass.ts';
import { mayBeBehind, type NewestBlock } from '../block-age.ts';
import { readingFor, type Token } from '../plan-step.ts';
import { type Pairs, type PrepareResult, pairAll, type Question, type Reading, RpcFault } from '../port.ts';
import { notNow, unreadable } from '../reasons.ts';
import { type Acting, gatekeeperAccount, readToken, type TokenAddress, tokenAddresses } from './gateway.ts';
import { readNewestBlock } from './network-conditions.ts';
import { type Account, readAccounts, type Solana } from './rpc.ts';

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
  return items.map((item) => {
    const { wallet, ...key } = keyOf(item);
    if (parseSolanaAddress(key.gatekeeperNetwork) === undefined) return [item, undefined];
    const [owner, gatekeeperNetwork] = [wallet as string as Address, key.gatekeeperNetwork as string as Address];
    const account = gatekeeperAccount(program, gatekeeper, gatekeeperNetwork);
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
  const [newest, tokens] = await Promise.all([readNewestBlock(chain.rpc), readTokens(chain, holders, commitment)]);
  for (const held of commitment === 'confirmed' ? tokens.values() : [])
    if ('tokens' in held) demandRecent(newest, 'getMultipleAccounts', held.asOf);
  if (await isBehind(chain, newest)) return pairAll(questions, unreadable('nodes-behind'));
  return located.map(([question, holder]) => [
    question,
    holder
      ? readingFor(asOfAtMost(tokens.get(holder), newest.height), question.known)
      : unreadable('no-gatekeeper-network'),
  ]);
}

/** Enough for the next slot. */
const SLOT_MAX_MS = SECOND_MS;

/** Whether the endpoint may be behind its chain. It looks twice at an old block, because only the next one shows progress. */
async function isBehind({ send, rpc }: Solana, newest: NewestBlock): Promise<boolean> {
  if (!mayBeBehind(send, newest, Date.now())) return false;
  await new Promise((resolve) => setTimeout(resolve, SLOT_MAX_MS));
  return mayBeBehind(send, await readNewestBlock(rpc), Date.now());
}

/** The calls of an endpoint show slots that are no further apart. */
const SLOTS_MAX_APART = 300;

/** Throws RpcFault if a call shows a slot far behind that of the clock: then the endpoint contradicts itself. */
export function demandRecent({ height }: NewestBlock, method: string, slot: number): void {
  if (height - slot > SLOTS_MAX_APART) throw new RpcFault(`${method} shows the slot ${slot}, and the clock ${height}`);
}

/** Returns the tokens as of no later slot than the clock shows. With a slot that is too high, the pass would wait for it. */
export function asOfAtMost(shown: Holdings | PrepareResult | undefined, slot: number) {
  return shown && 'tokens' in shown ? { ...shown, asOf: Math.min(shown.asOf, slot) } : shown;
}
