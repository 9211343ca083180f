import type { EthereumNetwork } from '../../network/network.ts';
import type { GatekeeperNetwork } from '../../network/slot.ts';
import { type EndpointScan, orFault } from '../ask-in-turn.ts';
import type { SingleEndpoint } from '../json-rpc.ts';
import { RequestRefused, type RpcCall } from '../json-rpc-batch.ts';
import { RpcFault } from '../port.ts';
import { type RpcAnswer, resultOf } from '../rpc-answer.ts';
import type { ChainChange, Place, Scan, Span } from '../watch-port.ts';
import { changesIn, watchedTopics } from './changes-in-logs.ts';
import {
  type FoundLog,
  growRange,
  type LogQuery,
  LogsRefused,
  logsCall,
  logsOf,
  type RangeSize,
  shrinkRange,
} from './logs.ts';
import { errorKindOf } from './node-answers.ts';
import * as calls from './rpc.ts';

/** Reads the logs of a span from one endpoint. */

/** An endpoint with the number of blocks that it accepts in a log query. In memory only: another isolate learns it again. */
export interface LogEndpoint extends SingleEndpoint {
  range: RangeSize;
}

export interface Watched {
  readonly network: EthereumNetwork;
  readonly contracts: readonly string[];
  readonly networkOf: (slot: bigint) => GatekeeperNetwork | undefined;
}

type Scanned = Extract<Scan, { readonly type: 'scanned' }>;

/** Maximum number of log queries of one endpoint in one scan. The next scan begins with the size that they have learned. */
const MAX_QUERIES = 6;
const RANGE_MAX_BLOCKS = 100_000;
/** A range of this part of the size, if the node lacks some of its blocks. */
const LACKING_DIVISOR = 10;

/**
 * Scans the newest part of a span. A short span that ends at the head needs one request. Otherwise the first request reads the
 * head, because the number of the last block must be known to limit the range.
 */
export async function scanWith(endpoint: LogEndpoint, watched: Watched, span: Span): Promise<EndpointScan> {
  const { after, before } = span;
  // A query that names no contract would return the logs of all.
  const needsLogs = watched.contracts.length > 0;
  const quick = after && needsLogs && before === undefined ? await scanAtOnce(endpoint, watched, after) : undefined;
  if (quick !== undefined) return quick;
  const head = headIn(watched, span, await endpoint.send(headCalls(watched, span)));
  if (head.type !== 'head') return head;
  if (after === undefined || !needsLogs) return scanned(head, head.newest, []);
  return scanPart(endpoint, watched, { after, before }, head);
}

/** Scans up to the newest block in one request. Returns undefined if the span is too long, or if the endpoint refuses it. */
async function scanAtOnce(endpoint: LogEndpoint, watched: Watched, after: Place): Promise<EndpointScan | undefined> {
  const expectedBlocks = (Date.now() - after.time * 1000) / watched.network.blockMs;
  if (expectedBlocks > endpoint.range.blocks) return undefined;
  // The range includes the block `after`, because a query that begins beyond the head is an error.
  const query: LogQuery = { ...filterOf(watched), from: after.at, to: 'latest' };
  // If the endpoint is away and does not only refuse the logs, the next request shows it.
  const answers = await orFault(endpoint.send([...headCalls(watched, { after }), logsCall(query)]));
  if (answers instanceof RpcFault) return undefined;
  const head = headIn(watched, { after }, answers);
  if (head.type !== 'head') return head;
  const logs = logsIn(answers.at(-1), query);
  if (logs instanceof RpcFault) return undefined;
  const { at } = head.newest;
  // A block may follow between the two calls. The next scan reads it.
  const fresh = logs.filter(({ blockNumber }) => Number(blockNumber) > after.at && Number(blockNumber) <= at);
  return scanned(head, head.newest, changesOf(watched, fresh));
}

/** Scans the newest part of the span that the endpoint accepts. */
async function scanPart(
  endpoint: LogEndpoint,
  watched: Watched,
  { after, before }: { readonly after: Place; readonly before: Place | undefined },
  head: Head,
): Promise<EndpointScan> {
  const { newest } = head;
  const to = before ? before.at - 1 : newest.at;
  if (to > newest.at) return { type: 'behind', why: `the node does not have block ${to}` };
  if (to <= after.at) return scanned(head, before ?? newest, []);
  const { range } = endpoint;
  let size = range.blocks;
  for (let queries = 1; ; queries += 1) {
    const from = Math.max(after.at + 1, to - size + 1);
    const blocks = to - from + 1;
    const part = await readRange(endpoint, { ...filterOf(watched), from, to });
    if (!(part instanceof RpcFault)) {
      if (before === undefined && part.last.id !== newest.id) throw new RpcFault('the newest block has changed');
      if (blocks === endpoint.range.blocks) endpoint.range = grow(endpoint.range);
      const left = from > after.at + 1 ? { after, before: part.first } : undefined;
      return { ...scanned(head, part.last, changesOf(watched, part.logs)), ...(left && { left }) };
    }
    if (part instanceof LogsRefused && part.hasNoLogs) {
      if (blocks === 1) return { type: 'gone', why: part.message };
      // The size is not the reason, so the endpoint keeps it.
      size = Math.max(1, Math.floor(blocks / LACKING_DIVISOR));
    } else {
      const smaller = shrinkRange(blocks);
      if (smaller === undefined) {
        if (!isRefusal(part)) throw part;
        // The size was not the reason.
        endpoint.range = range;
        return withoutBlock(endpoint, { after, before, at: to, why: part.message }, head);
      }
      endpoint.range = smaller;
      size = smaller.blocks;
    }
    if (queries === MAX_QUERIES) throw part;
  }
}

/** Whether the endpoint answered the query and refused it for good. A rate limit, a timeout or a lost connection may soon end. */
const isRefusal = (fault: RpcFault) =>
  fault instanceof RequestRefused || (fault instanceof LogsRefused && !fault.isForNow);

/** Reports the last block of a span, whose logs the endpoint refuses alone, as unserved. Throws RpcFault if it does not answer now. */
async function withoutBlock(
  { send }: LogEndpoint,
  { after, before, at, why }: Required<Span> & { readonly after: Place; readonly at: number; readonly why: string },
  head: Head,
): Promise<EndpointScan> {
  const [previous, block] = await send([at - 1, at].map((each) => calls.block(calls.hex(each))));
  const [last, unserved] = [placeIn(previous, at - 1), placeIn(block, at)];
  if (before === undefined && unserved.id !== head.newest.id) throw new RpcFault('the newest block has changed');
  const isLast = last.at === after.at;
  const next = before ?? { at: at + 1, id: '', time: unserved.time };
  return {
    ...scanned(head, unserved, []),
    unserved: { span: { after: isLast ? after : last, before: next }, why },
    ...(!isLast && { left: { after, before: unserved } }),
  };
}

function grow(size: RangeSize): RangeSize {
  const { blocks, waits } = growRange(size);
  return { blocks: Math.min(blocks, RANGE_MAX_BLOCKS), waits };
}

interface Part {
  readonly logs: readonly FoundLog[];
  readonly first: Place;
  readonly last: Place;
}

/**
 * Reads the logs of a range, with its first and last block. Returns the fault if the endpoint refuses the query. Throws RpcFault if
 * the answer is void: a block is missing, or a log does not belong to the query.
 */
async function readRange({ send }: LogEndpoint, query: LogQuery & { readonly to: number }): Promise<Part | RpcFault> {
  const blocks = [query.from, query.to].map((at) => calls.block(calls.hex(at)));
  const answers = await orFault(send([...blocks, logsCall(query)]));
  if (answers instanceof RpcFault) return answers;
  const [first, last, found] = answers;
  const logs = logsIn(found, query);
  return logs instanceof RpcFault ? logs : { logs, first: placeIn(first, query.from), last: placeIn(last, query.to) };
}

/** Returns the logs, or the fault if the endpoint refuses the query. Throws RpcFault if the answer is void. */
function logsIn(answer: RpcAnswer | undefined, query: LogQuery): readonly FoundLog[] | LogsRefused {
  try {
    return logsOf(answer, query);
  } catch (fault) {
    if (fault instanceof LogsRefused && !fault.isMalformed) return fault;
    throw fault;
  }
}

/** Returns the block as a place. Throws RpcFault if it has another number, or if the node lacks it. */
function placeIn(answer: RpcAnswer | undefined, at: number): Place {
  const block = calls.findBlock(answer);
  if (block === undefined || Number(block.number) !== at) throw new RpcFault(`the node does not have block ${at}`);
  return placeOf(block);
}

const placeOf = ({ number, hash, timestamp }: calls.Block): Place => ({
  at: Number(number),
  id: hash,
  time: Number(timestamp),
});

const filterOf = ({ contracts }: Watched) => ({ addresses: contracts, topics: [watchedTopics()] });

const changesOf = ({ contracts, networkOf }: Watched, logs: readonly FoundLog[]) =>
  changesIn(logs, contracts, networkOf);

/** The newest block of the endpoint, and the blocks that follow from it. */
interface Head {
  readonly type: 'head';
  readonly newest: Place;
  readonly confirmedAt: number;
  readonly finalAt: number;
}

/** Returns the calls whose answers `headIn` expects, in the same order. */
function headCalls({ network: { final } }: Watched, { after }: Span): RpcCall[] {
  return [
    calls.newestBlock,
    ...('tag' in final ? [calls.block(final.tag)] : []),
    ...(after ? [calls.block(calls.hex(after.at))] : []),
  ];
}

/** Returns the head, or the result of the scan if the block `after` has left the chain or is missing. */
function headIn(
  { network }: Watched,
  { after, before }: Span,
  [latest, ...answers]: readonly RpcAnswer[],
): Head | Exclude<EndpointScan, { readonly type: 'scanned' }> {
  const newest = placeOf(calls.blockOf(latest));
  const { final, confirmations } = network;
  const finalAt = 'tag' in final ? (calls.numberOf(answers.shift()) ?? 0) : newest.at - final.depth;
  // Behind one URL, another node may answer each call.
  const bounded = (at: number) => Math.min(newest.at, Math.max(0, at));
  const head = { newest, confirmedAt: bounded(newest.at - confirmations + 1), finalAt: bounded(finalAt) };
  if (after === undefined) return { type: 'head', ...head };
  const why = `the node does not have block ${after.at}`;
  if (newest.at < after.at) return { type: 'behind', why };
  const [known] = answers;
  const block = calls.findBlock(known);
  if (block === undefined) {
    if (known && 'error' in known && errorKindOf(known.error) !== 'lacking') resultOf(known);
    // A new block may be missing behind one URL. The node may have deleted an old one.
    return { type: before === undefined ? 'behind' : 'gone', why };
  }
  return after.id === '' || block.hash === after.id ? { type: 'head', ...head } : { type: 'reorged' };
}

const scanned = ({ confirmedAt, finalAt }: Head, newest: Place, changes: readonly ChainChange[]): Scanned => ({
  type: 'scanned',
  changes,
  newest,
  confirmedAt,
  finalAt,
});
