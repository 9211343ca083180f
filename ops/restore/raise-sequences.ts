import type { Row } from '../../terminal/wrangler.ts';
import { statementsFor } from '../row-statements.ts';

/** The newest sequences of the feeds before a restore, by gatekeeper network. */
export type Sequences = Readonly<Record<string, number>>;

export const READ_SEQUENCES = 'SELECT gatekeeper_network, sequence FROM feeds';

export function sequencesIn(rows: readonly Row[]): Sequences {
  return Object.fromEntries(
    rows.map(({ gatekeeper_network, sequence }) => [String(gatekeeper_network), Number(sequence)]),
  );
}

/** More than any feed grows between a moment of D1's history and the restore to it. */
const SKIPPED = 10_000_000_000;

/**
 * Returns the SQL that a restored database runs before it opens. It raises the sequence of every feed above each sequence that was
 * ever used, also of feeds that the restored copy does not know, and writes `feed.restored` into each feed. The row with an empty
 * name is the sequence before the first event of any other feed. A second run skips more sequences, which does no harm.
 * @param before The sequences before the restore, because an earlier restore may be later than the restored moment.
 */
export function raiseSequences(before: Sequences): string[] {
  const raising = 'ON CONFLICT (gatekeeper_network) DO UPDATE SET sequence = max(sequence, excluded.sequence)';
  return [
    ...statementsFor(
      Object.entries(before),
      (rows) =>
        `INSERT INTO feeds (gatekeeper_network, sequence) SELECT value ->> 0, value ->> 1 FROM json_each(${rows})
         WHERE true ${raising}`,
    ),
    `INSERT INTO feeds (gatekeeper_network, sequence) SELECT '', coalesce(max(sequence), 0) FROM feeds WHERE true ${raising}`,
    `UPDATE feeds SET sequence = sequence + ${SKIPPED}`,
    `INSERT INTO events (gatekeeper_network, sequence, at, type, body)
     SELECT gatekeeper_network, sequence, unixepoch(), 'feed.restored',
       json_object('id', 'restored.' || sequence, 'timestamp', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
     FROM feeds WHERE gatekeeper_network <> ''`,
  ];
}
