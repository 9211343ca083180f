import type { Hex } from '../../lib/bytes.ts';
import type { UnixSeconds } from '../../lib/units.ts';
import { hasValidToken, type OnChain } from '../../pass/pass.ts';
import { WALLET_MAX_TOKENS } from '../../pass/wait-reasons.ts';
import { mayBeBehind } from '../block-age.ts';
import { askEach, type JsonRpc } from '../json-rpc.ts';
import { type Owned, readingFor } from '../plan-step.ts';
import { type Pairs, type PrepareResult, pairAll, type Question, type Reading, RpcFault } from '../port.ts';
import { notNow, unreadable } from '../reasons.ts';
import { describeError, needsAnother, type RpcAnswer, resultOf } from '../rpc-answer.ts';
import { topicOf } from './abi.ts';
import {
  type EthereumToken,
  readToken,
  readTokenIds,
  resultOfError,
  slotData,
  tokenData,
  tokenIdsData,
} from './gateway.ts';
import { type FoundLog, logsCall, logsOf } from './logs.ts';
import { ETHEREUM_ERRORS } from './node-answers.ts';
import type { Ethereum } from './rpc.ts';
import * as calls from './rpc.ts';

/** A wallet, a contract, and the slot of a gatekeeper network there. */
export interface Holder {
  readonly wallet: string;
  readonly contract: string;
  readonly slot: bigint;
  readonly known?: OnChain | undefined;
}

/** Returns the holder; undefined if the gatekeeper network has no slot in the contract. */
export function holderOf(
  { slot }: Ethereum,
  { key: { gatekeeperNetwork, wallet }, contract, known }: Pick<Question, 'key' | 'contract' | 'known'>,
): Holder | undefined {
  const number = slot(gatekeeperNetwork);
  return number === undefined ? undefined : { wallet, contract, slot: number, known };
}

export interface Holdings {
  /** Number of the block that shows them; undefined: the node does not have the block. */
  readonly asOf: number | undefined;
  /** Time of that block; undefined: it was read by its number, or the node does not have it. */
  readonly time?: UnixSeconds | undefined;
  readonly of: ReadonlyMap<Holder, Owned<EthereumToken>>;
}

/**
 * Reads the tokens of every holder as of one block: their ids in one batch, the tokens in another. It first resolves a tag to
 * a block number: with a tag, another node could answer each call of a batch, or answer it as of a later block. A node that
 * does not have the block answers with an error.
 */
export async function readTokens(
  { rpc, derivesTokenIds }: Pick<Ethereum, 'rpc' | 'derivesTokenIds'>,
  holders: readonly Holder[],
  at: calls.BlockTag,
): Promise<Holdings> {
  const [block] = at.startsWith('0x') ? [] : await rpc([calls.block(at)]);
  const numberIn = at === 'latest' ? calls.numberOf : calls.finalNumberOf;
  const asOf = block === undefined ? Number(at) : numberIn(block);
  if (asOf === undefined) {
    const why =
      block !== undefined && 'error' in block
        ? describeError(block.error)
        : `eth_getBlockByNumber shows no ${at} block`;
    return { asOf, of: new Map(pairAll(holders, notNow('not-simulated', why))) };
  }
  const call = (contract: string, data: Hex) => calls.call({ to: contract as Hex, data }, calls.hex(asOf));
  // Read each wallet once, even if several items name it.
  const nameOf = ({ wallet, contract, slot }: Holder) => `${contract} ${wallet} ${slot}`;
  const wallets = new Map(holders.map((holder) => [nameOf(holder), holder]));
  const asked = [...wallets.values()];
  const owned = (
    await askEach(rpc, asked, ({ wallet, contract, slot }) => call(contract, tokenIdsData(wallet, slot)))
  ).map(([holder, answer]) => [holder, readIds(answer)] as const);
  const reads = owned.flatMap(([holder, each]) =>
    ('type' in each ? [] : each.ids).flatMap((id) => [
      { holder, id, data: tokenData(id) },
      { holder, id, data: slotData(id) },
    ]),
  );
  const doubtful = holders.filter(({ contract, known }) => derivesTokenIds(contract) && known && hasValidToken(known));
  const [answers, burns] = await Promise.all([
    askEach(rpc, reads, ({ holder, data }) => call(holder.contract, data)),
    readBurns(rpc, doubtful, [...new Set(reads.map(({ id }) => id))], asOf),
  ]);
  const byHolder = Map.groupBy(answers, ([{ holder }]) => holder);
  const time = block && Number(calls.blockOf(block).timestamp);
  const found = new Map(
    owned.map(
      ([holder, each]) => [nameOf(holder), ownedTokensOf(holder, each, readAll(byHolder.get(holder)), asOf)] as const,
    ),
  );
  return {
    asOf,
    time,
    of: new Map(
      holders.map((holder) => {
        const each = found.get(nameOf(holder)) ?? notNow('answer-unreadable', 'eth_call');
        return [holder, doubtful.includes(holder) ? withBurns(each, holder, burns) : each];
      }),
    ),
  };
}

/** The longest range in which a burn is looked for. An older one stays unknown. */
const BURNS_MAX_BLOCKS = 10_000;

/** Reads the burns of these tokens since the oldest known state. Undefined: the node does not serve these logs. */
async function readBurns(
  rpc: JsonRpc,
  holders: readonly Holder[],
  ids: readonly bigint[],
  asOf: number,
): Promise<readonly FoundLog[] | undefined> {
  const known = holders.flatMap(({ known: { asOf: at } = {} }) => at ?? []);
  const from = Math.max(Math.min(...known) + 1, asOf - BURNS_MAX_BLOCKS + 1);
  if (known.length === 0 || ids.length === 0 || from > asOf) return [];
  const addresses = [...new Set(holders.map(({ contract }) => contract))];
  const topics = [topicOf('SlotChanged'), ids.map(wordOf), null, wordOf(0n)];
  const query = { addresses, topics, from, to: asOf };
  try {
    const [answer] = await rpc([logsCall(query)]);
    return logsOf(answer, query);
  } catch (fault) {
    if (fault instanceof RpcFault) return undefined;
    throw fault;
  }
}

const wordOf = (id: bigint) => `0x${id.toString(16).padStart(64, '0')}`;

/** Returns the tokens with the block of their newest burn after the known state: they are later tokens with the same ids. 0: there is none. */
function withBurns(
  owned: Owned<EthereumToken>,
  { contract, known }: Holder,
  burns: readonly FoundLog[] | undefined,
): Owned<EthereumToken> {
  if ('type' in owned || burns === undefined) return owned;
  const burnedAt = (id: bigint) => {
    const own = burns.filter(
      ({ address, topics }) => address.toLowerCase() === contract.toLowerCase() && topics[1] === wordOf(id),
    );
    const newest = Math.max(0, ...own.map(({ blockNumber }) => Number(blockNumber)));
    return newest > (known?.asOf ?? newest) ? newest : 0;
  };
  return { ...owned, tokens: owned.tokens.map((token) => ({ ...token, burnedAt: burnedAt(token.id) })) };
}

function ownedTokensOf(
  { wallet, slot }: Holder,
  ids: ReturnType<typeof readIds>,
  found: readonly (EthereumToken | PrepareResult)[],
  asOf: number,
): Owned<EthereumToken> {
  if ('type' in ids) return ids;
  const unread = found.find((token) => 'type' in token);
  if (unread !== undefined) return unread;
  const read = found
    .filter((token) => 'slot' in token)
    .filter((token) => token.slot === slot && token.owner.toLowerCase() === wallet.toLowerCase());
  // A token may have been burned between the two reads. Or the node names another wallet's token, so that we freeze or revoke it.
  return read.length === ids.ids.length ? { tokens: read, asOf } : notNow('answer-unreadable', 'eth_call');
}

function readIds(answer: RpcAnswer): { ids: readonly bigint[] } | PrepareResult {
  if ('error' in answer) return resultOfError(answer);
  // A call to an address without code succeeds and returns no data.
  if (answer.result === '0x') return notNow('no-contract');
  const ids = tryRead(() => readTokenIds(answer.result as Hex));
  if (ids === undefined) return notNow('answer-unreadable', 'eth_call');
  return ids.length > WALLET_MAX_TOKENS ? notNow('too-many-tokens') : { ids };
}

/** Returns the tokens from the two answers about each id. An id whose answers cannot be read has none. */
function readAll(answers: Pairs<{ readonly id: bigint }, RpcAnswer> = []): (EthereumToken | PrepareResult)[] {
  const byId = Map.groupBy(answers, ([{ id }]) => id);
  return [...byId].flatMap(([id, pairs]) => readOne(id, pairs) ?? []);
}

function readOne(id: bigint, pairs: Pairs<unknown, RpcAnswer>): EthereumToken | PrepareResult | undefined {
  const answers = pairs.map(([, answer]) => answer);
  if (answers.some((answer) => needsAnother(answer, ETHEREUM_ERRORS))) return notNow('not-simulated', 'eth_call');
  const [token, slot] = answers.map((answer) => ('result' in answer ? (answer.result as Hex) : '0x'));
  return tryRead(() => readToken(id, token ?? '0x', slot ?? '0x'));
}

/** Returns undefined for data that is not the contract's answer, so that one bad answer does not affect the others. */
function tryRead<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/**
 * Returns the newest final block as a block tag.
 * @param head Number of the newest block.
 */
export function finalBlock({ network: { final } }: Ethereum, head: number): calls.BlockTag {
  return 'tag' in final ? final.tag : calls.hex(Math.max(0, head - final.depth));
}

/** Reads the tokens of these wallets, as of the newest block that counts as confirmed. */
export function read<Q extends Question>(chain: Ethereum, questions: readonly Q[]): Promise<Pairs<Q, Reading>> {
  const { confirmations } = chain.network;
  return readAt(chain, questions, (head) => calls.hex(Math.max(0, head - confirmations + 1)));
}

/** Reads the tokens of these wallets, as of the newest final block. */
export function readFinal<Q extends Question>(chain: Ethereum, questions: readonly Q[]): Promise<Pairs<Q, Reading>> {
  return readAt(chain, questions, (head) => finalBlock(chain, head));
}

async function readAt<Q extends Question>(
  chain: Ethereum,
  questions: readonly Q[],
  blockFor: (head: number) => calls.BlockTag,
): Promise<Pairs<Q, Reading>> {
  const [latest] = await chain.rpc([calls.newestBlock]);
  const head = resultOf<calls.Block | null>(latest);
  if (head === null || mayBeBehind(chain.rpc, calls.newestOf(head), Date.now()))
    return pairAll(questions, unreadable('nodes-behind'));
  const located = questions.map((question) => [question, holderOf(chain, question)] as const);
  const holders = located.flatMap(([, holder]) => holder ?? []);
  const { of } = await readTokens(chain, holders, blockFor(Number(head.number)));
  return located.map(([question, holder]) => [
    question,
    holder ? readingFor(of.get(holder), question.known) : unreadable('no-gatekeeper-network'),
  ]);
}
