import { numberToHex } from 'viem';
import { isSend, type RpcAnswer, type RpcCall, type SendBatch } from '../json-rpc.ts';

/** The index of the block parameter of each Ethereum method that reads at a block. */
const BLOCK_PARAMETER: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_getTransactionCount: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_call: 1,
  eth_estimateGas: 1,
};

/** Answers like a node that is this number of blocks behind. It forwards sends, and shows no pending transactions. */
export async function answerAsLaggingEthereumNode(
  calls: readonly RpcCall[],
  blocks: number,
  sendBatch: SendBatch,
): Promise<RpcAnswer[]> {
  const [newest] = await sendBatch([{ id: 'head', method: 'eth_blockNumber', params: [] }]);
  const head = Math.max(0, Number(newest?.result) - blocks);
  const answers = await sendBatch(calls.map((call) => ({ ...call, params: parametersAsOf(call, head) })));
  return answers.map((answer, index) => hideBlocksAfter(head, calls[index] as RpcCall, answer));
}

/** Returns the parameters of a call, with the head in place of a newer block. */
function parametersAsOf({ method, params }: RpcCall, head: number): readonly unknown[] {
  const index = BLOCK_PARAMETER[method];
  if (index === undefined) return params;
  const block = params[index] ?? 'latest';
  const isNewest = block === 'latest' || block === 'pending';
  return [...params.slice(0, index), isNewest ? numberToHex(head) : block, ...params.slice(index + 1)];
}

function hideBlocksAfter(head: number, call: RpcCall, answer: RpcAnswer): RpcAnswer {
  if (call.method === 'eth_blockNumber') return { ...answer, result: numberToHex(head) };
  const index = BLOCK_PARAMETER[call.method];
  const asked = index === undefined ? Number.NaN : Number(call.params[index]);
  const { blockNumber } = Object(answer.result) as { blockNumber?: unknown };
  const isKnown = !(asked > head) && !(typeof blockNumber === 'string' && Number(blockNumber) > head);
  if (isKnown) return answer;
  const { id } = answer;
  const isObject = call.method.startsWith('eth_getBlock') || call.method.startsWith('eth_getTransactionBy');
  if (isObject || call.method === 'eth_getTransactionReceipt') return { jsonrpc: '2.0', id, result: null };
  return { jsonrpc: '2.0', id, error: { code: -32000, message: 'header not found' } };
}

/** Answers like a Solana node that confirms only finalized slots. It forwards sends. */
export async function answerAsLaggingSolanaNode(calls: readonly RpcCall[], sendBatch: SendBatch): Promise<RpcAnswer[]> {
  const answers = await sendBatch(
    calls.map((call) => (isSend(call) ? call : { ...call, params: call.params.map(readFinalized) })),
  );
  return answers.map((answer, index) => {
    if (calls[index]?.method !== 'getSignatureStatuses' || answer.result === undefined) return answer;
    const { value, ...rest } = answer.result as { value: readonly { confirmationStatus: string }[] };
    const known = value.map((status) => (status?.confirmationStatus === 'finalized' ? status : null));
    return { ...answer, result: { ...rest, value: known } };
  });
}

function readFinalized(parameter: unknown): unknown {
  const { commitment } = Object(parameter) as { commitment?: string };
  return commitment === undefined ? parameter : { ...(parameter as object), commitment: 'finalized' };
}
