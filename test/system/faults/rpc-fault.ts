import type { Lie } from '../../lies/lie.ts';
import type { RpcCall, RpcError } from '../json-rpc.ts';

/** What goes wrong with one HTTP request to a node. */
export type RpcFault =
  /** The endpoint cuts the connection and refuses new ones for that time. */
  | { readonly type: 'offline'; readonly ms: number }
  /** The endpoint resets the connection before it does anything. */
  | { readonly type: 'reset' }
  /** The endpoint does nothing for that time, then closes the connection. */
  | { readonly type: 'hang'; readonly ms: number }
  | { readonly type: 'http'; readonly status: number }
  | { readonly type: 'malformed' }
  /** The endpoint quotes the URL of the request: on a page without JSON, in an error for every call, or for sends. */
  | { readonly type: 'echo'; readonly in: 'page' | 'answers' | 'sends' }
  /** The answers of a batch come in another order. */
  | { readonly type: 'out-of-order' }
  /** The last answer of a batch is missing. */
  | { readonly type: 'incomplete' }
  /** A node of another chain answers. */
  | { readonly type: 'wrong-chain' }
  /** The node is that many blocks behind; on Solana it confirms only finalized slots. */
  | { readonly type: 'lagging'; readonly blocks: number }
  /** The node refuses sends with this error, and does nothing. */
  | { readonly type: 'send-refused'; readonly error: RpcError }
  /** The node carries out the calls, and the endpoint resets the connection instead of an answer. */
  | { readonly type: 'answer-lost' }
  /** The endpoint passes sends on, and refuses them as already known. */
  | { readonly type: 'already-known' }
  /** The endpoint answers sends as usual, and drops them. */
  | { readonly type: 'dropped' }
  /** The endpoint lies in its answers. */
  | { readonly type: 'lie'; readonly lies: readonly Lie<never>[] };

/** Returns the fault of a request with these calls; undefined for none. */
export type FaultSource = (calls: readonly RpcCall[]) => RpcFault | undefined;
