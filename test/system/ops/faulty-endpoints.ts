import { numberToHex } from 'viem';
import type { Fault } from '../fault-proxy.ts';
import { answerTo, batchesInPlaceOf, callsIn, forwardToNode, type RpcAnswer, type RpcCall } from '../json-rpc.ts';

/** Possible faults of an RPC endpoint, for a proxy in front of a node. */

type Result = Pick<RpcAnswer, 'result' | 'error'>;

function alterAnswers(alter: (call: RpcCall, answer: RpcAnswer) => Result): Fault {
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
