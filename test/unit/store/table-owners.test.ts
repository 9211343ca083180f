import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** Each table of D1 and of the objects has one file with the statements that use it. */

const PROJECT = join(import.meta.dirname, '../../..');

/** The files with statements on each table, the owner first. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  // The batch that publishes compares with the rows from before, so these two read the table in a join.

  // `rows-of-wallet.ts` only reads.
  passes: ['store/passes.ts', 'store/search.ts', 'store/feed.ts', 'store/usage.ts', 'store/rows-of-wallet.ts'],
  coverage: ['store/validity.ts'],
  removed_gatekeepers: ['store/validity.ts'],
  // A trigger fills it.
  issuers: ['store/validity.ts'],
  events: ['store/feed.ts'],
  feeds: ['store/feed.ts'],
  usage: ['store/usage.ts'],
  // `partners.ts` and `placements.ts` only read, with their caches.
  gatekeeper_networks: ['store/partner-changes.ts', 'store/partners.ts', 'store/placements.ts'],
  partners: ['store/partner-changes.ts', 'store/partners.ts'],
  unsettled: ['store/unsettled.ts'],
  dead_letters: ['store/dead-letters.ts'],
  runs: ['store/runs.ts'],
  absences: ['store/runs.ts'],
  // `placements.ts` only reads, and asks whether a write is refused with an update that fails or finds no row.
  moves: ['store/moves.ts', 'store/placements.ts'],
  // A move copies the rows of every table of passes, whatever columns they have.
  $: ['store/moves.ts'],
  counted: ['quota-object/quota-object.ts'],
  waiting: ['webhook-object/webhook-store.ts'],
  delivery: ['webhook-object/webhook-store.ts'],
  // `schema.ts` only creates the tables of a signer, and `step-queries.ts` only reads. `spending.ts` only sums up costs: the owner uses
  // it, so it cannot use the owner.
  step: [
    'signer-object/step-table.ts',
    'signer-object/step-queries.ts',
    'signer-object/schema.ts',
    'signer-object/spending.ts',
  ],
  wait: ['signer-object/lanes.ts', 'signer-object/schema.ts'],
  audit_entry: ['audit-object/audit-object.ts'],
  begun_action: ['audit-object/begun-actions.ts'],
  counted_action: ['audit-object/begun-actions.ts'],
  foreign_change: ['watcher-object/waiting-changes.ts'],
  // The simulated chains of a sandbox.
  token: ['sandbox-object/tables.ts'],
  sent: ['sandbox-object/tables.ts'],
  nonce: ['sandbox-object/tables.ts'],
  script: ['sandbox-object/tables.ts'],
  // `tables.ts` only creates it.
  event: ['sandbox-object/agenda.ts', 'sandbox-object/tables.ts'],
  pass: ['sandbox-object/passes.ts'],
  pass_count: ['sandbox-object/passes.ts'],
  gap_filler: ['signer-object/recover.ts', 'signer-object/schema.ts', 'signer-object/spending.ts'],
};

/** The other words that may follow these keywords. */
const NO_TABLES = ['first', 'json_each', 'sqlite_master', 'visited'];

/** Returns the tables that the statements in a text use, and `$` for a name that another part of the code inserts. */
function tablesIn(text: string): Set<string> {
  const used = /\b(?:FROM|JOIN|INTO|UPDATE|TABLE)\s+(?:IF (?:NOT )?EXISTS )?([a-z_]+\b|\$)/g;
  return new Set([...text.matchAll(used)].map(([, name = '']) => name).filter((name) => !NO_TABLES.includes(name)));
}

/** Returns the tables whose rows the statements in a text change. */
function changedIn(text: string): Set<string> {
  return new Set(
    [...text.matchAll(/\b(?:INSERT INTO|UPDATE|DELETE FROM)\s+([a-z_]+)\b(?! SET refused = 1)/g)].map(
      ([, name = '']) => name,
    ),
  );
}

const src = join(PROJECT, 'src');
const texts = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => [file, readFileSync(join(src, file), 'utf8')] as const);

const filesWith = (find: (text: string) => Set<string>) => {
  const uses = texts.flatMap(([file, text]) => [...find(text)].map((table) => ({ table, file })));
  return Object.fromEntries(
    Object.entries(Object.groupBy(uses, ({ table }) => table)).map(([table, all = []]) => [
      table,
      all.map(({ file }) => file).toSorted(),
    ]),
  );
};

it('a table is used by its owner, and by no other file except those listed with a reason', () => {
  const listed = Object.entries(OWNERS).map(([table, files]) => [table, files.toSorted()]);
  expect(filesWith(tablesIn)).toEqual(Object.fromEntries(listed));
});

it('only the owner of a table changes its rows', () => {
  const owners = Object.entries(OWNERS).map(([table, [owner]]) => [table, [owner]]);
  expect(Object.fromEntries(owners)).toMatchObject(filesWith(changedIn));
});

it('every table of D1 has an owner', () => {
  const migrations = join(PROJECT, 'migrations');
  const text = readdirSync(migrations)
    .map((file) => readFileSync(join(migrations, file), 'utf8'))
    .join('\n');
  const dropped = [...text.matchAll(/\bDROP (?:TABLE|VIEW) ([a-z_]+);/g)].map(([, name]) => name);
  const created = [...tablesIn(text)].filter((table) => !dropped.includes(table));
  expect(created.filter((table) => OWNERS[table] === undefined)).toEqual([]);
  expect(created.length).toBeGreaterThan(10);
});

it.each`
  text                                                               | tables
  ${"'SELECT a FROM passes WHERE b = ?'"}                            | ${['passes']}
  ${'`\n  SELECT * FROM json_each(?1) CROSS JOIN absences`'}         | ${['absences']}
  ${"'INSERT INTO usage (a) SELECT 1 FROM (SELECT 1 FROM passes p'"} | ${['usage', 'passes']}
  ${"'UPDATE step SET a = 1'"}                                       | ${['step']}
  ${"'DROP TABLE IF EXISTS counted'"}                                | ${['counted']}
  ${'`DELETE FROM $\u007btable}`'}                                   | ${['$']}
  ${'/** Reads passes from the table. */'}                           | ${[]}
`('finds $tables in $text', ({ text, tables }) => {
  expect([...tablesIn(text)]).toEqual(tables);
});
