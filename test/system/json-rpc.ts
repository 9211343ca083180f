import { base58 } from '@scure/base';
import { type Hex, keccak256 } from 'viem';
import type { Answer, Forwarding, ProxiedRequest } from './fault-proxy.ts';

/** The parts of JSON-RPC that a fault proxy in front of a node reads and alters. */

export interface RpcCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface RpcAnswer {
  readonly jsonrpc: '2.0';
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: RpcError;
}

const JSON_HEADERS = { 'content-type': 'application/json' };

/** Forwards a request to the node without the path, which may contain a key of the proxy's URL. */
export async function forwardToNode(request: ProxiedRequest, { forward }: Forwarding, node?: string): Promise<Answer> {
  const { status, body = '' } = await forward({ ...request, path: '', headers: JSON_HEADERS }, node);
  return { status, headers: JSON_HEADERS, body };
}

/** Sends calls to a node as one batch. Resolves to the answers in the order of the calls. */
export type SendBatch = (calls: readonly RpcCall[], node?: string) => Promise<RpcAnswer[]>;

/** Returns a function that sends batches instead of a request, to the node behind the proxy or to another one. */
export function batchesInPlaceOf(request: ProxiedRequest, forwarding: Forwarding): SendBatch {
  return async (calls, node) => {
    if (calls.length === 0) return [];
    const body = JSON.stringify(calls.map((call) => ({ jsonrpc: '2.0', ...call })));
    const answer = await forwardToNode({ ...request, body }, forwarding, node);
    const byId = new Map((parseExactly(answer.body ?? '') as RpcAnswer[]).map((each) => [each.id, each]));
    return calls.map(({ id }) => byId.get(id) as RpcAnswer);
  };
}

/** Returns the calls in a request body, which is a single call or a batch. */
export function callsIn(body: string): RpcCall[] {
  return [parseExactly(body) as RpcCall | RpcCall[]].flat();
}

/** Returns the HTTP answer to a request body: a batch of answers for a batch, else a single answer. */
export function answerTo(requestBody: string, answers: readonly unknown[]): Answer {
  const body = JSON.stringify(requestBody.startsWith('[') ? answers : (answers[0] ?? []));
  return { status: 200, headers: JSON_HEADERS, body };
}

export function isSend({ method }: RpcCall): boolean {
  return method === 'eth_sendRawTransaction' || method === 'sendTransaction';
}

/** Returns the identifier of the transaction in a send: the hash of its bytes, or on Solana its first signature. */
export function identifierOf({ method, params: [bytes] }: RpcCall): string {
  if (method === 'eth_sendRawTransaction') return keccak256(bytes as Hex);
  return base58.encode(Buffer.from(bytes as string, 'base64').subarray(1, 65));
}

/** Node's `JSON`. TypeScript's library does not declare the `source` argument and `rawJSON` yet. */
const { parse, rawJSON } = JSON as unknown as {
  parse(text: string, revive: (key: string, value: unknown, from: { source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
};

/** Returns the parsed value. It keeps the digits of 64-bit integers, which `Number` would round. */
function parseExactly(text: string): unknown {
  return parse(text, (_, value, { source }) =>
    typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) && source !== undefined
      ? rawJSON(source)
      : value,
  );
}
