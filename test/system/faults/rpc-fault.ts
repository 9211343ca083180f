import { base58 } from '@scure/base';
import { type Hex, keccak256 } from 'viem';

/** What goes wrong with one HTTP request to a node. */
export type RpcFault =
  /** The connection is cut, and for so long (ms) nobody listens any more. */
  | { readonly is: 'refused'; readonly ms: number }
  /** The connection is cut before anything was done. */
  | { readonly is: 'reset' }
  /** Nothing is done, and for so long (ms) nothing answered; then the connection is cut. */
  | { readonly is: 'hang'; readonly ms: number }
  | { readonly is: 'http'; readonly status: number }
  | { readonly is: 'malformed' }
  /** The URL it was asked by is quoted: on a page that is no JSON, in an error for every call, or for what is sent. */
  | { readonly is: 'echo'; readonly in: 'page' | 'answers' | 'sends' }
  /** The answers of a batch come in another order. */
  | { readonly is: 'out-of-order' }
  /** The last answer of a batch is missing. */
  | { readonly is: 'in-part' }
  /** A node of another chain answers. */
  | { readonly is: 'wrong-chain' }
  /** The node is behind: by so many blocks, on Solana as far as what is finalized. */
  | { readonly is: 'lagging'; readonly blocks: number }
  /** What is sent is refused in these words, and nothing done. */
  | { readonly is: 'send-refused'; readonly error: RpcError }
  /** All is done, and the connection cut instead of an answer. */
  | { readonly is: 'answer-lost' }
  /** What is sent is passed on, and refused as known. */
  | { readonly is: 'already-known' }
  /** What is sent is answered as ever, and forgotten. */
  | { readonly is: 'dropped' };

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Which fault befalls a request that holds these calls; undefined: none. */
export type FaultSource = (calls: readonly RpcCall[]) => RpcFault | undefined;

export interface RpcCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface RpcAnswer {
  readonly jsonrpc: '2.0';
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: RpcError;
}

export function isSend({ method }: RpcCall): boolean {
  return method === 'eth_sendRawTransaction' || method === 'sendTransaction';
}

/** What the node will call what is sent: the hash of the bytes, or the first signature in them. */
export function identifierOf({ method, params: [bytes] }: RpcCall): string {
  if (method === 'eth_sendRawTransaction') return keccak256(bytes as Hex);
  return base58.encode(Buffer.from(bytes as string, 'base64').subarray(1, 65));
}
