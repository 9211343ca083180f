import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { base58 } from '@scure/base';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { runPartnerCommand } from '../../../ops/partner.ts';
import { runRestoreCommand } from '../../../ops/restore.ts';
import { startGatepass } from '../../../tools/localnet/gatepass.ts';
import { LONG } from '../../form.ts';
import { openPreparedState } from '../prepared-state.ts';
import { LocalDatabase } from './local-database.ts';
import { runCommand } from './run-command.ts';

/** The operator's commands on a database with many rows. The long form has as many as the service is built for. */

const COUNT = LONG ? 10_000 : 2_000;
const WEBHOOKS = COUNT / 10;
const SKIPPED = 10_000_000_000;

const state = openPreparedState(inject('preparedState'));
const database = new LocalDatabase(state.folder);
const file = (name: string) => join(state.folder, name);

const keyOf = (index: number) => {
  const key = new Uint8Array(32).fill(200);
  new DataView(key.buffer).setUint32(0, index + 1);
  return base58.encode(key);
};
/** Two bytes per letter in UTF-8, so that a slice by letters would be too long, and marks that could end a statement. */
const nameOf = (index: number) => `Здравствуйте, O'Hara; -- "/* BEGIN ${index}`.repeat(3);

const restore = (copy: string) =>
  runCommand(runRestoreCommand, ['--shard', 'DB', '--local', '--state', state.folder, '--file', copy, '--yes']);

beforeAll(() => {
  database.write(`VACUUM INTO '${file('empty.sqlite')}'`);
  database.use((db) => {
    db.exec('BEGIN');
    const network = db.prepare('INSERT INTO gatekeeper_networks (key) VALUES (?)');
    const row = db.prepare(
      'INSERT INTO partners (client_id, name, gatekeeper_network, organization) VALUES (?, ?, ?, ?)',
    );
    const feed = db.prepare('INSERT INTO feeds (gatekeeper_network, sequence, webhooks) VALUES (?, ?, ?)');
    const usage = db.prepare("INSERT INTO usage VALUES (?, ?, '2026-11', 1, 2, 3, 1)");
    for (let index = 0; index < COUNT; index += 1) {
      network.run(keyOf(index));
      row.run(`client-${index}`, nameOf(index), keyOf(index), `org-${index}`);
      feed.run(keyOf(index), index, JSON.stringify(index < WEBHOOKS ? [`wh_${index}`] : []));
      usage.run(keyOf(index), 'sepolia');
      usage.run(keyOf(index), 'devnet');
    }
    db.exec('COMMIT');
  });
});
afterAll(() => state.close());

it(`exports ${COUNT} partners and imports them, in pages and slices within the limits of a body, and all rows of a wrong file are refused`, async () => {
  const gatepass = await startGatepass({ folder: state.folder, hasDatabase: true, config: inject('builtWorker') });
  try {
    writeFileSync(file('localnet.json'), JSON.stringify(gatepass.facts));
    const partner = (...args: string[]) =>
      runCommand(runPartnerCommand, [...args, '--local', '--localnet', file('localnet.json')]);
    const exported = async (name: string) => {
      expect(await partner('export', file(name))).toMatchObject({ code: 0 });
      return JSON.parse(readFileSync(file(name), 'utf8'));
    };
    const before = await exported('before.json');
    expect(before.partners.length).toBeGreaterThan(COUNT);
    const partners = before.partners.map((row: { name: string }) => ({ ...row, name: `changed ${row.name}` }));
    // The gatekeeper network of the last partner is missing.
    const wrong = [...partners, { ...partners[0], client_id: 'z', gatekeeper_network: 'none', organization: null }];
    writeFileSync(file('wrong.json'), JSON.stringify({ ...before, partners: wrong }));
    expect(await partner('import', file('wrong.json'))).toMatchObject({
      code: 2,
      printed: expect.stringContaining('must have the gatekeeper network of each partner'),
    });
    expect(await exported('still.json')).toEqual(before);
    writeFileSync(file('changed.json'), JSON.stringify({ ...before, partners }));
    const { code, printed } = await partner('import', file('changed.json'));
    expect(code, printed).toBe(0);
    expect(printed).toBe(`imported ${partners.length} partners\n`);
    expect(await exported('after.json')).toEqual({ ...before, partners });
  } finally {
    await gatepass.stop();
  }
});

it(`restores a copy that lacks ${COUNT} feeds, ${WEBHOOKS} webhooks and their usage, and raises the sequence of every feed`, async () => {
  const { code, printed } = await restore(file('empty.sqlite'));
  expect(code, printed).toBe(0);
  expect(existsSync(file('restore-local-DB.json'))).toBe(false);
  expect(
    database.rows("SELECT count(*) AS feeds, min(sequence) AS least FROM feeds WHERE gatekeeper_network <> ''"),
  ).toEqual([{ feeds: COUNT, least: SKIPPED }]);
  expect(database.rows("SELECT count(*) AS n FROM events WHERE type = 'feed.restored'")).toEqual([{ n: COUNT }]);
  expect(database.rows("SELECT sequence FROM feeds WHERE gatekeeper_network = ''")).toEqual([
    { sequence: SKIPPED + COUNT - 1 },
  ]);
  expect(database.rows('SELECT count(*) AS n, sum(issued) AS issued, sum(revoked) AS revoked FROM usage')).toEqual([
    { n: 2 * COUNT, issued: 2 * COUNT, revoked: 6 * COUNT },
  ]);
});
