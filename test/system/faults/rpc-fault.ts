import type { Lie } from '../../lies/lie.ts';
import type { RpcCall, RpcError } from '../json-rpc.ts';
import type { RefusalForm } from './batch-refusals.ts';
import type { HabitName } from './provider-habits.ts';

/** A fault of one HTTP request to a node. */
export type RpcFault =
  /** The endpoint cuts the connection and refuses new ones for this time. */
  | { readonly type: 'offline'; readonly ms: number }
  /** The endpoint resets the connection and does not carry out the calls. */
  | { readonly type: 'reset' }
  /** The endpoint does nothing for this time, then closes the connection. */
  | { readonly type: 'hang'; readonly ms: number }
  | { readonly type: 'http'; readonly status: number }
  | { readonly type: 'malformed' }
  /** The endpoint quotes the request's URL: on a page without JSON, in an error for each call, or in an error for each send. */
  | { readonly type: 'echo'; readonly in: 'page' | 'answers' | 'sends' }
  /** The answers of a batch arrive in another order. */
  | { readonly type: 'out-of-order' }
  /** The last answer of a batch is missing. */
  | { readonly type: 'incomplete' }
  /** A node of another chain answers. */
  | { readonly type: 'wrong-chain' }
  /** The node is this number of blocks behind. On Solana it confirms only finalized slots. */
  | { readonly type: 'lagging'; readonly blocks: number }
  /** The node refuses sends with this error, and drops them. */
  | { readonly type: 'send-refused'; readonly error: RpcError }
  /** The node carries out the calls, and the endpoint resets the connection instead of answering. */
  | { readonly type: 'answer-lost' }
  /** The endpoint forwards sends, and answers that they are already known. */
  | { readonly type: 'already-known' }
  /** The endpoint answers sends as usual, and drops them. */
  | { readonly type: 'dropped' }
  /** The endpoint refuses requests with more calls, in this form. */
  | { readonly type: 'batch-limit'; readonly calls: number; readonly form: RefusalForm }
  /** The endpoint answers as some providers do. */
  | { readonly type: 'habit'; readonly name: HabitName }
  /** The endpoint answers with these lies. */
  | { readonly type: 'lie'; readonly lies: readonly Lie<never>[] };

/** Returns the fault of a request with these calls, or undefined for no fault. */
export type FaultSource = (calls: readonly RpcCall[]) => RpcFault | undefined;
