import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { prepareDatabase } from '../../../localnet/worker.ts';
import { runRestoreCommand } from '../../../ops/restore/run-command.ts';
import { queryRows, storageFolderOf } from '../../../scripts/wrangler.ts';
import { runCommand } from './run-command.ts';

/** `npm run restore` on a real local database. */

const state = mkdtempSync(join(tmpdir(), 'gatepass-restore-'));
const copy = join(state, 'copy.sqlite');
const DATABASE = ['DB', '--local', '--persist-to', storageFolderOf(state)];
const rows = async (sql: string) => (await queryRows(sql, DATABASE)).flat();
const restore = (...args: string[]) =>
  runCommand(runRestoreCommand, ['--shard', 'DB', '--local', '--state', state, '--file', copy, ...args]);
const SKIPPED = 10_000_000_000;

beforeAll(async () => {
  await prepareDatabase(state);
  await rows("INSERT INTO feeds (gatekeeper_network, sequence) VALUES ('one', 2)");
  await rows("INSERT INTO events VALUES ('one', 1, 1, 'pass.issued', '{}'), ('one', 2, 1, 'pass.issued', '{}')");
  await rows(
    "INSERT INTO usage VALUES ('one', 'sepolia', '2026-10', 5, 0, 0, 5), ('one', 'sepolia', '2026-11', 1, 0, 0, 1)",
  );
  const folder = join(storageFolderOf(state), 'v3', 'd1', 'miniflare-D1DatabaseObject');
  const name = readdirSync(folder).find((each) => each.endsWith('.sqlite') && each !== 'metadata.sqlite') ?? '';
  const database = new DatabaseSync(join(folder, name));
  database.exec(`VACUUM INTO '${copy}'`);
  database.close();
}, 60_000);
afterAll(() => rmSync(state, { recursive: true }));

it('asks for a confirmation, and changes nothing without it', async () => {
  expect(await restore()).toMatchObject({ code: 2, printed: expect.stringContaining('confirm with --yes') });
  expect(await rows('SELECT sequence FROM feeds')).toEqual([{ sequence: 2 }]);
});

it('raises every sequence above all that were used, and tells readers of each feed', async () => {
  await rows("UPDATE feeds SET sequence = 7; INSERT INTO feeds (gatekeeper_network, sequence) VALUES ('later', 3)");
  await rows("UPDATE usage SET issued = 40, revoked = 2, active = 30 WHERE month = '2026-11'");
  await rows("INSERT INTO usage VALUES ('later', 'devnet', '2026-11', 7, 1, 0, 6)");
  const { code, printed } = await restore('--yes');
  expect(code, printed).toBe(0);
  // The changes are those from before the restore, and the growth of active passes belongs to the restored rows.
  expect(
    await rows('SELECT gatekeeper_network AS name, month, issued, renewed, revoked, active FROM usage ORDER BY 1, 2'),
  ).toEqual([
    { name: 'later', month: '2026-11', issued: 7, renewed: 1, revoked: 0, active: 0 },
    { name: 'one', month: '2026-10', issued: 5, renewed: 0, revoked: 0, active: 5 },
    { name: 'one', month: '2026-11', issued: 40, renewed: 0, revoked: 2, active: 1 },
  ]);
  expect(printed).toContain('Now run `npm run rebuild` for DB.');
  expect(await rows('SELECT gatekeeper_network AS name, sequence FROM feeds ORDER BY 1')).toEqual([
    { name: '', sequence: SKIPPED + 7 },
    { name: 'later', sequence: SKIPPED + 3 },
    { name: 'one', sequence: SKIPPED + 7 },
  ]);
  const restored = await rows(
    "SELECT gatekeeper_network AS name, sequence, body FROM events WHERE type = 'feed.restored'",
  );
  expect(restored).toMatchObject([
    { name: 'later', sequence: SKIPPED + 3 },
    { name: 'one', sequence: SKIPPED + 7 },
  ]);
  expect(JSON.parse(String(restored[1]?.body))).toEqual({
    id: `restored.${SKIPPED + 7}`,
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
}, 60_000);

it('uses no sequence twice if a later restore returns to a moment before an earlier one', async () => {
  const { code, printed } = await restore('--yes');
  expect(code, printed).toBe(0);
  const [one] = await rows("SELECT sequence FROM feeds WHERE gatekeeper_network = 'one'");
  expect(one?.sequence).toBe(2 * SKIPPED + 7);
}, 60_000);

it('continues a stopped restore with the sequences and the usage that it had read', async () => {
  const usage = [{ gatekeeper_network: 'one', network: 'devnet', month: '2026-11', issued: 3, renewed: 0, revoked: 0 }];
  const progress = { target: copy, before: { one: 5 * SKIPPED }, usage, step: 'counted' };
  writeFileSync(join(state, 'restore-local-DB.json'), JSON.stringify(progress));
  const { code, printed } = await restore();
  expect(code, printed).toBe(0);
  expect(await rows("SELECT issued FROM usage WHERE network = 'devnet'")).toEqual([{ issued: 3 }]);
  const [one] = await rows("SELECT sequence FROM feeds WHERE gatekeeper_network = 'one'");
  expect(one?.sequence).toBe(6 * SKIPPED);
}, 60_000);

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
