import { CLIENTS } from '../world/identities.ts';
import { type Asked, isChange } from '../world/requests.ts';
import { readTrails } from '../world/trails.ts';
import type { World } from '../world/world.ts';
import { type AcceptedChange, acceptedChanges, countsAsChange, dayOf, isIssuance } from './accepted-changes.ts';
import { passesAsked } from './passes-asked.ts';

/**
 * The daily numbers hold (docs/partners/limits.md): nothing is accepted beyond them, nothing is refused below them, and a revocation
 * never is. A change counts before it is stored, so a request without an answer may count.
 */

/** A change is stored that long after its count at most. Around midnight, its day is unknown. */
const STORED_AFTER_MS = 15_000;
const isAtMidnight = (ms: number): boolean => dayOf(ms) !== dayOf(ms - STORED_AFTER_MS);

type Quota = 'issuances' | 'changes';
const FIELDS = { issuances: 'dailyIssuances', changes: 'dailyChanges' } as const;

/** Returns all daily numbers that a partner had. */
function numbersOf({ limits, requests }: World, client: string, quota: Quota): number[] {
  const given = requests.asked.flatMap(({ client: by, path, body }) => {
    const isChanged = by === 'operator' && path === `/admin/partners/${client}`;
    const value = isChanged ? (body as Record<string, number | null | undefined>)[FIELDS[quota]] : undefined;
    return value === undefined ? [] : [value ?? Number.POSITIVE_INFINITY];
  });
  return [limits[quota] ?? Number.POSITIVE_INFINITY, ...given];
}

/** Nothing is accepted beyond a daily number. */
function faultsBeyond(world: World, changes: readonly AcceptedChange[]): string[] {
  const certain = changes.filter(({ at }) => !isAtMidnight(at));
  const mayBeRefused = certain.filter((each) => countsAsChange(each) && each.action !== 'pass.revoke');
  const { passChanges = Number.POSITIVE_INFINITY } = world.limits;
  const beyond = (what: string, count: number, most: number) =>
    count > most ? [`${what} is ${count} on one day, and may be ${most}`] : [];
  const byDay = (some: readonly AcceptedChange[]) => Map.groupBy(some, ({ at }) => dayOf(at)).values();
  const ofClients = CLIENTS.flatMap(({ id }) => {
    const isOwn = ({ client }: AcceptedChange) => client === id;
    const most = (quota: Quota) => Math.max(...numbersOf(world, id, quota));
    const passes = (some: readonly AcceptedChange[]) => new Set(some.map(({ pass }) => pass)).size;
    return [
      ...[...byDay(certain.filter((each) => isOwn(each) && isIssuance(each)))].flatMap((some) =>
        beyond(`the number of issuances of ${id}`, passes(some), most('issuances')),
      ),
      ...[...byDay(mayBeRefused.filter(isOwn))].flatMap((some) =>
        beyond(`the number of changes of ${id}`, some.length, most('changes')),
      ),
    ];
  });
  const ofPasses = [...Map.groupBy(mayBeRefused, ({ pass }) => pass)].flatMap(([pass, own]) =>
    [...byDay(own)].flatMap((some) => beyond(`the number of changes of the pass ${pass}`, some.length, passChanges)),
  );
  return [...ofClients, ...ofPasses];
}

/** Returns the highest counts that the client of a request, and a pass, can have had at its end. */
function highestCounts(world: World, changes: readonly AcceptedChange[], asked: Asked, pass: string) {
  const { client, at, answeredAt = at } = asked;
  const sameDay = changes.filter((each) => dayOf(each.at) === dayOf(at) && each.at <= answeredAt + STORED_AFTER_MS);
  const own = sameDay.filter((each) => each.client === client);
  const uncertain = world.requests.asked.flatMap((each) =>
    each.client === client && isChange(each) && each.at <= answeredAt && dayOf(each.at + STORED_AFTER_MS) >= dayOf(at)
      ? passesAsked([each]).filter(({ status = 500 }) => status >= 500)
      : [],
  );
  const posted = uncertain.flatMap(({ asked: { method }, name }) => (method === 'POST' ? [name] : []));
  return {
    quota_reached: new Set([...own.filter(isIssuance).map((each) => each.pass), ...posted]).size,
    change_quota_reached: own.filter(countsAsChange).length + uncertain.length,
    pass_change_limit_reached: sameDay.filter((each) => each.pass === pass && countsAsChange(each)).length,
  };
}

/** Nothing is refused below a daily number. */
function faultsBelow(world: World, changes: readonly AcceptedChange[]): string[] {
  return world.requests.asked.flatMap((asked) => {
    if (asked.answeredAt === undefined || !isChange(asked) || isAtMidnight(asked.answeredAt)) return [];
    return passesAsked([asked]).flatMap(({ code, state, name }) => {
      const lowest = {
        quota_reached: () => Math.min(...numbersOf(world, asked.client, 'issuances')),
        change_quota_reached: () => Math.min(...numbersOf(world, asked.client, 'changes')),
        pass_change_limit_reached: () => world.limits.passChanges ?? Number.POSITIVE_INFINITY,
      }[code as 'quota_reached'];
      if (lowest === undefined) return [];
      if (state === 'REVOKED') return [`a revocation is refused: ${code}`];
      const count = highestCounts(world, changes, asked, name)[code as 'quota_reached'];
      return count < lowest() ? [`${asked.client} gets ${code} after ${count} of ${lowest()}`] : [];
    });
  });
}

export function faultsOfQuotas(world: World): string[] {
  const hasChanged = world.requests.asked.some(
    ({ body }) => FIELDS.issuances in Object(body) || FIELDS.changes in Object(body),
  );
  if (Object.keys(world.limits).length === 0 && !hasChanged) return [];
  const changes = acceptedChanges(readTrails(world.platform));
  return [...faultsBeyond(world, changes), ...faultsBelow(world, changes)];
}
