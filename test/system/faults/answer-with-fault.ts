import { base58 } from '@scure/base';
import { answerWithLies, askWithLies, type Lie } from '../../lies/lie.ts';
import { identifierOf, isSend, type RpcAnswer, type RpcCall, type SendBatch } from '../json-rpc.ts';
import { answerAsLaggingEthereumNode, answerAsLaggingSolanaNode } from './lagging-answers.ts';
import type { RpcFault } from './rpc-fault.ts';

/** The nodes behind a fault proxy. */
export interface NodesBehind {
  readonly chain: 'ethereum' | 'solana';
  readonly node: string;
  /** A node of another chain. The localnet has only one Solana node, so there the proxy imitates another cluster. */
  readonly otherChain?: string | undefined;
  /** The address of the gateway contract or program. */
  readonly gateway?: string | undefined;
}

/** The faults that alter the answers to calls. */
export type AnswerFault = Extract<
  RpcFault,
  {
    type:
      | 'out-of-order'
      | 'incomplete'
      | 'wrong-chain'
      | 'lagging'
      | 'send-refused'
      | 'already-known'
      | 'dropped'
      | 'lie';
  }
>;

/** Resolves to the answers of a node with this fault. */
export async function answerWithFault(
  fault: AnswerFault,
  calls: readonly RpcCall[],
  { chain, otherChain, gateway }: NodesBehind,
  sendBatch: SendBatch,
): Promise<RpcAnswer[]> {
  switch (fault.type) {
    case 'out-of-order':
      return (await sendBatch(calls)).reverse();
    case 'incomplete':
      return (await sendBatch(calls)).slice(0, -1);
    case 'wrong-chain':
      return otherChain === undefined ? answerAsOtherCluster(calls, sendBatch) : sendBatch(calls, otherChain);
    case 'lagging':
      return chain === 'ethereum'
        ? answerAsLaggingEthereumNode(calls, fault.blocks, sendBatch)
        : answerAsLaggingSolanaNode(calls, sendBatch);
    case 'send-refused':
      return replaceSends(await sendBatch(withoutSends(calls)), calls, () => ({ error: fault.error }));
    case 'already-known':
      return replaceSends(await sendBatch(calls), calls, () => ({ error: ALREADY_KNOWN[chain] }));
    case 'dropped':
      return replaceSends(await sendBatch(withoutSends(calls)), calls, (call) => ({ result: identifierOf(call) }));
    case 'lie':
      return answerAsLiar(fault.lies, calls, { program: gateway }, sendBatch);
  }
}

async function answerAsLiar(
  told: readonly Lie<never>[],
  calls: readonly RpcCall[],
  scene: unknown,
  sendBatch: SendBatch,
): Promise<RpcAnswer[]> {
  const lies = told as readonly Lie<unknown>[];
  const swallows = lies.some(({ swallowsSends }) => swallowsSends);
  const asked = (swallows ? withoutSends(calls) : calls).map((call) => askWithLies(lies, call));
  const answers = await sendBatch(asked);
  const truths = swallows ? replaceSends(answers, calls, (call) => ({ result: identifierOf(call) })) : answers;
  return truths.map((truth, index) => {
    const said = truth.error ? { error: truth.error } : { result: truth.result };
    return { jsonrpc: '2.0', id: truth.id, ...answerWithLies(lies, calls[index] as RpcCall, said, scene) };
  });
}

const withoutSends = (calls: readonly RpcCall[]) => calls.filter((call) => !isSend(call));

/** The refusals of geth and of Agave. */
const ALREADY_KNOWN = {
  ethereum: { code: -32000, message: 'already known' },
  solana: {
    code: -32002,
    message: 'Transaction simulation failed: This transaction has already been processed',
    data: { err: 'AlreadyProcessed', logs: [], accounts: null, unitsConsumed: 0, returnData: null },
  },
} as const;

/** Resolves to the node's answers to the calls, and to a replaced answer for each send. */
function replaceSends(
  answers: readonly RpcAnswer[],
  calls: readonly RpcCall[],
  answerSend: (call: RpcCall) => Pick<RpcAnswer, 'result' | 'error'>,
): RpcAnswer[] {
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  return calls.map((call) =>
    isSend(call) ? { jsonrpc: '2.0', id: call.id, ...answerSend(call) } : (byId.get(call.id) as RpcAnswer),
  );
}

/** A genesis hash that no cluster has. */
const OTHER_GENESIS = base58.encode(new Uint8Array(32).fill(7));

/** Answers like a node of another Solana cluster, which knows no account and no transaction of this cluster. */
async function answerAsOtherCluster(calls: readonly RpcCall[], sendBatch: SendBatch): Promise<RpcAnswer[]> {
  const answers = (await sendBatch(withoutSends(calls))).map((answer) => {
    const { value } = Object(answer.result) as { value?: unknown };
    if (!Array.isArray(value)) return answer;
    return { ...answer, result: { ...(answer.result as object), value: value.map(() => null) } };
  });
  const all = replaceSends(answers, calls, (call) => ({ result: identifierOf(call) }));
  return all.map((answer, index) =>
    calls[index]?.method === 'getGenesisHash' ? { ...answer, result: OTHER_GENESIS } : answer,
  );
}
