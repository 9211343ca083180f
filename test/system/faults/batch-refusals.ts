import { CLOSE, type Outcome } from '../fault-proxy.ts';
import { answerTo, type RpcAnswer, type RpcCall, type SendBatch } from '../json-rpc.ts';

/** The forms in which providers refuse a batch with more calls than their plan allows. */

const JSON_HEADERS = { 'content-type': 'application/json' };
const ERROR = { code: -32600, message: 'batch too large' };
const refusalOf = (id: unknown, error = ERROR) => ({ jsonrpc: '2.0', id, error });
const answerWith = (status: number, body: unknown): Outcome => ({
  status,
  headers: JSON_HEADERS,
  body: JSON.stringify(body),
});

type Refuse = (body: string, calls: readonly RpcCall[], send: SendBatch, limit: number) => Outcome | Promise<Outcome>;

const withStatus =
  (status: number): Refuse =>
  () =>
    answerWith(
      status,
      refusalOf(null, { code: 31, message: 'Batch of more requests is not allowed on the free tier' }),
    );

const FORMS = {
  'an array of one error with the id of the first call': (_, [first]) => answerWith(200, [refusalOf(first?.id)]),
  'an array of one error with the id null': () => answerWith(200, [refusalOf(null)]),
  'an error object with status 200': withStatus(200),
  'an error object with status 400': withStatus(400),
  'an error object with status 413': withStatus(413),
  'an error object with status 429': withStatus(429),
  'an error object with status 500': withStatus(500),
  'an error object with status 503': withStatus(503),
  'an error for each call': (body, calls) =>
    answerTo(
      body,
      calls.map(({ id }) => refusalOf(id)),
    ),
  // geth executes the calls until the answers are too long.
  'errors from some call on': async (body, calls, send, limit) => {
    const answers: RpcAnswer[] = await send(calls.slice(0, limit));
    const tooLarge = { code: -32003, message: 'response too large' };
    const refused = calls.slice(limit).map(({ id }) => refusalOf(id, tooLarge));
    return answerTo(body, [...answers, ...refused]);
  },
  'plain text': () => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'Batch size exceeded' }),
  'a dropped connection': () => CLOSE,
} as const satisfies Record<string, Refuse>;

export type RefusalForm = keyof typeof FORMS;
export const REFUSAL_FORMS = Object.keys(FORMS) as RefusalForm[];

/** Returns the outcome of a batch above the limit. */
export function refuseBatch(
  form: RefusalForm,
  ...[body, calls, send, limit]: Parameters<Refuse>
): Outcome | Promise<Outcome> {
  return (FORMS[form] as Refuse)(body, calls, send, limit);
}
