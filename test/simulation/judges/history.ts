import { readRows } from '../world/database.ts';
import { networkOf } from '../world/identities.ts';
import { isChange } from '../world/requests.ts';
import { type Entry, readTrails } from '../world/trails.ts';
import type { World } from '../world/world.ts';
import { passesAsked } from './passes-asked.ts';
import { faultsOfRestoredFeed } from './restored-databases.ts';

/** The record, the feed, the webhooks, the usage and the audit trail tell one history, in order and once. */

/** Returns the id of the pass of an event. */
const passOf = (event: string): string => event.slice(0, event.lastIndexOf('.'));

/**
 * The sequence of each feed has no gap, and its events are those of the passes, once and in order.
 * @param fetched The ids of the passes that their partners can fetch.
 */
export function faultsOfFeeds(world: World, fetched: ReadonlySet<string>): string[] {
  const rows = readRows(world.platform, 'SELECT gatekeeper_network, sequence, body FROM events ORDER BY 1, 2');
  const faults: string[] = [];
  for (const [network, events] of Map.groupBy(rows, (row) => row.gatekeeper_network)) {
    const sequences = events.map(({ sequence }) => Number(sequence));
    const isRestored = world.incidents.restores.length > 0;
    if (isRestored) {
      faults.push(...faultsOfRestoredFeed(String(network), events));
      continue;
    }
    const gap = sequences.findIndex((sequence, index) => sequence !== index + 1);
    if (gap >= 0) faults.push(`the feed of ${network} has a gap at ${gap + 1}: ${sequences.join(' ')}`);
    const ids = events.map(({ body }) => String(JSON.parse(String(body)).id));
    if (new Set(ids).size < ids.length) faults.push(`the feed of ${network} has an event twice`);
    const passes = Map.groupBy(ids, passOf);
    for (const [pass, own] of passes) {
      const numbers = own.map((id) => Number(id.slice(id.lastIndexOf('.') + 1)));
      if (numbers.some((n, index) => n !== index + 1))
        faults.push(`the feed has the events ${numbers.join(' ')} of ${pass}`);
      if (!fetched.has(pass)) faults.push(`the feed has events of ${pass}, which nobody can fetch`);
    }
  }
  return faults;
}

/** Each receiver gets every event since the registration of its webhook, and those of a pass the first time in their order. */
export function faultsOfWebhooks({ receivers }: World): string[] {
  return receivers.hooks.flatMap((hook) => {
    const wanted = receivers.eventsFor(hook);
    const missing = receivers.missingIn(hook);
    if (missing.length > 0)
      return [`the receiver of a webhook never gets ${missing.length} of ${wanted.length} events`];
    const taken = Map.groupBy(
      [...receivers.takenBy(hook)].filter((id) => wanted.includes(id)),
      passOf,
    );
    // Different passes are independent.
    return [...Map.groupBy(wanted, passOf)].some(([pass, ids]) => taken.get(pass)?.join() !== ids.join())
      ? ['the receiver of a webhook gets the events of a pass in another order']
      : [];
  });
}

/** The active passes of the usage are those of the rows. */
export function faultsOfUsage(world: World): string[] {
  const query = `
    SELECT gatekeeper_network AS name, network, sum(counted) AS counted, sum(active) AS active FROM (
      SELECT gatekeeper_network, network, active AS counted, 0 AS active FROM usage
      UNION ALL SELECT gatekeeper_network, network, 0, state = 'ACTIVE' FROM passes)
    GROUP BY 1, 2 HAVING sum(counted) <> sum(active)`;
  const rows = readRows(world.platform, query);
  return rows.map(
    ({ network, counted, active }) => `the usage counts ${counted} active passes on ${network}, and ${active} are`,
  );
}

/** The trail of each gatekeeper network has an entry for each issued pass, and none twice. */
export function faultsOfTrails(world: World): string[] {
  const faults: string[] = [];
  for (const [name, entries] of readTrails(world.platform)) {
    if (entries.some(({ sequence }, index) => sequence !== index + 1)) faults.push(`the trail ${name} has a gap`);
    const changes = world.requests.asked.filter((each) => networkOf(each.client) === name && isChange(each));
    const issuances = changes.filter(({ method }) => method === 'POST');
    const results = passesAsked(issuances);
    // The entry names the request that the pass took first, which may have ended without an answer.
    const unanswered = new Set(results.flatMap(({ status = 500, name: pass }) => (status >= 500 ? [pass] : [])));
    // A repeated request changes nothing.
    for (const [id, requests] of Map.groupBy(results, ({ record }) => record?.id)) {
      if (id === undefined) continue;
      const ids = new Set(requests.map(({ asked }) => asked.requestId));
      const isOwn = ({ requestId, target }: Entry) => target.pass === id && ids.has(requestId);
      const own = entries.filter(isOwn).map(({ requestId }) => requestId);
      if (own.length === 0 && !requests.some(({ name: pass }) => unanswered.has(pass)))
        faults.push('the trail lacks the issuance of a pass');
      if (new Set(own).size < own.length) faults.push('the trail has two entries for one request');
    }
  }
  return faults;
}
