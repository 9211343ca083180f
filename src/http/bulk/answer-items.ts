import type { Backend } from '../../operations/backend.ts';
import { callObject } from '../../operations/call-object.ts';
import { publishAccepted } from '../../operations/publish-accepted.ts';
import type { PassName } from '../../pass/pass.ts';
import type { Accepted } from '../../pass-object/results.ts';
import { BOOKMARK } from '../protocol/bookmark-header.ts';
import { problemOf, type Refusal } from '../protocol/problem.ts';
import { isRefusal, type Reply } from '../protocol/reply.ts';
import { refuseUnavailable } from '../protocol/transient-error.ts';
import type { Items, Order } from './read-items.ts';

type Result = Accepted | Refusal;

/**
 * Asks the object of each pass once, publishes all accepted changes together, and returns the results in the order of the items. A
 * pass whose object does not answer gets a refusal that is worth a retry.
 * @param status The status of an accepted item.
 */
export async function answerItems<Wish>(
  { items, orders }: Items<Wish>,
  request: (order: Order<Wish>, name: PassName) => Promise<Result>,
  status: number,
  requestId: string,
  backend: Backend,
): Promise<Reply> {
  const asked = [...orders].map(async ([name, order]): Promise<[PassName, Result]> => {
    return [name, (await callObject(() => request(order, name), 'pass', name)) ?? refuseUnavailable()];
  });
  const results = new Map(await Promise.all(asked));
  const accepted = [...results.values()].filter((result): result is Accepted => !isRefusal(result));
  const bookmark = await publishAccepted(accepted, backend, backend.bulkQueue);
  const answers = items.map((item) => {
    const result = typeof item === 'string' ? results.get(item) : item;
    return resultOf(result ?? refuseUnavailable(), status, requestId);
  });
  return { status: 200, body: `{"results":[${answers.join()}]}`, headers: { [BOOKMARK]: bookmark } };
}

/** Returns the JSON of a result. */
function resultOf(result: Result, accepted: number, requestId: string): string {
  if (!isRefusal(result)) {
    const settled = result.publish === 'record' || result.publish === 'nothing';
    return `{"status":${accepted},"settled":${settled},"record":${result.publication.record}}`;
  }
  const { status, body } = problemOf(result, requestId);
  const retryAfter = result.headers?.['retry-after'];
  return `{"status":${status},"problem":${body}${retryAfter === undefined ? '' : `,"retryAfter":${retryAfter}`}}`;
}
