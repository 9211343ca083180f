import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { consumeFault, type Fault } from './faults.ts';
import { METHODS } from './methods.ts';
import { INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, RpcError } from './rpc-error.ts';
import type { SolanaNode } from './solana-node.ts';

type Loss = Extract<Fault, { readonly carriedOut: boolean }>;

/** The call has no JSON-RPC answer: the whole HTTP request fails. */
export class LostAnswer extends Error {
  override readonly name = 'LostAnswer';
  readonly fault: Loss;

  constructor(fault: Loss) {
    super('the answer is lost');
    this.fault = fault;
  }
}

const Call = v.object({
  jsonrpc: v.literal('2.0'),
  id: v.optional(v.union([v.string(), v.number(), v.null()]), null),
  method: v.string(),
  params: v.optional(v.array(v.unknown()), []),
});

/** Returns the response object of a JSON-RPC 2.0 call. Throws LostAnswer if a fault removes the answer. */
export async function answerCall(node: SolanaNode, call: unknown): Promise<object> {
  const { success, output } = v.safeParse(Call, call);
  if (!success) return errorReply(null, new RpcError(INVALID_REQUEST, 'Invalid request'));
  const { id, method, params } = output;
  try {
    return { jsonrpc: '2.0', result: await performCall(node, method, params), id };
  } catch (error) {
    if (error instanceof LostAnswer) throw error;
    if (error instanceof RpcError) return errorReply(id, error);
    console.error(error);
    return errorReply(id, new RpcError(INTERNAL_ERROR, 'Internal error'));
  }
}

/** Whether a test controls the node with this call. Such calls are not counted and never fail. */
export function isTestControl(call: unknown): boolean {
  return v.is(Call, call) && call.method.startsWith('localnet_');
}

async function performCall(node: SolanaNode, method: string, params: readonly unknown[]): Promise<unknown> {
  const perform = METHODS.get(method);
  const own = method.startsWith('localnet_');
  if (!own) node.requests.calls[method] = (node.requests.calls[method] ?? 0) + 1;
  const fault = own ? undefined : consumeFault(node.faults, method);
  if (perform === undefined) throw new RpcError(METHOD_NOT_FOUND, 'Method not found');
  if (fault === undefined) return perform(node, params);
  if ('drop' in fault) return perform(withoutQueue(node), params);
  if ('delayMs' in fault) {
    const result = perform(node, params);
    await sleep(fault.delayMs);
    return result;
  }
  if (fault.carriedOut) await perform(node, params);
  if ('error' in fault) throw new RpcError(fault.error.code, fault.error.message, fault.error.data);
  throw new LostAnswer(fault);
}

/** Returns the same node with a waiting list that no block reads. */
function withoutQueue(node: SolanaNode): SolanaNode {
  return { ...node, ledger: { ...node.ledger, waiting: new Map() } };
}

function errorReply(id: string | number | null, { code, message, data }: RpcError): object {
  return { jsonrpc: '2.0', error: { code, message, ...(data !== undefined && { data }) }, id };
}
