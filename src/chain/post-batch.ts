import type { Secret } from '../lib/secret.ts';
import { abortAfter } from '../lib/with-timeout.ts';
import { bodyOf, endpointRequestOf, type NumberedCall } from './json-rpc-batch.ts';
import type { Pairs } from './pairs.ts';
import { type FaultCode, RpcFault } from './port.ts';
import { redactAnswer } from './redact-node-error.ts';
import { isRpcAnswer, type RpcAnswer } from './rpc-answer.ts';

const TIMEOUT_MS = 10_000;

/** The answers to the calls of one HTTP request. */
export interface Posted {
  /** The calls that the endpoint answered. */
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
    const answer: unknown = Array.isArray(body) ? body[0] : body;
    // The id is null or absent if the endpoint refused the call before it read the id.
    const isOurs = isRpcAnswer(answer) && ('error' in answer || String(Object(answer).id) === String(single.id));
    return isOurs ? [[single, redactAnswer(answer, url)]] : [];
  }
  if (!Array.isArray(body)) return [];
  // Answers may arrive in any order (JSON-RPC 2.0 §6). Some nodes omit some, and some return the ids as text.
  const byId = new Map(
    body.map((answer: { id?: unknown } | null | undefined) => [String(answer?.id), answer as unknown]),
  );
  return requests.flatMap((request) => {
    const answer = byId.get(String(request.id));
    return isRpcAnswer(answer) ? [[request, redactAnswer(answer, url)] as const] : [];
  });
}

function faultOf(status: number, ok: boolean, body: unknown): RpcFault {
  if (body === TOO_LONG || status === 400 || status === 413) return new RpcFault('the call was refused');
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
