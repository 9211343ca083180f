import { askNode } from './ask-node.ts';
import { behindOnEthereum, behindOnSolana, ofAnotherCluster } from './other-views.ts';
import { identifierOf, isSend, type RpcAnswer, type RpcCall, type RpcFault } from './rpc-fault.ts';

/** The nodes behind a proxy. */
export interface Behind {
  readonly chain: 'ethereum' | 'solana';
  readonly node: string;
  /** A node of another chain; on Solana there is none, and one is made believe. */
  readonly otherChain?: string | undefined;
}

export type Altering = Extract<
  RpcFault,
  { is: 'out-of-order' | 'in-part' | 'wrong-chain' | 'lagging' | 'send-refused' | 'already-known' | 'dropped' }
>;

/** What such a node answers to these calls. */
export async function alteredAnswers(fault: Altering, calls: readonly RpcCall[], behind: Behind): Promise<RpcAnswer[]> {
  const { chain, node, otherChain } = behind;
  switch (fault.is) {
    case 'out-of-order':
      return (await askNode(node, calls)).reverse();
    case 'in-part':
      return (await askNode(node, calls)).slice(0, -1);
    case 'wrong-chain':
      return otherChain === undefined ? ofAnotherCluster(node, calls) : askNode(otherChain, calls);
    case 'lagging':
      return chain === 'ethereum' ? behindOnEthereum(node, calls, fault.blocks) : behindOnSolana(node, calls);
    case 'send-refused':
      return exceptSends(node, calls, false, (call) => ({ ...replyTo(call), error: fault.error }));
    case 'already-known':
      return exceptSends(node, calls, true, (call) => ({ ...replyTo(call), error: KNOWN[chain] }));
    case 'dropped':
      return exceptSends(node, calls, false, (call) => ({ ...replyTo(call), result: identifierOf(call) }));
  }
}

const replyTo = ({ id }: RpcCall) => ({ jsonrpc: '2.0', id }) as const;

/** As geth words it, and as Agave does. */
const KNOWN = {
  ethereum: { code: -32000, message: 'already known' },
  solana: {
    code: -32002,
    message: 'Transaction simulation failed: This transaction has already been processed',
    data: { err: 'AlreadyProcessed', logs: [], accounts: null, unitsConsumed: 0, returnData: null },
  },
} as const;

/** What is not sent is answered by the node; sends are answered here, passed on or not. */
async function exceptSends(
  node: string,
  calls: readonly RpcCall[],
  passedOn: boolean,
  answer: (call: RpcCall) => RpcAnswer,
): Promise<RpcAnswer[]> {
  const answers = await askNode(node, passedOn ? calls : calls.filter((call) => !isSend(call)));
  const byId = new Map(answers.map((each) => [each.id, each]));
  return calls.map((call) => (isSend(call) ? answer(call) : (byId.get(call.id) as RpcAnswer)));
}
