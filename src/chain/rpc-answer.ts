import { RpcFault } from './port.ts';

/** The result of a call, or the node's error for it (JSON-RPC 2.0 §5.1). */
export type RpcAnswer = { readonly result: unknown } | { readonly error: RpcError };

/** Returns the answer in an object of JSON-RPC; undefined if it has none. Some nodes put a text in place of the error, or no message. */
export function rpcAnswerIn(body: unknown): RpcAnswer | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { error, result } = body as { error?: unknown; result?: unknown };
  if (error === undefined || error === null) return 'result' in body ? { result } : undefined;
  const { code, message, data } = typeof error === 'object' ? (error as Partial<RpcError>) : { message: String(error) };
  return {
    error: {
      code: typeof code === 'number' ? code : NO_CODE,
      message: typeof message === 'string' ? message : 'an error without a message',
      ...(data !== undefined && { data }),
    },
  };
}

/** Whether the call needs another endpoint: the error is neither a result of its execution nor a verdict on its transaction. */
export function needsAnother(answer: RpcAnswer | undefined, errors: ErrorTable): boolean {
  const kind = answer && kindOf(answer, errors);
  return answer === undefined || (kind !== undefined && !ANSWERS.includes(kind));
}

/** Whether the endpoint may answer the call if it gets fewer calls at once. */
export function isRefused(answer: RpcAnswer, errors: ErrorTable): boolean {
  return needsAnother(answer, errors) && !OF_ONE_CALL.includes(kindOf(answer, errors));
}

/** Whether the error is a reason to ask other endpoints first for a while. */
export function isTrouble(answer: RpcAnswer, errors: ErrorTable): boolean {
  const kind = kindOf(answer, errors);
  return kind === 'trouble' || kind === 'malformed';
}

function kindOf(answer: RpcAnswer, errors: ErrorTable): ErrorKind | undefined {
  return 'error' in answer ? errorKindIn(errors, answer.error) : undefined;
}

/** Throws RpcFault if the error of a single call means that the endpoint answers no other call either. */
export function throwIfEndpointFails(answer: RpcAnswer, errors: ErrorTable): void {
  const kind = kindOf(answer, errors);
  if (kind === 'rate-limit') throw new RpcFault('the rate limit is reached', ['rate-limit']);
  if (kind === 'no-history') throw new RpcFault('it has no history', ['no-history']);
}

/** Returns the result of a call that must succeed. Throws RpcFault if it failed; the message names the method. */
export function resultOf<T>(answer: RpcAnswer | undefined, method?: string): T {
  if (answer === undefined || 'error' in answer) {
    throw new RpcFault(
      `a read failed: ${answer === undefined ? 'no answer' : describeError({ method, ...answer.error })}`,
    );
  }
  return answer.result as T;
}

/** The error of a node for a call (JSON-RPC 2.0 §5.1). */
export interface RpcError {
  readonly code: number;
  /** The node's message after `redactAnswer`. */
  readonly message: string;
  readonly data?: unknown;
  /** The method that was called, so that a person knows what the node lacks. */
  readonly method?: string | undefined;
}

/** Returns the error as a sentence that names the call. */
export function describeError({ method, message }: RpcError): string {
  return method === undefined ? message : `${method}: ${message}`;
}

/** The meaning of a node's error. Only the first four are answers to the call: another node would give the same answer. */
export type ErrorKind =
  /** The call was executed and failed. */
  | 'execution'
  /** The node already has the transaction. */
  | 'known'
  /** The paying account lacks funds. */
  | 'no-funds'
  /** The transaction is not valid at this moment, for example because its nonce is used. */
  | 'rejected'
  /**
   * The node does not offer the method or a query with these parameters, or lacks the block or its state. Another node may have
   * it, and fewer calls at once would not help.
   */
  | 'lacking'
  /** The call takes more gas than the node allows. Another node may allow more, and fewer calls at once would not help. */
  | 'out-of-gas'
  /** The node lacks its history. */
  | 'no-history'
  /** The endpoint answers no further call for now. */
  | 'rate-limit'
  /** The endpoint answered, and the answer cannot be read. */
  | 'malformed'
  /** Any other error is the node's own trouble: a limit of a plan, an answer that is too large, a defect. */
  | 'trouble';

const ANSWERS: readonly ErrorKind[] = ['execution', 'known', 'no-funds', 'rejected'];
/** The size of the request is not the reason of these. */
const OF_ONE_CALL: readonly (ErrorKind | undefined)[] = ['lacking', 'out-of-gas'];

/** Our own code for a result that cannot be read. No node uses it. */
export const MALFORMED_CODE = -1;
/** Our own code for an error that names none. */
const NO_CODE = 0;

interface ErrorRow {
  readonly kind: ErrorKind;
  readonly codes?: readonly number[];
  /** For errors without a code of their own: -32000 and -32603 are the codes of most errors, and clients word them differently. */
  readonly text?: RegExp;
  readonly isShownBy?: (data: unknown) => boolean;
}

/**
 * The errors of one chain's nodes. The first row that applies decides. Structure comes first, then codes that mean one thing, then texts.
 * The same code means other things on other chains: -32015 is a failed execution on some Ethereum-type nodes, and a transaction that
 * exists on Solana.
 */
export type ErrorTable = readonly ErrorRow[];

/** Rows for every chain, from JSON-RPC 2.0 §5.1, HTTP and the providers. */
export const COMMON_ERRORS = {
  malformed: { kind: 'malformed', codes: [MALFORMED_CODE] },
  // Some endpoints refuse the calls beyond their limit with the code for invalid parameters.
  batch: { kind: 'trouble', text: /\bbatch/i },
  unknownCall: { kind: 'lacking', codes: [-32601, -32602] },
  rateLimit: { kind: 'rate-limit', text: /rate limit|too many requests?|compute units|request limit/i },
  unknownMethod: { kind: 'lacking', text: /method .*not (found|available|supported)/i },
} as const satisfies Readonly<Record<string, ErrorRow>>;

/** Returns the meaning of a node's error. */
export function errorKindIn(errors: ErrorTable, { code, message, data }: RpcError): ErrorKind {
  const row = errors.find(
    ({ codes, text, isShownBy }) => codes?.includes(code) || text?.test(message) || isShownBy?.(data),
  );
  return row?.kind ?? 'trouble';
}
