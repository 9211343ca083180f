import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { runRestoreCommand } from '../../../ops/restore.ts';
import { openPreparedState } from '../prepared-state.ts';
import { LocalDatabase } from './local-database.ts';
import { runCommand } from './run-command.ts';

/** `npm run restore` on a real local database. */

const state = openPreparedState(inject('preparedState'));
const database = new LocalDatabase(state.folder);
const copy = join(state.folder, 'copy.sqlite');
const restore = (...args: string[]) =>
  runCommand(runRestoreCommand, ['--shard', 'DB', '--local', '--state', state.folder, '--file', copy, ...args]);
const SKIPPED = 10_000_000_000;

const write = (sql: string) => database.write(sql);
const rows = (sql: string) => database.rows(sql);

beforeAll(() => {
  write("INSERT INTO feeds (gatekeeper_network, sequence) VALUES ('one', 2)");
  write("INSERT INTO events VALUES ('one', 1, 1, 'pass.issued', '{}'), ('one', 2, 1, 'pass.issued', '{}')");
  write(
    "INSERT INTO usage VALUES ('one', 'sepolia', '2026-10', 5, 0, 0, 5), ('one', 'sepolia', '2026-11', 1, 0, 0, 1)",
  );
  write(`VACUUM INTO '${copy}'`);
});
afterAll(() => state.close());

it('asks for a confirmation, and changes nothing without it', async () => {
  expect(await restore()).toMatchObject({ code: 2, printed: expect.stringContaining('confirm with --yes') });
  expect(rows('SELECT sequence FROM feeds')).toEqual([{ sequence: 2 }]);
});

it.each([
  [
    'leaves it',
    "INSERT INTO moves (gatekeeper_network, shard, step, stage, phase) VALUES ('moved', 'DB_1', 1, 1, 'leaves')",
  ],
  [
    'comes to it',
    "INSERT INTO moves (gatekeeper_network, shard, step, stage, phase) VALUES ('moved', 'DB_1', 1, 2, 'copy')",
  ],
])('refuses a database, before it changes anything, while a gatekeeper network %s', async (_, moves) => {
  write(moves);
  for (const option of ['--yes', '--dry-run']) {
    const { code, printed } = await restore(option);
    expect([code, printed]).toEqual([1, expect.stringMatching(/DB cannot be restored now: moved moves from or to DB/)]);
  }
  expect(rows('SELECT sequence FROM feeds')).toEqual([{ sequence: 2 }]);
  expect(existsSync(join(state.folder, 'restore-local-DB.json'))).toBe(false);
  write('DELETE FROM moves');
});

it('opens the database again, unchanged, if a move has begun before it was closed', async () => {
  const file = join(state.folder, 'restore-local-DB.json');
  writeFileSync(file, JSON.stringify({ target: copy, before: {}, step: 'closed' }));
  write("INSERT INTO moves (gatekeeper_network, shard, step, stage, phase) VALUES ('moved', 'DB_1', 1, 1, 'leaves')");
  const { code, printed } = await restore('--yes');
  expect([code, printed]).toEqual([1, expect.stringMatching(/DB cannot be restored now: moved moves from or to DB/)]);
  expect(rows('SELECT phase FROM moves')).toEqual([{ phase: 'leaves' }]);
  expect(existsSync(file)).toBe(false);
  write('DELETE FROM moves');
});

it('changes nothing with --dry-run, and says what it would do', async () => {
  const { code, printed } = await restore('--dry-run');
  expect(code, printed).toBe(0);
  expect(printed).toContain(`  restore DB to ${copy}: events since then are lost\n`);
  expect(printed).toContain(
    '  raise the sequences of 1 feeds, and store the usage and the databases of gatekeeper networks again\n',
  );
  expect(printed).toMatch(/Nothing was changed\.\n$/);
  expect(existsSync(join(state.folder, 'restore-local-DB.json'))).toBe(false);
  expect(rows('SELECT sequence FROM feeds')).toEqual([{ sequence: 2 }]);
});

it('raises every sequence above all that were used, and tells readers of each feed', async () => {
  write("UPDATE feeds SET sequence = 7; INSERT INTO feeds (gatekeeper_network, sequence) VALUES ('later', 3)");
  write("UPDATE usage SET issued = 40, revoked = 2, active = 30 WHERE month = '2026-11'");
  write("INSERT INTO usage VALUES ('later', 'devnet', '2026-11', 7, 1, 0, 6)");
  const { code, printed } = await restore('--yes');
  expect(code, printed).toBe(0);
  // The changes are those from before the restore, and the growth of active passes belongs to the restored rows.
  expect(
    rows('SELECT gatekeeper_network AS name, month, issued, renewed, revoked, active FROM usage ORDER BY 1, 2'),
  ).toEqual([
    { name: 'later', month: '2026-11', issued: 7, renewed: 1, revoked: 0, active: 0 },
    { name: 'one', month: '2026-10', issued: 5, renewed: 0, revoked: 0, active: 5 },
    { name: 'one', month: '2026-11', issued: 40, renewed: 0, revoked: 2, active: 1 },
  ]);
  expect(printed).toContain('Now run `npm run rebuild` for DB.');
  expect(rows('SELECT gatekeeper_network AS name, sequence FROM feeds ORDER BY 1')).toEqual([
    { name: '', sequence: SKIPPED + 7 },
    { name: 'later', sequence: SKIPPED + 3 },
    { name: 'one', sequence: SKIPPED + 7 },
  ]);
  const restored = rows("SELECT gatekeeper_network AS name, sequence, body FROM events WHERE type = 'feed.restored'");
  expect(restored).toMatchObject([
    { name: 'later', sequence: SKIPPED + 3 },
    { name: 'one', sequence: SKIPPED + 7 },
  ]);
  expect(JSON.parse(String(restored[1]?.body))).toEqual({
    id: `restored.${SKIPPED + 7}`,
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
});

it('uses no sequence twice if a later restore returns to a moment before an earlier one', async () => {
  const { code, printed } = await restore('--yes');
  expect(code, printed).toBe(0);
  const [one] = rows("SELECT sequence FROM feeds WHERE gatekeeper_network = 'one'");
  expect(one?.sequence).toBe(2 * SKIPPED + 7);
});

it('continues a stopped restore with the sequences and the usage that it had read', async () => {
  const usage = [{ gatekeeper_network: 'one', network: 'devnet', month: '2026-11', issued: 3, renewed: 0, revoked: 0 }];
  const progress = { target: copy, before: { one: 5 * SKIPPED }, usage, step: 'counted' };
  writeFileSync(join(state.folder, 'restore-local-DB.json'), JSON.stringify(progress));
  const { code, printed } = await restore();
  expect(code, printed).toBe(0);
  expect(rows("SELECT issued FROM usage WHERE network = 'devnet'")).toEqual([{ issued: 3 }]);
  const [one] = rows("SELECT sequence FROM feeds WHERE gatekeeper_network = 'one'");
  expect(one?.sequence).toBe(6 * SKIPPED);
});

it.each([
  ['1790000000000', 'It must be Unix seconds'],
  ['2020-07-01T00:00:00Z', 'It must be in the last 30 days'],
  ['2199-07-01T00:00:00Z', 'It must be in the last 30 days'],
])('refuses the moment %s before it closes the database', async (moment, complaint) => {
  const { code, printed } = await runCommand(runRestoreCommand, [
    '--shard',
    'DB',
    '--env',
    'any',
    '--timestamp',
    moment,
  ]);
  expect([code, printed]).toEqual([2, expect.stringContaining(complaint)]);
});

it.each([
  [['--shard', 'DB']],
  [['--shard', 'DB', '--local']],
  [['--shard', 'D1', '--local', '--file', copy]],
  [['--shard', 'DB', '--env', 'production']],
  [['--shard', 'DB', '--env', 'production', '--timestamp', 'yesterday']],
  [['--shard', 'DB', '--env', 'production', '--timestamp', '1790000000', '--bookmark', 'x']],
  [['--shard', 'DB', '--env', 'production', '--timestamp', '1790000000', '--file', copy]],
])('refuses %s', async (args) => {
  expect(await runCommand(runRestoreCommand, args)).toMatchObject({ code: 2 });
});
