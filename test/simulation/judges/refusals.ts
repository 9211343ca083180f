import { networkOf, organizationOf } from '../world/identities.ts';
import type { Asked } from '../world/requests.ts';
import { readTrails } from '../world/trails.ts';
import type { World } from '../world/world.ts';

/**
 * A request that a rate limit refuses gets 429 `rate_limited`, and changes nothing; no other request gets that code
 * (docs/partners/limits.md, docs/partners/errors.md).
 */

/** All requests of a world come without an address. */
const ADDRESS_KEY = 'unknown';

/** Returns the keys under which rate limits count a request. */
function keysOf({ client, options: { person } }: Asked): string[] {
  if (client === 'operator') return [ADDRESS_KEY, 'admin/operator'];
  if (networkOf(client) === undefined) return [ADDRESS_KEY];
  const own =
    person === undefined ? `partner/${client}` : `console/${JSON.stringify([organizationOf(client), person])}`;
  return [ADDRESS_KEY, own, `large/${own}`];
}

const isRateLimited = ({ answer }: Asked): boolean => Object(answer).code === 'rate_limited';

export function faultsOfRefusals({ weather: { refusals }, requests, platform }: World): string[] {
  const limited = requests.asked.filter(isRateLimited);
  if (refusals.length + limited.length === 0) return [];
  const entered = new Set([...readTrails(platform).values()].flat().map(({ requestId }) => requestId));
  // A request without an answer may have been refused.
  const mayBe = requests.asked.filter((each) => each.status === undefined || isRateLimited(each));
  const isOf = ({ at, key }: (typeof refusals)[number], asked: Asked) =>
    asked.at <= at && at <= (asked.answeredAt ?? Number.POSITIVE_INFINITY) && keysOf(asked).includes(key);
  const untold = refusals.filter((refusal) => !mayBe.some((asked) => isOf(refusal, asked)));
  const unfounded = limited.filter((asked) => !refusals.some((refusal) => isOf(refusal, asked)));
  const nameOf = ({ method, path, client }: Asked) => `${method} ${path} of ${client || 'a dApp'}`;
  return [
    ...untold.map(({ key, at: time }) => `no answer tells of the rate limit of ${key} at ${time}`),
    ...unfounded.map((each) => `${nameOf(each)} is refused, and no rate limit has refused it`),
    ...limited.flatMap((each) => [
      ...(each.status === 429 ? [] : [`${nameOf(each)} is rate limited with the status ${each.status}`]),
      ...(entered.has(each.requestId) ? [`${nameOf(each)} is refused, and has an entry in a trail`] : []),
    ]),
  ];
}
