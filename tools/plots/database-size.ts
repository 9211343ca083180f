import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const PROJECT = join(import.meta.dirname, '../..');
const textOf = (file: string) => readFileSync(join(PROJECT, file), 'utf8');
const MONTHS = 12;

/** The bytes that a database needs for a pass and for an event. */
export interface RowBytes {
  readonly pass: number;
  readonly event: number;
}

/** Returns the gigabytes of the databases after twelve months with that number of passes each, and one month of events. */
export const gigabytesOf = (passes: number, { pass, event }: RowBytes): number =>
  (passes * MONTHS * pass + passes * event) / 1e9;

/** Measures the growth of a SQLite file by many passes and by many events. */
export function measureRowBytes(): RowBytes {
  const db = new DatabaseSync(':memory:');
  for (const file of ['0001_baseline.sql', '0002_moves.sql', '0003_references.sql'])
    db.exec(textOf(`migrations/${file}`));
  const size = () => {
    const [{ bytes }] = db
      .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()')
      .all() as [{ bytes: number }];
    return bytes;
  };
  const example = JSON.parse(textOf('docs/partners/openapi.json')).paths['/pass/{chain}/{chainNetwork}/{wallet}'].get
    .responses[200].content['application/json'].examples.active.value;
  const record = JSON.stringify(example);
  const key = 'tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf';
  const ROWS = 5_000;
  const empty = size();
  const pass =
    db.prepare(`INSERT INTO passes (gatekeeper_network, id, wallet, chain, network, state, on_chain_state, issued_by, version, record)
    VALUES (?, ?, ?, 'ethereum', 'sepolia', 'ACTIVE', 'ACTIVE', ?, 3, ?)`);
  for (let n = 0; n < ROWS; n += 1) {
    const wallet = `0x${((n * 2_654_435_761) % 2 ** 32).toString(16).padStart(40, '0')}`;
    pass.run(key, `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`, wallet, `0x${'9'.repeat(40)}`, record);
  }
  const withPasses = size();
  const event = db.prepare(
    "INSERT INTO events (gatekeeper_network, sequence, at, type, body) VALUES (?, ?, 1, 'pass.issued', ?)",
  );
  const body = JSON.stringify({
    id: `${example.id}.1`,
    timestamp: '2026-11-20T11:03:45.000Z',
    data: { event: example.events[0], pass: example },
  });
  for (let n = 1; n <= ROWS; n += 1) event.run(key, n, body);
  const withEvents = size();
  db.close();
  return { pass: (withPasses - empty) / ROWS, event: (withEvents - withPasses) / ROWS };
}
