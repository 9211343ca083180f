import { readTrails } from '../world/trails.ts';
import type { World } from '../world/world.ts';
import { isActor } from './entry-owners.ts';
import { suspensionsOf } from './rights.ts';

/** A person at the console acts for the partner of their organization, with its rights, and the audit trail names the person. */

const SIGN_IN = 'console.sign_in';

/** Each entry of a request names its sender, and each person who was answered has one sign-in (docs/partners/api.md, Audit trail). */
export function faultsOfStaff({ platform, requests, weather, crashes }: World): string[] {
  const ofPersons = requests.asked.filter(({ options: { person } }) => person !== undefined);
  if (ofPersons.length === 0) return [];
  const byId = new Map(requests.asked.flatMap((each) => (each.requestId ? [[each.requestId, each]] : [])));
  const entries = [...readTrails(platform).values()].flat();
  const misnamed = entries.filter(({ requestId = '', actor }) => {
    const asked = byId.get(requestId);
    return asked !== undefined && !isActor(asked, actor);
  });
  const signedIn = entries.flatMap(({ action, actor }) => (action === SIGN_IN ? [actor.sub] : []));
  // The service tries to enter a sign-in for some seconds, and again with the next request.
  const isCertain = !weather.hasDisturbed && !crashes.hasCrashed;
  const answered = ofPersons.flatMap(({ status = 500, options: { person } }) => (status < 300 ? [person] : []));
  const missing = isCertain ? [...new Set(answered)].filter((person) => !signedIn.includes(person)) : [];
  return [
    ...misnamed.map(
      ({ action, key, actor }) => `the entry ${action} (${key}) names ${actor.client} ${actor.sub ?? ''}`,
    ),
    ...missing.map((person) => `the trail lacks the sign-in of ${person}`),
    ...(new Set(signedIn).size < signedIn.length ? ['the trail has two sign-ins with one token'] : []),
  ];
}

/** docs/partners/limits.md: the service knows the row of a partner for that long. */
const KNOWN_MS = 60_000;
/** The time in which a request is answered that was admitted before. */
const ANSWER_MAX_MS = 15_000;

/** A minute after a suspension, no request of the client or of its persons is accepted, if the database answers. */
export function faultsOfSuspendedRequests(world: World): string[] {
  const { requests, weather } = world;
  if (weather.hasDisturbed) return [];
  const suspensions = suspensionsOf(world);
  return requests.asked.flatMap((asked) => {
    const { client, at, status = 500, options } = asked;
    const isSuspended = suspensions.some(
      (each) => each.client === client && at > each.from + KNOWN_MS && at + ANSWER_MAX_MS < each.until,
    );
    return isSuspended && status < 300
      ? [`${options.person ?? client} is answered with ${status}, although ${client} is suspended`]
      : [];
  });
}
