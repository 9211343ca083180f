import { numberToHex } from 'viem';
import type { Fault } from '../fault-proxy.ts';
import { answerTo, batchesInPlaceOf, callsIn, forwardToNode, type RpcAnswer, type RpcCall } from '../json-rpc.ts';

/** Possible faults of an RPC endpoint, for a proxy in front of a node. */

type Result = Pick<RpcAnswer, 'result' | 'error'>;

/** Returns a fault that replaces the answer of each call. */
export function alterAnswers(alter: (call: RpcCall, answer: RpcAnswer) => Result): Fault {
  return async (request, forwarding) => {
    const calls = callsIn(request.body);
    const answers = await batchesInPlaceOf(request, forwarding)(calls);
    const altered = calls.map((call, index) => ({
      jsonrpc: '2.0',
      id: call.id,
      ...alter(call, answers[index] as RpcAnswer),
    }));
    return answerTo(request.body, altered);
  };
}

const replaceResult = (method: string, result: Result) =>
  alterAnswers((call, answer) => (call.method === method ? result : answer));

/** Returns a fault that answers every request with this HTTP status. */
export const respondWith =
  (status: number, headers: Readonly<Record<string, string>> = {}): Fault =>
  () => ({ status, headers, body: 'no' });

/** The node shows a newest block that is an hour old. */
export const BEHIND = alterAnswers((_, answer) => {
  const { timestamp } = Object(answer.result) as { timestamp?: string };
  if (!timestamp) return answer;
  return { result: { ...Object(answer.result), timestamp: numberToHex(Number(timestamp) - 3600) } };
});

/** Returns a fault in which the node answers every `eth_call` with this error message, as if it had no state. */
export const withoutState = (message: string) => replaceResult('eth_call', { error: { code: -32000, message } });

/** The node does not know the block "safe". */
export const WITHOUT_SAFE = alterAnswers(({ params }, answer) => (params[0] === 'safe' ? { result: null } : answer));

export const WITHOUT_BATCHES: Fault = (request, forwarding) =>
  request.body.startsWith('[') ? { status: 400, body: 'one at a time' } : forwardToNode(request, forwarding);

export const WITHOUT_HISTORY = replaceResult('getSignatureStatuses', {
  error: { code: -32011, message: 'Transaction history is not available from this node' },
});

/** The node serves Solana's mainnet. */
export const ON_MAINNET = replaceResult('getGenesisHash', { result: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' });

/** Returns the number of blocks of a log query, or undefined for another call. */
export function rangeOf({ method, params: [filter] }: RpcCall): number | undefined {
  if (method !== 'eth_getLogs') return undefined;
  const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string };
  return Number(toBlock) - Number(fromBlock) + 1;
}

/** Returns a fault that refuses the log queries for which `refuse` returns a message, by their number of blocks. */
export const limitRanges = (refuse: (blocks: number) => string | undefined, code = -32_000) =>
  alterAnswers((call, answer) => {
    const blocks = rangeOf(call);
    const message = blocks === undefined ? undefined : refuse(blocks);
    return message === undefined ? answer : { error: { code, message } };
  });

/** A log as `eth_getLogs` returns it. */
export interface WireLog {
  address: string;
  topics: string[];
  blockNumber: string;
}

/** Returns a fault that alters the logs of every answer that has some. */
export const alterLogs = (alter: (logs: WireLog[]) => readonly unknown[]) =>
  alterAnswers(({ method }, answer) => {
    const { result } = answer;
    return method === 'eth_getLogs' && Array.isArray(result) && result.length > 0 ? { result: alter(result) } : answer;
  });
