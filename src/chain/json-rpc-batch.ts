import type { Secret } from '../lib/secret.ts';
import { abortAfter } from '../lib/with-timeout.ts';
import { type FaultCode, type Pairs, RpcFault } from './port.ts';
import { type RpcAnswer, rpcAnswerIn } from './rpc-answer.ts';

/** Encodes JSON-RPC calls and groups them into HTTP requests. */

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
  /** Whether the call must succeed: then an error of any kind is no answer, and the next endpoint is asked. */
  readonly needed?: boolean;
}

export interface NumberedCall {
  readonly id: number;
  readonly text: string;
}

/** Maximum size of one HTTP request. */
export interface BatchSize {
  readonly calls: number;
  readonly bytes: number;
}

export function numberCall({ method, params }: RpcCall, id: number): NumberedCall {
  return { id, text: JSON.stringify({ jsonrpc: '2.0', id, method, params }, asNumbers) };
}

/** Converts bigints, since slots and sizes are far below 2^53. */
function asNumbers(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

/**
 * Splits the waiting calls into parts of at most that size, with at least one call each. Every part begins with the calls
 * `first`, because another node may answer each part. If the size allows no batches, each call goes out alone, and the calls
 * `first` once, before the others.
 */
export function splitIntoBatches(
  waiting: readonly NumberedCall[],
  first: readonly NumberedCall[],
  most: BatchSize,
): NumberedCall[][] {
  if (most.calls <= first.length) {
    const proof = waiting.find((each) => first.includes(each));
    return proof ? [[proof]] : waiting.map((each) => [each]);
  }
  const parts: NumberedCall[][] = [];
  let length = 0;
  for (const request of waiting.filter((each) => !first.includes(each))) {
    const part = parts.at(-1);
    length += request.text.length;
    if (part === undefined || part.length === most.calls || length > most.bytes) {
      parts.push([...first, request]);
      length = lengthOf(first) + request.text.length;
    } else part.push(request);
  }
  return parts.length === 0 ? [[...first]] : parts;
}

export function lengthOf(part: readonly NumberedCall[]): number {
  return part.reduce((sum, { text }) => sum + text.length, 0);
}

/** Returns the body of a request. A single call is not sent as a batch, because some nodes accept no batches. */
export function bodyOf(requests: readonly NumberedCall[]): string {
  const texts = requests.map(({ text }) => text).join();
  return requests.length === 1 ? texts : `[${texts}]`;
}

/**
 * Returns the URL of an endpoint without user and password, and the header that carries them (RFC 7617). Some providers
 * authenticate by a user and a password in the URL: `fetch` in Workers drops them silently, and in Node it refuses such URLs.
 */
export function endpointRequestOf(text: string): {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  // Fast path: every request to a node calls this function, and few URLs have credentials.
  if (!text.includes('@')) return { url: text, headers: {} };
  const url = new URL(text);
  const { username, password } = url;
  if (username === '' && password === '') return { url: text, headers: {} };
  url.username = '';
  url.password = '';
  const bytes = new TextEncoder().encode(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return { url: url.href, headers: { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` } };
}

/** The endpoint answered a request, and refused it as a whole; or its answer is longer than any answer may be. */
export class RequestRefused extends RpcFault {}

const TIMEOUT_MS = 10_000;

/** The answers to the calls of one HTTP request. */
export interface Posted {
  readonly answered: Pairs<NumberedCall, RpcAnswer>;
  /** Why it did not answer the others. */
  readonly fault: RpcFault;
  /** Whether the request was too long in bytes, not in calls. */
  readonly isTooLong: boolean;
}

/** Posts one batch, or a single call. Throws RpcFault if the endpoint does not answer in time. */
export async function postBatch(
  url: Secret<string>,
  requests: readonly NumberedCall[],
  fetcher: typeof fetch,
): Promise<Posted> {
  const target = endpointRequestOf(url());
  let response: Response;
  let body: unknown;
  try {
    [response, body] = await abortAfter(TIMEOUT_MS, async (signal) => {
      const answer = await fetcher(target.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...target.headers },
        body: bodyOf(requests),
        signal,
        // Signed bytes and the key in the URL are for this endpoint only, not for the target of a redirect.
        redirect: 'manual',
      });
      return [answer, await readResponse(answer)] as const;
    });
  } catch (fault) {
    // An endpoint that hangs would hang again.
    if (Object(fault).name === 'TimeoutError') throw new RpcFault('no answer in time');
    return { answered: [], fault: new RpcFault('no connection', ['no-connection']), isTooLong: false };
  }
  const { status, ok } = response;
  // No smaller batch would change the address.
  if (status >= 300 && status < 400) throw httpFault(status);
  const answered = body === TOO_LONG ? [] : answersIn(body, requests, url);
  return { answered, fault: faultOf(status, ok, body), isTooLong: status === 413 };
}

/** Some nodes answer the error of a call with a status other than 200, so the body decides. */
function answersIn(body: unknown, requests: readonly NumberedCall[], url: Secret<string>): Posted['answered'] {
  const [single] = requests;
  if (requests.length === 1 && single !== undefined) {
    const only: unknown = Array.isArray(body) ? body[0] : body;
    const answer = rpcAnswerIn(only);
    // The id is null or absent if the endpoint refused the call before it read the id.
    const isOurs = answer !== undefined && ('error' in answer || String(Object(only).id) === String(single.id));
    return isOurs ? [[single, redactAnswer(answer, url)]] : [];
  }
  if (!Array.isArray(body)) return [];
  // Answers may arrive in any order (JSON-RPC 2.0 §6). Some nodes omit some, and some return the ids as text.
  const byId = new Map(
    body.map((answer: { id?: unknown } | null | undefined) => [String(answer?.id), answer as unknown]),
  );
  return requests.flatMap((request) => {
    const answer = rpcAnswerIn(byId.get(String(request.id)));
    return answer === undefined ? [] : [[request, redactAnswer(answer, url)] as const];
  });
}

function faultOf(status: number, ok: boolean, body: unknown): RpcFault {
  if (body === TOO_LONG || status === 400 || status === 413) return new RequestRefused('the call was refused');
  return ok ? new RpcFault('the answer lacks the result of a call') : httpFault(status);
}

const HTTP_CODES: ReadonlyMap<number, FaultCode> = new Map([
  [401, 'unauthorized'],
  [403, 'unauthorized'],
  [404, 'not-found'],
  [429, 'rate-limit'],
]);

function httpFault(status: number): RpcFault {
  const code = status >= 300 && status < 400 ? 'redirect' : HTTP_CODES.get(status);
  return new RpcFault(`HTTP ${status}`, code && [code]);
}

/**
 * More characters than any single honest answer has: a block with the hashes of 5,000 transactions has 350,000. The adapter
 * sends a batch with a longer answer again in halves. Parsed JSON may need twenty times its length (`[{},{},…]`), and a Worker
 * has 128 MB.
 */
const RESPONSE_MAX_CHARS = 2_000_000;
const TOO_LONG = Symbol('too long');

/**
 * Returns the JSON of a node's answer, undefined if it is not JSON, or TOO_LONG if it exceeds the maximum length. Throws if the
 * node does not send the rest of its answer.
 */
async function readResponse({ body }: Response): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > RESPONSE_MAX_CHARS) return TOO_LONG;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a node's message without any part of the endpoint's URL. */
export function redactUrl(url: Secret<string>, text: string): string {
  const { authorization = '' } = endpointRequestOf(url()).headers;
  return redact(`${url()}\n${authorization}`, text);
}

/** Returns the answer with a redacted error message. */
export function redactAnswer(answer: RpcAnswer, url: Secret<string>): RpcAnswer {
  if (!('error' in answer)) return answer;
  return { error: { ...answer.error, message: redactUrl(url, answer.error.message) } };
}

/** A sequence of at least this many characters that a secret also contains may be part of it, and is hidden. */
const MATCH_MIN_CHARS = 6;
const HIDDEN = '[hidden]';
/** Maximum length of a text that is read, and of the text that is shown. */
const READ_MAX_CHARS = 2_000;
const SHOWN_MAX_CHARS = 200;

/**
 * Returns a text of others in a form that is safe for logs and operators: at most 200 characters of printable ASCII, without any
 * part of the secret. Providers quote keys ("invalid project id …"), as a whole or in part, in another case or percent-encoded.
 */
export function redact(secret: string, text: string): string {
  const known = decodePercent(secret).toLowerCase();
  const said = toPrintable(decodePercent(text.slice(0, READ_MAX_CHARS)));
  const low = said.toLowerCase();
  let shown = '';
  let hiddenTo = -1;
  for (let at = 0; at < said.length && shown.length < SHOWN_MAX_CHARS; at += 1) {
    if (at + MATCH_MIN_CHARS <= said.length && known.includes(low.slice(at, at + MATCH_MIN_CHARS))) {
      if (at > hiddenTo) shown += HIDDEN;
      hiddenTo = at + MATCH_MIN_CHARS;
    }
    if (at >= hiddenTo) shown += said[at];
  }
  return shown.slice(0, SHOWN_MAX_CHARS);
}

/** Returns a contract's text as printable ASCII, because anybody may have written the contract. */
export function redactContractText(text: string): string {
  return toPrintable(text.slice(0, SHOWN_MAX_CHARS));
}

const toPrintable = (text: string) => text.replace(/[^ -~]+/g, ' ');

/**
 * Decodes percent-encoding, even if it is nested. One match decodes any depth of `%25…2561`, because a round per level could
 * mean a thousand rounds. A few rounds decode texts that encode every character (`%25%36%31`).
 */
function decodePercent(text: string, rounds = 3): string {
  if (rounds === 0) return text;
  const next = text.replace(/%(?:25)*([0-7][0-9a-f])/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return decodePercent(next, rounds - 1);
}
