import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { base58 } from '@scure/base';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { GATEKEEPER_NETWORKS } from '../../../localnet/oauth/partners.ts';
import { partnerCommand } from '../../../ops/partner/commands.ts';
import {
  insertPartner,
  LIST_PARTNERS,
  type PartnerRow,
  setPublicVerify,
  setSettings,
  setStatus,
} from '../../../ops/partner/sql.ts';
import { EXPORT, formatExport, importStatements, parseExport } from '../../../ops/partner/transfer.ts';
import { runPartnerCommand } from '../../../ops/partner.ts';
import { PUBLIC_NETWORKS_MAX } from '../../../src/config/database-limit.ts';
import { parseCommand } from '../../parse-command.ts';
import { openPreparedState } from '../prepared-state.ts';
import { runProgram } from '../run-program.ts';
import { LocalDatabase } from './local-database.ts';
import { runCommand } from './run-command.ts';

const KEY = GATEKEEPER_NETWORKS[0] ?? '';
const parse = (args: readonly string[]) => parseCommand(partnerCommand, args);
const IDENTITY = ['add', '--local', '--client-id', 'c1', '--name', 'One', '--gatekeeper-network', KEY];
const CONTRACT = '0xF65b6396dF6B7e2D8a6270E3AB6c7BB08BAEF22E';
const LIMITS = ['--networks', 'unlimited', '--daily-issuances', 'unlimited', '--daily-changes', 'unlimited'];
const ADD = [...IDENTITY, ...LIMITS];

it('`partner add` reads the partner and its limits', () => {
  expect(parse(ADD)).toEqual({
    type: 'add',
    database: ['--local'],
    partner: {
      clientId: 'c1',
      name: 'One',
      gatekeeperNetwork: KEY,
      networks: null,
      dailyIssuances: null,
      dailyChanges: null,
    },
  });
  expect(parse([...ADD, '--networks', 'sepolia, devnet,sepolia', '--lifetime', '3600'])).toMatchObject({
    partner: { networks: ['sepolia', 'devnet'], lifetime: 3600 },
  });
  expect(parse([...ADD, '--daily-issuances', '0'])).toMatchObject({ partner: { dailyIssuances: 0 } });
  expect(parse([...ADD, '--daily-changes', '7'])).toMatchObject({ partner: { dailyChanges: 7 } });
  const contracts = ['--contract', `sepolia=${CONTRACT}`, '--contract', `mainnet=${CONTRACT.toLowerCase()}`];
  expect(parse([...ADD, ...contracts])).toMatchObject({
    partner: { contracts: { sepolia: CONTRACT, mainnet: CONTRACT } },
  });
  expect(parse([...ADD, '--shard', 'DB_12'])).toMatchObject({ partner: { shard: 'DB_12' } });
});

it('`partner set` reads only the named limits', () => {
  expect(parse(['set', 'c1', '--local', '--daily-issuances', '500', '--lifetime', '60'])).toEqual({
    type: 'set',
    clientId: 'c1',
    database: ['--local'],
    settings: { dailyIssuances: 500, lifetime: 60 },
  });
  const none = { networks: null, dailyIssuances: null, dailyChanges: null, lifetime: null, organization: null };
  const all = ['set', 'c1', '--local', ...LIMITS, '--lifetime', 'unlimited', '--organization', 'none'];
  expect(parse(all)).toMatchObject({ settings: none });
  const organization = ['set', 'c1', '--local', '--organization', 'org_1'];
  expect(parse(organization)).toMatchObject({ settings: { organization: 'org_1' } });
});

it('the database options become arguments of wrangler', () => {
  expect(parse(['list', '--local', '--state', '/s']).database).toEqual(['--local', '--persist-to', '/s/wrangler']);
  expect(parse(['list', '--remote']).database).toEqual(['--remote']);
  expect(parse(['suspend', 'c1', '--remote', '--env', 'staging'])).toEqual({
    type: 'suspend',
    clientId: 'c1',
    database: ['--remote', '--env', 'staging'],
  });
});

it.each([
  [[], /outputHelp/],
  [['remove', 'c1', '--local'], /unknown command 'remove'/],
  [['list'], /name one of --local, --remote/],
  [['list', '--local', '--remote'], /name one of --local, --remote/],
  [['list', '--remote', '--state', 'x'], /--state requires --local/],
  [['list', '--local', '--env', 'x'], /--env requires --remote/],
  [['list', '--local', '--nope'], /unknown option '--nope'/],
  [['import', '--local'], /missing required argument 'file'/],
  [['import', 'a', 'b', '--local'], /too many arguments/],
  [['export', '--local'], /missing required argument 'file'/],
  [['export', 'a', 'b', '--local'], /too many arguments/],
  [['suspend', '--local'], /missing required argument 'client-id'/],
  [['suspend', 'a', 'b', '--local'], /too many arguments/],
  [IDENTITY.slice(0, -2), /required option '--gatekeeper-network <key>'/],
  [[...ADD, '--gatekeeper-network', KEY.slice(1)], /32 bytes in base58/],
  [[...ADD, '--gatekeeper-network', `0${KEY.slice(1)}`], /32 bytes in base58/],
  [[...ADD, '--gatekeeper-network', `${'1'.repeat(31)}2`], /the first 24 are not all zero/],
  [[...ADD, '--client-id', ' '], /--client-id.* must not be empty/],
  [[...ADD, '--name', 'a\nb'], /control characters/],
  [[...ADD, '--client-id', 'a'.repeat(257)], /--client-id.* must be printable ASCII/],
  [['suspend', 'a\u00e9', '--local'], /'client-id'.* must be printable ASCII/],
  [[...ADD, '--shard', 'DB_0'], /--shard.* must/],
  [[...ADD, '--shard', 'DB1'], /--shard.* must/],
  [[...ADD, '--shard', 'DB_1x'], /--shard.* must/],
  [[...ADD, '--shard', 'PASS_QUEUE'], /--shard.* must/],
  [[...ADD, '--shard', ''], /--shard.* must/],
  [[...ADD, '--contract', 'sepolia'], /--contract.* must be NETWORK=ADDRESS/],
  [[...ADD, '--contract', `sepolia=${CONTRACT}=`], /--contract.* must be NETWORK=ADDRESS/],
  [[...ADD, '--contract', `sepolia=${CONTRACT.slice(0, -1)}`], /--contract.* must be 0x and 40 hex digits/],
  [[...ADD, '--contract', `sepolia=${CONTRACT.replace('F', 'f')}`], /--contract.* valid checksum/],
  [[...ADD, '--contract', `nowhere=${CONTRACT}`], /"nowhere" is not one of/],
  [[...ADD, '--contract', `devnet=${CONTRACT}`], /it is the program of the network/],
  [
    [...ADD, '--contract', `sepolia=${CONTRACT}`, '--contract', `sepolia=0x${'12'.repeat(20)}`],
    /two contracts on sepolia/,
  ],
  [['set', 'c1', '--local', '--contract', `sepolia=${CONTRACT}`], /unknown option/],
  [[...ADD, '--networks', 'sepolia,nowhere'], /"nowhere" is not one of/],
  [[...ADD, '--networks', ''], /"" is not one of/],
  [[...ADD, '--lifetime', '0'], /whole number/],
  [[...ADD, '--lifetime', '1.5'], /whole number/],
  [[...ADD, '--lifetime', '99999999999999999999'], /whole number/],
  [[...ADD, '--lifetime', ''], /whole number/],
  [[...ADD, '--daily-issuances', '-1'], /whole number/],
  [[...ADD, '--daily-issuances=-1'], /whole number/],
  [[...ADD, '--daily-issuances', '1.5'], /whole number/],
  [[...ADD, '--daily-issuances', '1e3'], /whole number/],
  [[...ADD, '--daily-issuances', ''], /whole number/],
  [[...ADD, '--daily-issuances', 'all'], /whole number/],
  [[...ADD, '--daily-issuances', '5000001'], /whole number/],
  [[...ADD, '--daily-changes', 'none'], /--daily-changes.* must be a whole number/],
  [IDENTITY, /required option '--networks <list>'/],
  [[...IDENTITY, ...LIMITS.slice(0, 2)], /required option '--daily-issuances <number>'/],
  [[...IDENTITY, ...LIMITS.slice(0, 4)], /required option '--daily-changes <number>'/],
  [[...ADD, '--gatekeeper-network', '11111111111111111111111111111112'], /the first 24 are not all zero/],
  [['set', 'c1', '--local'], /set needs at least one of .*--lifetime/],
  [['set', '--local', '--lifetime', '60'], /missing required argument 'client-id'/],
  [['set', 'c1', 'c2', '--local', '--lifetime', '60'], /too many arguments/],
  [['set', 'c1', '--lifetime', '60'], /name one of --local, --remote/],
  [['set', 'c1', '--local', '--lifetime', '0'], /whole number/],
  [['set', 'c1', '--local', '--networks', 'none'], /"none" is not one of/],
  [['set', 'c1', '--local', '--gatekeeper-network', KEY], /unknown option/],
  [['set', 'c1', '--local', '--shard', 'DB_1'], /unknown option/],
  [['network', '--public-verify', 'on', '--local'], /missing required argument 'key'/],
  [['network', KEY, KEY, '--public-verify', 'on', '--local'], /too many arguments/],
  [['network', KEY.slice(1), '--public-verify', 'on', '--local'], /'key'.* must be a public key/],
  [['network', KEY, '--local'], /required option '--public-verify <on\|off>'/],
  [['network', KEY, '--public-verify', 'yes', '--local'], /--public-verify.* Allowed choices are on, off/],
  [['network', KEY, '--public-verify', 'on'], /name one of --local, --remote/],
])('`partner` refuses the arguments %j', (args, complaint) => {
  expect(() => parse(args)).toThrow(complaint);
});

/** A key that derives the slot 1, which is the number of another gatekeeper network. */
const SLOT_1 = `${'1'.repeat(31)}2`;

/** Returns a database with all migrations. */
function migrated(): DatabaseSync {
  const db = new DatabaseSync(':memory:');
  const migrations = new URL('../../../migrations/', import.meta.url);
  for (const file of readdirSync(migrations).sort()) {
    db.exec(readFileSync(new URL(file, migrations), 'utf8'));
  }
  return db;
}

/** Adds a partner like the command. Returns whether the client is new. */
function add(db: DatabaseSync, partner: PartnerRow): boolean {
  const [network, row] = insertPartner(partner);
  db.exec(network);
  return db.prepare(row).all().length === 1;
}

it('`partner set` changes the named limits and keeps the others', () => {
  const db = migrated();
  const listed = () => db.prepare(LIST_PARTNERS).all();
  const UNLIMITED = { networks: null, pass_lifetime_seconds: null, daily_issuances: null, daily_changes: null };
  for (const clientId of ['c1', 'c2']) add(db, { clientId, name: 'One', gatekeeperNetwork: KEY });
  expect(listed()).toMatchObject([UNLIMITED, UNLIMITED]);

  const changed = { dailyIssuances: 0, dailyChanges: 9, networks: ['sepolia'] };
  expect(db.prepare(setSettings('c1', changed)).all()).toHaveLength(1);
  db.exec(setSettings('c1', { lifetime: 60 }));
  const limits = { networks: '["sepolia"]', pass_lifetime_seconds: 60, daily_issuances: 0, daily_changes: 9 };
  const limited = { ...limits, status: 'active' };
  expect(listed()).toMatchObject([limited, UNLIMITED]);

  db.exec(setSettings('c1', { networks: null, lifetime: null, dailyIssuances: null, dailyChanges: null }));
  expect(listed()).toMatchObject([UNLIMITED, UNLIMITED]);
  expect(db.prepare(setSettings('nobody', { lifetime: 60 })).all()).toHaveLength(0);
});

it('`partner` gives an organization to one partner at a time', () => {
  const db = migrated();
  for (const clientId of ['c1', 'c2']) add(db, { clientId, name: 'One', gatekeeperNetwork: KEY });
  db.exec(setSettings('c1', { organization: "o'1" }));
  expect(() => db.exec(setSettings('c2', { organization: "o'1" }))).toThrow(/UNIQUE .*partners\.organization/);
  db.exec(setSettings('c1', { organization: null }));
  db.exec(setSettings('c2', { organization: "o'1" }));
  expect(db.prepare(LIST_PARTNERS).all()).toMatchObject([{ organization: null }, { organization: "o'1" }]);
  expect(() => db.exec(setSettings('c1', { organization: '' }))).toThrow(/CHECK/);
});

it('`partner import` gives an organization back to the partner that has it in the file', () => {
  const db = migrated();
  for (const clientId of ['c1', 'c2']) add(db, { clientId, name: 'One', gatekeeperNetwork: KEY });
  db.exec(setSettings('c1', { organization: 'org' }));
  const file = parseExport(formatExport(EXPORT.map((sql) => db.prepare(sql).all() as never)));
  db.exec(setSettings('c1', { organization: null }));
  db.exec(setSettings('c2', { organization: 'org' }));
  for (const statement of importStatements(file)) db.exec(statement);
  expect(db.prepare(LIST_PARTNERS).all()).toMatchObject([{ organization: 'org' }, { organization: null }]);
});

describe('the shard of a gatekeeper network', () => {
  const OTHER = GATEKEEPER_NETWORKS[1] ?? '';
  const register = (db: DatabaseSync, clientId: string, gatekeeperNetwork: string, shard?: string) =>
    add(db, { clientId, name: clientId, gatekeeperNetwork, ...(shard && { shard }) });
  const shards = (db: DatabaseSync) =>
    db
      .prepare(LIST_PARTNERS)
      .all()
      .map(({ client_id, shard }) => [client_id, shard]);
  const elsewhere = 'the passes of this gatekeeper network are in another shard';

  it('a gatekeeper network stays in the shard of its first partner, by default in the first database', () => {
    const db = migrated();
    register(db, 'c1', KEY);
    register(db, 'c2', OTHER, 'DB_1');
    register(db, 'c3', KEY);
    register(db, 'c4', OTHER);
    register(db, 'c5', OTHER, 'DB_1');
    expect(shards(db)).toEqual([
      ['c1', 'DB'],
      ['c2', 'DB_1'],
      ['c3', 'DB'],
      ['c4', 'DB_1'],
      ['c5', 'DB_1'],
    ]);
  });

  it('the database refuses to add a partner in another shard and to move a gatekeeper network', () => {
    const db = migrated();
    register(db, 'c1', KEY);
    register(db, 'c2', OTHER, 'DB_1');
    const before = shards(db);
    for (const shard of ['DB_1', 'DB_2']) expect(() => register(db, 'c3', KEY, shard)).toThrow(elsewhere);
    const move = db.prepare("UPDATE gatekeeper_networks SET shard = 'DB_2' WHERE key = ?");
    for (const key of [KEY, OTHER]) expect(() => move.run(key)).toThrow(elsewhere);
    for (const change of [`DELETE FROM gatekeeper_networks`, `UPDATE gatekeeper_networks SET key = 'x'`]) {
      expect(() => db.exec(`${change} WHERE key = '${KEY}'`)).toThrow('FOREIGN KEY');
    }
    for (const shard of [' ', 'PASS_QUEUE', 'DB_0', 'DB_1x', 'db_1', 'DB_x1']) {
      expect(() => register(db, 'c3', 'another', shard)).toThrow('CHECK');
    }
    expect(shards(db)).toEqual(before);
    db.exec(setSettings('c2', { lifetime: 60 }));
    db.exec(setStatus('c2', 'suspended'));
    db.exec(`UPDATE gatekeeper_networks SET shard = 'DB_1', public_verify = 1 WHERE key = '${OTHER}'`);
  });

  it('the database refuses a gatekeeper network whose slot could be the number of another one', () => {
    const db = migrated();
    register(db, 'c1', KEY);
    const largest = `${'1'.repeat(24)}jpXCZedGfVQ`;
    for (const key of [SLOT_1, '1'.repeat(32), largest]) {
      const complaint = 'the slot of this gatekeeper network could be the number of another one';
      expect(() => register(db, 'c2', key)).toThrow(complaint);
      db.exec("INSERT OR IGNORE INTO gatekeeper_networks (key) VALUES ('unused')");
      expect(() => db.exec(`UPDATE gatekeeper_networks SET key = '${key}' WHERE key = 'unused'`)).toThrow(complaint);
    }
    expect(register(db, 'c2', base58.encode(new Uint8Array(32).fill(1, 23)))).toBe(true);
  });

  it('`partner add` adds no gatekeeper network if the client already exists', () => {
    const db = migrated();
    register(db, 'c1', KEY);
    expect(register(db, 'c1', OTHER, 'DB_1')).toBe(false);
    expect(db.prepare('SELECT key FROM gatekeeper_networks').all()).toMatchObject([{ key: KEY }]);
  });
});

it('`partner network` switches the public checks of a registered gatekeeper network, up to a bound', () => {
  const db = migrated();
  add(db, { clientId: 'c1', name: 'One', gatekeeperNetwork: KEY });
  const isPublic = () => db.prepare(LIST_PARTNERS).all()[0]?.public_verify;
  const change = (key: string, on: boolean) => db.prepare(setPublicVerify(key, on)).all().length;
  expect(isPublic()).toBe(0);
  expect([change(KEY, true), isPublic(), change(KEY, true), change(KEY, false), isPublic()]).toEqual([1, 1, 1, 1, 0]);
  expect(change("unknown' OR 1 --", true)).toBe(0);
  db.exec(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${PUBLIC_NETWORKS_MAX})
    INSERT INTO gatekeeper_networks (key, public_verify) SELECT 'key ' || i, 1 FROM n`);
  expect([change(KEY, true), change('key 1', true), change('key 1', false), change(KEY, true)]).toEqual([0, 1, 1, 1]);
});

it('the SQL escapes every text field of a partner', () => {
  const db = migrated();
  const awkward = `O'Hara"; DROP TABLE partners; -- '' \\ %`;
  const partner = {
    clientId: awkward,
    name: awkward,
    gatekeeperNetwork: KEY,
    networks: ['sepolia'],
    lifetime: 60,
    dailyIssuances: 500,
  };

  expect(add(db, partner)).toBe(true);
  expect(add(db, partner)).toBe(false);
  expect(db.prepare(setStatus(awkward, 'suspended')).all()).toHaveLength(1);
  expect(db.prepare(setStatus('nobody', 'suspended')).all()).toHaveLength(0);
  expect(db.prepare(LIST_PARTNERS).all()).toMatchObject([
    { client_id: awkward, name: awkward, networks: '["sepolia"]', pass_lifetime_seconds: 60, daily_issuances: 500 },
  ]);
  expect(db.prepare(LIST_PARTNERS).all()).toMatchObject([{ status: 'suspended' }]);
});

describe('an export of partners', () => {
  const exportOf = (db: DatabaseSync) => formatExport(EXPORT.map((sql) => db.prepare(sql).all()));
  const importInto = (db: DatabaseSync, file: string) => {
    for (const statement of importStatements(parseExport(file))) db.exec(statement);
  };
  function aDatabase(): DatabaseSync {
    const db = migrated();
    add(db, { clientId: `O'Hara; --`, name: '"', gatekeeperNetwork: KEY, networks: ['sepolia'], lifetime: 60 });
    add(db, { clientId: 'c2', name: 'Two', gatekeeperNetwork: GATEKEEPER_NETWORKS[1] ?? '', shard: 'DB_1' });
    db.exec("UPDATE gatekeeper_networks SET public_verify = 1 WHERE shard = 'DB_1'");
    db.exec("UPDATE partners SET created_at = 1, daily_issuances = 0, status = 'suspended' WHERE client_id = 'c2'");
    return db;
  }

  it('restores the exported content in an empty database, and changes nothing when imported again', () => {
    const [from, to] = [aDatabase(), migrated()];
    importInto(to, exportOf(from));
    expect(exportOf(to)).toBe(exportOf(from));
    importInto(to, exportOf(from));
    expect(exportOf(to)).toBe(exportOf(from));
  });

  it('restores suspensions and limits that a database restore has undone, and does not change other partners', () => {
    const [now, restored] = [aDatabase(), aDatabase()];
    restored.exec("UPDATE partners SET status = 'active', name = 'Old', daily_issuances = NULL");
    restored.exec('UPDATE gatekeeper_networks SET public_verify = 0');
    add(restored, { clientId: 'c3', name: 'Three', gatekeeperNetwork: KEY });
    importInto(restored, exportOf(now));
    const isOther = "WHERE client_id = 'c3'";
    expect(restored.prepare(`SELECT name FROM partners ${isOther}`).all()).toEqual([{ name: 'Three' }]);
    restored.exec(`DELETE FROM partners ${isOther}`);
    expect(exportOf(restored)).toBe(exportOf(now));
  });

  it('fails to import if it would move a gatekeeper network to another shard', () => {
    const [from, to] = [aDatabase(), migrated()];
    add(to, { clientId: 'c2', name: 'Two', gatekeeperNetwork: GATEKEEPER_NETWORKS[1] ?? '', shard: 'DB_2' });
    expect(() => importInto(to, exportOf(from))).toThrow('in another shard');
  });

  it.each([
    ['', /not an export/],
    ['{"partners": []}', /see gatekeeper_networks/],
    ['{"gatekeeper_networks": [{"key": "a", "shard": "PASS_QUEUE", "public_verify": 0}], "partners": []}', /0\.shard/],
    [`{"gatekeeper_networks": [{"key": "${SLOT_1}", "shard": "DB", "public_verify": 0}], "partners": []}`, /0\.key/],
    ['{"gatekeeper_networks": [], "partners": [{"client_id": "a"}]}', /see partners\.0\.name/],
  ])('fails to import if its text is %s', (text, complaint) => {
    expect(() => parseExport(text)).toThrow(complaint);
  });
});

describe('the command on a local database', () => {
  const state = openPreparedState(inject('preparedState'));
  afterAll(() => state.close());
  const database = new LocalDatabase(state.folder);
  const partner = (...args: string[]) => runCommand(runPartnerCommand, [...args, '--local', '--state', state.folder]);

  it('switches public checks', async () => {
    const [key = ''] = GATEKEEPER_NETWORKS.slice(1);
    const on = await partner('network', key, '--public-verify', 'on');
    expect(on).toMatchObject({ code: 0, printed: expect.stringContaining(`public checks of ${key} are on`) });
    expect((await partner('list')).printed).toMatch(/globex .* on +active/);
    const unknown = await partner('network', base58.encode(new Uint8Array(32).fill(9)), '--public-verify', 'on');
    expect(unknown).toMatchObject({
      code: 1,
      printed: expect.stringContaining('no partner has the gatekeeper network'),
    });
  });

  it('says how to correct what the database refuses', async () => {
    expect(await partner('set', 'acme', '--organization', 'org')).toMatchObject({ code: 0 });
    expect(await partner('set', 'globex', '--organization', 'org')).toMatchObject({
      code: 1,
      printed: expect.stringMatching(/^another partner has this --organization: see `list`\n$/),
    });
    const command = [process.execPath, 'ops/partner.ts', 'list', '--local', '--state', join(state.folder, 'empty')];
    expect(await runProgram(command, {})).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^the tables are missing or belong to an earlier release: /),
    });
  });

  it('imports what it exported, and never overwrites an export', async () => {
    const file = join(state.folder, 'partners.json');
    const statuses = () => database.rows("SELECT status FROM partners WHERE client_id = 'acme'");
    expect(await partner('export', file)).toMatchObject({ code: 0, printed: expect.stringContaining('exported') });
    expect(await partner('suspend', 'acme')).toMatchObject({ code: 0 });
    expect(statuses()).toEqual([{ status: 'suspended' }]);
    const text = readFileSync(file, 'utf8');
    expect(await partner('export', file)).toMatchObject({ code: 2, printed: expect.stringContaining('a new file') });
    expect(readFileSync(file, 'utf8')).toBe(text);

    expect(await partner('import', file)).toMatchObject({ code: 0, printed: expect.stringContaining('imported') });
    expect(statuses()).toEqual([{ status: 'active' }]);
  });
});
