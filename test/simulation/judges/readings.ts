import { readRows } from '../world/database.ts';
import type { FeedPage } from '../world/feed-readers.ts';
import { clientAt, networkOf } from '../world/identities.ts';
import { type Asked, hasVersion, isChange } from '../world/requests.ts';
import type { World } from '../world/world.ts';
import { recordsIn, type ShownPass } from './passes-asked.ts';

/** The pages that partners read miss nothing (docs/partners/api.md, docs/partners/events.md). */

/** Whether a change that no answer preceded may have come between two answers. */
const isBetween = (change: Asked, first: Asked, second: Asked): boolean =>
  change !== first &&
  isChange(change) &&
  change.at <= (second.answeredAt ?? 0) &&
  (change.answeredAt ?? Number.POSITIVE_INFINITY) >= first.at &&
  networkOf(change.client) === networkOf(first.client);

/** An answer is at least as new as the one whose bookmark its request had. */
export function faultsOfBookmarks({ requests, incidents }: World): string[] {
  // A reorg takes confirmations back.
  const isConfirmed = ({ transaction }: ShownPass['events'][number]) =>
    transaction?.status === 'confirmed' && !incidents.hasReorged;
  const ageOf = ({ events }: ShownPass) => events.length + events.filter(isConfirmed).length;
  const textOf = ({ state, reference }: ShownPass) => `${state} ${reference}`;
  // A restore returns to older rows.
  if (incidents.restores.length > 0) return [];
  return requests.asked.flatMap((asked) => {
    const { after } = asked.options;
    if (after === undefined || !hasVersion(after) || asked.status !== 200) return [];
    const found = new Map(recordsIn(asked).map((record) => [record.id, record]));
    const isAlone = !requests.asked.some((each) => isBetween(each, after, asked));
    return recordsIn(after).flatMap((record) => {
      const shown = found.get(record.id);
      if (shown === undefined)
        return asked.path === '/pass' ? ['a search lacks a pass that its bookmark has seen'] : [];
      const isOlder =
        ageOf(shown) < ageOf(record) || (isAlone && ageOf(shown) === ageOf(record) && textOf(shown) !== textOf(record));
      return isOlder ? [`an answer at ${asked.path} is older than its bookmark`] : [];
    });
  });
}

/** A reader that has not reached the end of its feed by then never will. */
const PAGES_MAX = 50;

/** A reader of a feed with a cursor misses no event and sees none twice. */
export async function faultsOfReaders({ platform, feedReaders, requests, incidents }: World): Promise<string[]> {
  for (const client of feedReaders.events.keys())
    for (let left = PAGES_MAX, more = true; more && left > 0; left -= 1) {
      const path = `/events?after=${feedReaders.cursorOf(client)}&limit=10`;
      const { answer, status } = await requests.repeatedAnswerTo(client, 'GET', path);
      const isExpired = status === 410 && incidents.restores.length > 0;
      const first = isExpired ? await requests.repeatedAnswerTo(client, 'GET', '/events?limit=10') : { answer };
      const page = first.answer as FeedPage;
      feedReaders.take(client, page);
      ({ more } = page);
    }
  return [...feedReaders.events].flatMap(([client, events]) => {
    const query = 'SELECT body FROM events WHERE gatekeeper_network = ? ORDER BY sequence';
    const rows = readRows(platform, query, networkOf(client) ?? '');
    const wanted = rows.map(({ body }) => String(JSON.parse(String(body)).id));
    // The events that it has read before a restore may be lost.
    const known = incidents.restores.length > 0 ? events.filter(({ id }) => wanted.includes(id)) : events;
    return known.map(({ id }) => id).join() !== wanted.join()
      ? [`${client} reads the events ${events.map(({ sequence }) => sequence).join(' ')} of its feed`]
      : [];
  });
}

const COUNTED: Readonly<Record<string, 'issued' | 'renewed' | 'revoked'>> = {
  'pass.issued': 'issued',
  'pass.renewed': 'renewed',
  'pass.revoked': 'revoked',
};

interface CountedEvent {
  readonly data: {
    readonly event: { readonly transaction?: object; readonly byOthers?: object };
    readonly pass: { readonly chain: { readonly network: string } };
  };
}

interface UsageOfNetwork {
  readonly chain: { readonly network: string };
  readonly issued: number;
  readonly renewed: number;
  readonly revoked: number;
}

/** The usage counts the events of the feed with a transaction of the service. A reorg takes some back. */
export async function faultsOfUsageRoute(world: World): Promise<string[]> {
  // A restore keeps the counts, and loses events.
  if (world.incidents.hasReorged || world.incidents.restores.length > 0) return [];
  const faults: string[] = [];
  for (const { id, gatekeeperNetwork } of [clientAt(0), clientAt(2)]) {
    const isUsed = world.requests.asked.some(
      ({ client, path }) => path === '/usage' && networkOf(client) === gatekeeperNetwork,
    );
    if (!isUsed) continue;
    const { answer } = await world.requests.repeatedAnswerTo(id, 'GET', '/usage');
    const { networks = [] } = (answer ?? {}) as { readonly networks?: readonly UsageOfNetwork[] };
    const counted = new Map(
      world.networks.map((network) => [network as string, { issued: 0, renewed: 0, revoked: 0 }]),
    );
    for (const { type, body } of readRows(
      world.platform,
      'SELECT type, body FROM events WHERE gatekeeper_network = ?',
      gatekeeperNetwork,
    )) {
      const { data } = JSON.parse(String(body)) as CountedEvent;
      const what = COUNTED[String(type)];
      const numbers = counted.get(data.pass.chain.network);
      if (what && numbers && data.event.transaction && !data.event.byOthers) numbers[what] += 1;
    }
    for (const [network, { issued, renewed, revoked }] of counted) {
      const own = networks.find(({ chain }) => chain.network === network) ?? { issued: 0, renewed: 0, revoked: 0 };
      const [says, is] = [
        [own.issued, own.renewed, own.revoked],
        [issued, renewed, revoked],
      ].map((each) => each.join('/'));
      if (says !== is)
        faults.push(`the usage of ${id} on ${network} says ${says} (issued/renewed/revoked), and its feed ${is}`);
    }
  }
  return faults;
}
