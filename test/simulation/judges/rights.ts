import { readRows } from '../world/database.ts';
import { GATEKEEPER_NETWORKS, networkOf } from '../world/identities.ts';
import { type Asked, isChange } from '../world/requests.ts';
import type { World } from '../world/world.ts';
import { passesAsked, recordsIn } from './passes-asked.ts';

/** Clients have their rights only: nothing happens for a suspended one, and none sees the passes of another gatekeeper network. */

/** From the answer to a suspension until the next request that ends it (Unix milliseconds). */
interface Suspension {
  readonly client: string;
  readonly from: number;
  readonly until: number;
  /** The steps that had been signed before. They may still be sent. */
  readonly signed: string;
}

export function suspensionsOf({ requests: { asked } }: World): Suspension[] {
  const changes = asked.filter(({ client, path }) => client === 'operator' && path.startsWith('/admin/partners/'));
  const statusOf = ({ body }: Asked) => (body as { status?: string }).status;
  return changes.flatMap((each) => {
    if (statusOf(each) !== 'suspended' || each.status !== 200 || each.answeredAt === undefined) return [];
    const from = each.answeredAt;
    // A request on its way may end it at any time.
    const ends = changes.filter(
      (other) =>
        other.path === each.path &&
        statusOf(other) === 'active' &&
        (other.answeredAt ?? Number.POSITIVE_INFINITY) >= from,
    );
    const until = Math.min(...ends.map(({ at }) => at), Number.POSITIVE_INFINITY);
    return [{ client: each.path.slice('/admin/partners/'.length), from, until, signed: each.signed ?? '' }];
  });
}

interface SentStep {
  readonly event: string;
  readonly pass: string;
  readonly kind: string;
  readonly transaction: string;
}

/** No node gets an issuance that only a suspended client has asked for, from the answer to the suspension on. */
export function faultsOfSuspensions(world: World): string[] {
  const suspensions = suspensionsOf(world);
  if (suspensions.length === 0) return [];
  const requesters = new Map<string, Set<string>>();
  // A request without an answer names no pass.
  const unanswered = new Set<string>();
  for (const asked of world.requests.asked) {
    // Those who only look at a pass have not asked for anything.
    if (asked.method === 'GET' || !asked.path.startsWith('/pass') || asked.path === '/pass') continue;
    const { client } = asked;
    const results = isChange(asked) ? passesAsked([asked]) : [asked];
    if (results.some(({ status = 500 }) => status >= 500)) unanswered.add(client);
    for (const { id } of recordsIn(asked)) requesters.set(id, (requesters.get(id) ?? new Set()).add(client));
  }
  return world.lines.flatMap((line) => {
    const { event, kind, pass, transaction } = JSON.parse(line) as SentStep;
    if (event !== 'pass.step_sent' || kind !== 'issue') return [];
    const [client, ...others] = requesters.get(pass) ?? [];
    const at = world.endpoints.sentAt.get(transaction) ?? 0;
    const isSuspended = suspensions.some(
      (each) => each.client === client && at > each.from && at < each.until && !each.signed.includes(transaction),
    );
    return isSuspended && others.length === 0 && [...unanswered].every((each) => each === client)
      ? [`a node got an issuance at ${at} for ${client}, which was suspended`]
      : [];
  });
}

/** No client sees a pass of another gatekeeper network, in an answer or in an event. */
export function faultsOfTenants({ platform, requests, receivers }: World): string[] {
  const rows = readRows(platform, 'SELECT id, gatekeeper_network AS owner FROM passes');
  const namesOf = Map.groupBy(
    [...GATEKEEPER_NETWORKS.map((owner) => ({ id: owner, owner })), ...rows] as { id: string; owner: string }[],
    ({ owner }) => owner,
  );
  const foreignIn = (own: string, shown: string) =>
    [...namesOf].flatMap(([owner, names]) =>
      owner === own ? [] : names.flatMap(({ id }) => (shown.includes(id) ? [id] : [])),
    );
  const inAnswers = requests.asked.flatMap(({ client, answer, path }) => {
    const own = networkOf(client);
    if (own === undefined || answer === undefined) return [];
    const foreign = foreignIn(own, JSON.stringify(answer));
    return foreign.length > 0 ? [`${client} sees ${foreign.join()} at ${path}`] : [];
  });
  const inEvents = receivers.hooks.flatMap((hook) => {
    const foreign = foreignIn(hook.gatekeeperNetwork, [...receivers.takenBy(hook)].join());
    return foreign.length > 0 ? [`a webhook gets events of ${foreign.join()}`] : [];
  });
  return [...inAnswers, ...inEvents];
}
