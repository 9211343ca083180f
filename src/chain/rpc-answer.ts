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
export function isUnanswered(answer: RpcAnswer | undefined): boolean {
  return answer === undefined || ('error' in answer && !isOwnAnswer(answer.error));
}

/** Whether the endpoint may answer the call if it gets fewer calls at once. */
export function isRefused(answer: RpcAnswer): boolean {
  return isUnanswered(answer) && kindOf(answer) !== 'lacking';
}

/** Whether the error is a reason to ask other endpoints first for a while. */
export function isTrouble(answer: RpcAnswer): boolean {
  const kind = kindOf(answer);
  return kind === 'trouble' || kind === 'malformed';
}

function kindOf(answer: RpcAnswer): ErrorKind | undefined {
  return 'error' in answer ? errorKindOf(answer.error) : undefined;
}

/** Throws RpcFault if the error of a single call means that the endpoint answers no other call either. */
export function throwIfEndpointFails(answer: RpcAnswer): void {
  const kind = kindOf(answer);
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
type ErrorKind =
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
  /** The node lacks its history. */
  | 'no-history'
  /** The endpoint answers no further call for now. */
  | 'rate-limit'
  /** The endpoint answered, and the answer cannot be read. */
  | 'malformed'
  /** Any other error is the node's own trouble: a limit of a plan, an answer that is too large, a defect. */
  | 'trouble';

/** Our own code for a result that cannot be read. No node uses it. */
export const MALFORMED_CODE = -1;
/** Our own code for an error that names none. */
const NO_CODE = 0;

interface Row {
  readonly kind: ErrorKind;
  readonly codes?: readonly number[];
  /** For errors without a code of their own: -32000 and -32603 are the codes of most errors, and clients word them differently. */
  readonly text?: RegExp;
  readonly isShownBy?: (data: unknown) => boolean;
}

/** The first row that applies decides. Structure comes first, then codes that mean one thing, then texts. */
const KINDS: readonly Row[] = [
  // Solana sends the error of the execution in a structure, Ethereum-type nodes the data of the revert.
  { kind: 'execution', isShownBy: (data) => Boolean(Object(data).err) || revertDataIn(data) !== undefined },
  { kind: 'malformed', codes: [MALFORMED_CODE] },
  // Providers limit in many words (EIP-1474: -32005).
  { kind: 'rate-limit', codes: [429, -32005, 15] },
  { kind: 'no-history', codes: [-32011] },
  { kind: 'execution', codes: [3, -32015] },
  // A revert may quote any text of the contract.
  {
    kind: 'execution',
    text: /\brevert|out of gas|gas required exceeds|invalid opcode|invalid jump|stack (under|over)flow/i,
  },
  // Some endpoints refuse the calls beyond their limit with the code for invalid parameters.
  { kind: 'trouble', text: /\bbatch/i },
  // -32601, -32602: JSON-RPC 2.0 §5.1. -32004: EIP-1474. -32010: the list of accounts is too long for Agave. -39001: geth lacks the block. 4444: EIP-4444, geth has pruned it.
  { kind: 'lacking', codes: [-32601, -32602, -32004, -32010, -39001, 4444] },
  { kind: 'rate-limit', text: /rate limit|too many requests?|compute units|request limit/i },
  // `unknown transaction type` must not match.
  { kind: 'known', text: /already (known|imported|exists|in (the )?(mempool|pool))|\bknown transaction|alreadyknown/i },
  {
    kind: 'no-funds',
    text: /insufficient ?(funds|balance)|doesn't have enough funds|upfront cost exceeds account balance/i,
  },
  { kind: 'rejected', text: /nonce ?too ?(low|high)|underpriced|intrinsic gas|exceeds block gas limit|fee cap/i },
  {
    kind: 'lacking',
    text: /(pending|finalized|safe|unknown) block|(block|header) (is )?not (found|available)|missing trie node|method .*not (found|available|supported)/i,
  },
];

/** Returns the meaning of a node's error. */
export function errorKindOf({ code, message, data }: RpcError): ErrorKind {
  const row = KINDS.find(
    ({ codes, text, isShownBy }) => codes?.includes(code) || text?.test(message) || isShownBy?.(data),
  );
  return row?.kind ?? 'trouble';
}

const ANSWERS: readonly ErrorKind[] = ['execution', 'known', 'no-funds', 'rejected'];

/** Whether the error answers the call, so that another node would answer the same. */
function isOwnAnswer(error: RpcError): boolean {
  return ANSWERS.includes(errorKindOf(error));
}

/** Returns the data of a revert from any of the places where clients put it. */
export function revertDataIn(data: unknown): string | undefined {
  const nested = typeof data === 'object' && data !== null && 'data' in data ? data.data : data;
  return typeof nested === 'string' ? /^(?:reverted )?(0x[0-9a-f]*)$/i.exec(nested.trim())?.[1] : undefined;
}
