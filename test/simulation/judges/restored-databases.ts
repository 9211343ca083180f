import type { SqlRow } from '../platform/sql-database.ts';
import { readRows } from '../world/database.ts';
import type { World } from '../world/world.ts';

/** The feed of a restored database has no sequence and no event twice, and each jump of its sequences begins with the notice (docs/partners/events.md). */

const NOTICE = 'feed.restored';

/** @param rows The rows of a feed, in order. */
export function faultsOfRestoredFeed(network: string, rows: readonly SqlRow[]): string[] {
  const events = rows.map(({ sequence, body }) => ({
    sequence: Number(sequence),
    id: String(JSON.parse(String(body)).id),
  }));
  const jumps = events.filter(({ sequence, id }, index) => {
    const before = events[index - 1]?.sequence;
    return before !== undefined && sequence !== before + 1 && !id.startsWith('restored.');
  });
  const ids = events.map(({ id }) => id);
  const numbers = Map.groupBy(
    ids.filter((id) => !id.startsWith('restored.')),
    (id) => id.slice(0, id.lastIndexOf('.')),
  );
  const unordered = [...numbers].filter(([, own]) => {
    const order = own.map((id) => Number(id.slice(id.lastIndexOf('.') + 1)));
    return order.some((n, index) => index > 0 && n <= (order[index - 1] as number));
  });
  return [
    ...jumps.map(({ sequence }) => `the feed of ${network} jumps to ${sequence} without ${NOTICE}`),
    ...(new Set(ids).size < ids.length ? [`the feed of ${network} has an event twice`] : []),
    ...unordered.map(([pass, own]) => `the feed has the events ${own.join(' ')} of ${pass} in another order`),
  ];
}

/** Each feed of before has a notice with a sequence that nobody knows, and a rebuild writes the row of each pass object. */
export function faultsOfRestores({ platform, incidents: { oldRows, restores } }: World): string[] {
  const newest =
    "SELECT coalesce(max(sequence), 0) AS n FROM events WHERE gatekeeper_network = ? AND type = 'feed.restored'";
  const silent = restores.flatMap(({ sequences }) =>
    Object.entries(sequences).filter(
      ([feed, sequence]) => feed !== '' && Number(readRows(platform, newest, feed)[0]?.n) <= sequence,
    ),
  );
  return [
    ...silent.map(([feed, sequence]) => `the feed of ${feed} has no ${NOTICE} after ${sequence}`),
    ...oldRows.map((pass) => `after a rebuild, the row of a pass is missing or old (${pass})`),
  ];
}
