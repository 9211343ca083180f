import { base58 } from '@scure/base';
import { numberToHex } from 'viem';
import { askNode } from './ask-node.ts';
import { identifierOf, isSend, type RpcAnswer, type RpcCall } from './rpc-fault.ts';

/** Where the block stands among the parameters of Ethereum's reads. */
const BLOCK_AT: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_getTransactionCount: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_call: 1,
  eth_estimateGas: 1,
};

/** What a node says that is so many blocks behind. It passes on what is sent, and has no pending transactions. */
export async function behindOnEthereum(node: string, calls: readonly RpcCall[], blocks: number): Promise<RpcAnswer[]> {
  const [newest] = await askNode(node, [{ id: 'head', method: 'eth_blockNumber', params: [] }]);
  const head = Math.max(0, Number(newest?.result) - blocks);
  const answers = await askNode(
    node,
    calls.map((call) => ({ ...call, params: asOf(call, head) })),
  );
  return answers.map((answer, index) => hidden(calls[index] as RpcCall, answer, head));
}

function asOf({ method, params }: RpcCall, head: number): readonly unknown[] {
  const at = BLOCK_AT[method];
  if (at === undefined) return params;
  return [...params.slice(0, at), moved(params[at] ?? 'latest', head), ...params.slice(at + 1)];
}

function moved(block: unknown, head: number): unknown {
  return block === 'latest' || block === 'pending' ? numberToHex(head) : block;
}

function hidden(call: RpcCall, answer: RpcAnswer, head: number): RpcAnswer {
  if (call.method === 'eth_blockNumber') return { ...answer, result: numberToHex(head) };
  const at = BLOCK_AT[call.method];
  const asked = at === undefined ? Number.NaN : Number(call.params[at]);
  const { blockNumber } = Object(answer.result) as { blockNumber?: unknown };
  const known = !(asked > head) && !(typeof blockNumber === 'string' && Number(blockNumber) > head);
  if (known) return answer;
  const { id } = answer;
  const isObject = call.method.startsWith('eth_getBlock') || call.method.startsWith('eth_getTransactionBy');
  if (isObject || call.method === 'eth_getTransactionReceipt') return { jsonrpc: '2.0', id, result: null };
  return { jsonrpc: '2.0', id, error: { code: -32000, message: 'header not found' } };
}

/** What a node of Solana says for which only that is confirmed what is finalized. It passes on what is sent. */
export async function behindOnSolana(node: string, calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
  const answers = await askNode(
    node,
    calls.map((call) => (isSend(call) ? call : { ...call, params: call.params.map(finalized) })),
  );
  return answers.map((answer, index) => {
    if (calls[index]?.method !== 'getSignatureStatuses' || answer.result === undefined) return answer;
    const { value, ...rest } = answer.result as { value: readonly { confirmationStatus: string }[] };
    const known = value.map((status) => (status?.confirmationStatus === 'finalized' ? status : null));
    return { ...answer, result: { ...rest, value: known } };
  });
}

function finalized(parameter: unknown): unknown {
  const { commitment } = Object(parameter) as { commitment?: string };
  return commitment === undefined ? parameter : { ...(parameter as object), commitment: 'finalized' };
}

/** Nobody's. */
const OTHER_GENESIS = base58.encode(new Uint8Array(32).fill(7));

/** What a node of another cluster says: it knows neither the accounts nor the transactions of this one. */
export async function ofAnotherCluster(node: string, calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
  const answers = await askNode(
    node,
    calls.filter((call) => !isSend(call)),
  );
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  return calls.map((call) => {
    if (isSend(call)) return { jsonrpc: '2.0', id: call.id, result: identifierOf(call) };
    const answer = byId.get(call.id) as RpcAnswer;
    if (call.method === 'getGenesisHash') return { ...answer, result: OTHER_GENESIS };
    const { value } = Object(answer.result) as { value?: unknown };
    return Array.isArray(value)
      ? { ...answer, result: { ...(answer.result as object), value: value.map(() => null) } }
      : answer;
  });
}
