import type { Hex } from '../../lib/bytes.ts';
import type { RpcCall } from '../json-rpc-batch.ts';
import { RpcFault } from '../port.ts';
import type { RpcAnswer, RpcError } from '../rpc-answer.ts';
import { errorKindOf } from './node-answers.ts';
import { hex } from './rpc.ts';

/** Log queries of the Ethereum execution API. */

export interface LogQuery {
  readonly addresses: readonly string[];
  /** One condition for each topic, in order: a topic, any of several, or null for each topic. Topics are in lower case. */
  readonly topics: readonly (string | readonly string[] | null)[];
  readonly from: number;
  readonly to: number | 'latest';
}

/** A log of a block, in the normal form of `normalize.ts`. */
export interface FoundLog {
  readonly address: string;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: Hex;
  readonly transactionHash?: Hex;
}

/** JSON-RPC 2.0 §5.1. Some providers refuse a range that is too wide with it. */
const INVALID_PARAMETERS = -32_602;
const NO_ANSWER: RpcError = { code: 0, message: 'no answer' };

/** The node refuses a log query. */
export class LogsRefused extends RpcFault {
  /** Whether the node lacks the method or the blocks, so that no smaller range can help. */
  readonly hasNoLogs: boolean;
  /** Whether the node answered the query, and the answer cannot be read. */
  readonly isMalformed: boolean;
  /** Whether the node may accept the same query later. */
  readonly isForNow: boolean;

  constructor(error: RpcError) {
    super(`a read failed: ${error.message}`);
    const kind = errorKindOf(error);
    this.hasNoLogs = kind === 'lacking' && error.code !== INVALID_PARAMETERS;
    this.isMalformed = kind === 'malformed';
    this.isForNow = kind === 'rate-limit' || kind === 'no-history';
  }
}

export function logsCall({ addresses, topics, from, to }: LogQuery): RpcCall {
  const [address] = addresses;
  const filter = { address: addresses.length === 1 ? address : addresses, topics, fromBlock: hex(from) };
  return { method: 'eth_getLogs', params: [{ ...filter, toBlock: to === 'latest' ? to : hex(to) }] };
}

/**
 * Returns the logs in the answer to a query. Throws LogsRefused if the node refuses the query, and RpcFault if a log does not belong
 * to it.
 */
export function logsOf(answer: RpcAnswer | undefined, query: LogQuery): readonly FoundLog[] {
  if (answer === undefined || 'error' in answer) throw new LogsRefused(answer?.error ?? NO_ANSWER);
  const { result } = answer;
  if (!Array.isArray(result)) throw new RpcFault('the logs cannot be read');
  if (!result.every((log) => belongsTo(query, log))) throw new RpcFault('a log does not belong to the query');
  return result;
}

function belongsTo({ addresses, topics: conditions, from, to }: LogQuery, log: unknown): boolean {
  const { address, topics, blockNumber, removed } = Object(log) as Record<string, unknown>;
  if (!Array.isArray(topics) || removed === true) return false;
  const words = topics.map((topic) => String(topic).toLowerCase());
  const block = Number(blockNumber);
  return (
    addresses.some((each) => each.toLowerCase() === String(address).toLowerCase()) &&
    words.length >= conditions.length &&
    words.every((word) => /^0x[0-9a-f]{64}$/.test(word)) &&
    conditions.every((condition, index) => condition === null || [condition].flat().includes(words[index] as string)) &&
    block >= from &&
    (to === 'latest' || block <= to)
  );
}

/** The first and the last block of a log query. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** The number of blocks of the next range query. Providers limit blocks, logs and time, and show a limit only by refusing a query. */
export interface RangeSize {
  readonly blocks: number;
  /** How many successes must follow until the size grows. */
  readonly waits: number;
}

export const FIRST_RANGE: RangeSize = { blocks: 10_000, waits: 0 };
/** A refusal that repeats at every other query would double their number. */
const WAITS_AFTER_REFUSAL = 16;

export function growRange({ blocks, waits }: RangeSize): RangeSize {
  return waits > 0 ? { blocks, waits: waits - 1 } : { blocks: blocks * 2, waits };
}

/** Returns half the size of the refused query, or undefined if it had only one block. */
export function shrinkRange(refusedBlocks: number): RangeSize | undefined {
  return refusedBlocks > 1 ? { blocks: Math.floor(refusedBlocks / 2), waits: WAITS_AFTER_REFUSAL } : undefined;
}
