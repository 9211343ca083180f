import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { base58 } from '@scure/base';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { partnerCommand } from '../../../ops/partner/commands.ts';
import { parseExport } from '../../../ops/partner/file.ts';
import { runPartnerCommand } from '../../../ops/partner.ts';
import { newSandbox } from '../../../src/network/sandbox.ts';
import { LOCALNET_FILE } from '../../../terminal/option-values.ts';
import { GATEKEEPER_NETWORKS } from '../../../tools/localnet/oauth/partners.ts';
import { parseCommand } from '../../parse-command.ts';
import { runProgram } from '../run-program.ts';
import { runCommand } from './run-command.ts';

const KEY = GATEKEEPER_NETWORKS[0] ?? '';
const parse = (args: readonly string[]) => parseCommand(partnerCommand, args);
const IDENTITY = ['add', '--local', '--client-id', 'c1', '--name', 'One', '--gatekeeper-network', KEY];
const SERVICE = { environment: undefined, localnet: LOCALNET_FILE, secrets: undefined, url: undefined };
const CONTRACT = '0xF65b6396dF6B7e2D8a6270E3AB6c7BB08BAEF22E';
const LIMITS = ['--networks', 'unlimited', '--daily-issuances', 'unlimited', '--daily-changes', 'unlimited'];
const ADD = [...IDENTITY, ...LIMITS];

it('`partner add` reads the partner and its limits', () => {
  expect(parse(ADD)).toEqual({
    type: 'add',
    service: SERVICE,
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
    partner: { networks: ['sepolia', 'devnet'], passLifetime: 3600 },
  });
  expect(parse([...ADD, '--daily-issuances', '0'])).toMatchObject({ partner: { dailyIssuances: 0 } });
  expect(parse([...ADD, '--daily-changes', '7'])).toMatchObject({ partner: { dailyChanges: 7 } });
  const contracts = ['--contract', `sepolia=${CONTRACT}`, '--contract', `mainnet=${CONTRACT.toLowerCase()}`];
  expect(parse([...ADD, ...contracts])).toMatchObject({
    partner: { contracts: { sepolia: CONTRACT, mainnet: CONTRACT } },
  });
  expect(parse([...ADD, '--shard', 'DB_12'])).toMatchObject({ partner: { shard: 'DB_12' } });
});

it('`partner add --sandbox` needs neither a key nor limits, and keeps the given ones', () => {
  const sandbox = [...IDENTITY.slice(0, -2), '--sandbox'];
  const partner = {
    clientId: 'c1',
    name: 'One',
    sandbox: true,
    networks: null,
    dailyIssuances: null,
    dailyChanges: null,
  };
  expect(parse(sandbox)).toEqual({ type: 'add', service: SERVICE, partner });
  const key = newSandbox();
  expect(parse([...sandbox, '--gatekeeper-network', key, '--daily-issuances', '3', '--networks', 'sepolia'])).toEqual({
    ...{ type: 'add', service: SERVICE },
    partner: { ...partner, gatekeeperNetwork: key, dailyIssuances: 3, networks: ['sepolia'] },
  });
});

it('`partner set` reads only the named limits', () => {
  expect(parse(['set', 'c1', '--local', '--daily-issuances', '500', '--lifetime', '60'])).toEqual({
    type: 'set',
    clientId: 'c1',
    service: SERVICE,
    settings: { dailyIssuances: 500, passLifetime: 60 },
  });
  const none = { networks: null, dailyIssuances: null, dailyChanges: null, passLifetime: null, organization: null };
  const all = ['set', 'c1', '--local', ...LIMITS, '--lifetime', 'unlimited', '--organization', 'none'];
  expect(parse(all)).toMatchObject({ settings: none });
  const organization = ['set', 'c1', '--local', '--organization', 'org_1'];
  expect(parse(organization)).toMatchObject({ settings: { organization: 'org_1' } });
});

it('`partner rules` reads only the named rules, and shows all of them without one', () => {
  const rules = (...args: string[]) => parse(['rules', KEY, '--local', ...args]);
  const change = { type: 'rules', service: SERVICE, gatekeeperNetwork: KEY };
  expect(rules()).toEqual({ ...change, type: 'show-rules' });
  expect(rules('--subject-max-passes', '1', '--reason', 'one person')).toEqual({
    ...change,
    change: { subjectMaxPasses: 1, reason: 'one person' },
  });
  const others = ['--subject-max-passes-per-network', '1000', '--subject-required', 'off'];
  expect(rules(...others, '--subject-max-passes', 'none')).toMatchObject({
    change: { subjectMaxPasses: null, subjectMaxPassesPerNetwork: 1000, subjectRequired: false },
  });
});

it('the options name the service', () => {
  expect(parse(['list', '--local', '--localnet', '/f.json']).service).toEqual({ ...SERVICE, localnet: '/f.json' });
  const url = ['--url', 'https://api.acme.io/partner/'];
  expect(parse(['suspend', 'c1', '--env', 'staging', ...url, '--reason', 'stolen'])).toEqual({
    type: 'suspend',
    clientId: 'c1',
    service: { ...SERVICE, environment: 'staging', url: 'https://api.acme.io/partner' },
    reason: 'stolen',
  });
});

it.each([
  [[], /outputHelp/],
  [['remove', 'c1', '--local'], /unknown command 'remove'/],
  [['list'], /name one of --local, --env/],
  [['list', '--local', '--env', 'x'], /name one of --local, --env/],
  [['list', '--env', 'x', '--localnet', 'y'], /--localnet requires --local/],
  [['list', '--local', '--url', 'ftp://x'], /--url must be like/],
  [['list', '--local', '--nope'], /unknown option '--nope'/],
  [['import', '--local'], /missing required argument 'file'/],
  [['import', 'a', 'b', '--local'], /too many arguments/],
  [['export', '--local'], /missing required argument 'file'/],
  [['export', 'a', 'b', '--local'], /too many arguments/],
  [['suspend', '--local'], /missing required argument 'client-id'/],
  [['suspend', 'a', 'b', '--local'], /too many arguments/],
  [[...IDENTITY.slice(0, -2), ...LIMITS], /--gatekeeper-network must begin .*: see --sandbox/],
  [[...ADD, '--sandbox'], /--gatekeeper-network must begin with "sandbox"/],
  [[...ADD, '--gatekeeper-network', newSandbox()], /--gatekeeper-network must begin .* only if/],
  [['set', 'c1', '--local', '--sandbox'], /unknown option '--sandbox'/],
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
  [[...ADD, '--contract', `sepolia=${CONTRACT.replace('F', 'f')}`], /--contract.* valid EIP-55 checksum/],
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
  [[...ADD, '--reason', 'a\u202eb'], /--reason.* control characters/],
  [[...ADD, '--client-id', 'export'], /--client-id.* must not be one of/],
  [[...ADD, '--name', 'a'.repeat(201)], /--name.* at most 200 characters/],
  [['set', 'c1', '--local', '--reason', 'x'], /set needs at least one of/],
  [IDENTITY, /required option '--networks <list>'/],
  [[...IDENTITY, ...LIMITS.slice(0, 2)], /required option '--daily-issuances <number>'/],
  [[...IDENTITY, ...LIMITS.slice(0, 4)], /required option '--daily-changes <number>'/],
  [[...ADD, '--gatekeeper-network', '11111111111111111111111111111112'], /the first 24 are not all zero/],
  [['set', 'c1', '--local'], /set needs at least one of .*--lifetime/],
  [['set', '--local', '--lifetime', '60'], /missing required argument 'client-id'/],
  [['set', 'c1', 'c2', '--local', '--lifetime', '60'], /too many arguments/],
  [['set', 'c1', '--lifetime', '60'], /name one of --local, --env/],
  [['set', 'c1', '--local', '--lifetime', '0'], /whole number/],
  [['set', 'c1', '--local', '--networks', 'none'], /"none" is not one of/],
  [['set', 'c1', '--local', '--gatekeeper-network', KEY], /unknown option/],
  [['set', 'c1', '--local', '--shard', 'DB_1'], /unknown option/],
  [['network', '--public-verify', 'on', '--local'], /missing required argument 'key'/],
  [['network', KEY, KEY, '--public-verify', 'on', '--local'], /too many arguments/],
  [['network', KEY.slice(1), '--public-verify', 'on', '--local'], /'key'.* must be a public key/],
  [['network', KEY, '--local'], /required option '--public-verify <on\|off>'/],
  [['network', KEY, '--public-verify', 'yes', '--local'], /--public-verify.* Allowed choices are on, off/],
  [['network', KEY, '--public-verify', 'on'], /name one of --local, --env/],
  [['rules', '--local'], /missing required argument 'key'/],
  [['rules', KEY, KEY, '--local'], /too many arguments/],
  [['rules', KEY.slice(1), '--local'], /'key'.* must be a public key/],
  [['rules', KEY, '--local', '--subject-max-passes', '0'], /--subject-max-passes .* whole number from 1 to 1000/],
  [['rules', KEY, '--local', '--subject-max-passes', '1001'], /whole number from 1 to 1000/],
  [['rules', KEY, '--local', '--subject-max-passes', 'null'], /whole number from 1 to 1000/],
  [['rules', KEY, '--local', '--subject-max-passes-per-network', '1.5'], /-per-network .* whole number from 1 to 1000/],
  [['rules', KEY, '--local', '--subject-max-passes-per-network', ''], /whole number from 1 to 1000/],
  [['rules', KEY, '--local', '--subject-required', 'none'], /--subject-required.* Allowed choices are on, off/],
  [
    ['rules', KEY, '--local', '--reason', 'x'],
    /a change needs at least one of --subject-max-passes, .*--subject-required/,
  ],
  [['rules', KEY, '--local', '--dry-run'], /a change needs at least one of/],
  [['rules', KEY, '--subject-max-passes', '1'], /name one of --local, --env/],
])('`partner` refuses the arguments %j', (args, complaint) => {
  expect(() => parse(args)).toThrow(complaint);
});

/** A key that derives the slot 1, which is the number of another gatekeeper network. */
const SLOT_1 = `${'1'.repeat(31)}2`;

/** Returns a database with all migrations. */
function migrated(): DatabaseSync {
  const db = new DatabaseSync(':memory:');
  const migrations = new URL('../../../migrations/', import.meta.url);
  for (const file of readdirSync(migrations).sort()) db.exec(readFileSync(new URL(file, migrations), 'utf8'));
  return db;
}

/** The last line of defense, for a release with a fault or an operator with a query. */
describe('the rules of the database', () => {
  const addNetwork = (db: DatabaseSync, key: string, shard = 'DB') =>
    db.prepare('INSERT INTO gatekeeper_networks (key, shard) VALUES (?, ?)').run(key, shard);

  it('the database lets only a move change the shard of a gatekeeper network, and refuses shards that no binding can have', () => {
    const db = migrated();
    addNetwork(db, KEY, 'DB_1');
    db.prepare('INSERT INTO partners (client_id, name, gatekeeper_network) VALUES (?, ?, ?)').run('c1', 'One', KEY);
    const move = db.prepare("UPDATE gatekeeper_networks SET shard = 'DB_2' WHERE key = ?");
    expect(() => move.run(KEY)).toThrow('the passes of this gatekeeper network are in another shard');
    for (const change of ['DELETE FROM gatekeeper_networks', "UPDATE gatekeeper_networks SET key = 'x'"])
      expect(() => db.exec(change)).toThrow('FOREIGN KEY');
    for (const shard of [' ', 'PASS_QUEUE', 'DB_0', 'DB_1x', 'db_1', 'DB_x1'])
      expect(() => addNetwork(db, 'another', shard)).toThrow('CHECK');
    db.exec("UPDATE gatekeeper_networks SET shard = 'DB_1', public_verify = 1");
    const byMove = db.prepare("UPDATE gatekeeper_networks SET shard = 'DB_2', moves = moves + 1 WHERE key = ?");
    expect(byMove.run(KEY).changes).toBe(1);
  });

  it('the database refuses a gatekeeper network whose slot could be the number of another one', () => {
    const db = migrated();
    const largest = `${'1'.repeat(24)}jpXCZedGfVQ`;
    addNetwork(db, 'unused');
    for (const key of [SLOT_1, '1'.repeat(32), largest]) {
      const complaint = 'the slot of this gatekeeper network could be the number of another one';
      expect(() => addNetwork(db, key)).toThrow(complaint);
      expect(() => db.exec(`UPDATE gatekeeper_networks SET key = '${key}' WHERE key = 'unused'`)).toThrow(complaint);
    }
    addNetwork(db, base58.encode(new Uint8Array(32).fill(1, 23)));
  });

  it('the database refuses an organization twice, and an empty one', () => {
    const db = migrated();
    addNetwork(db, KEY);
    const insert = db.prepare(
      'INSERT INTO partners (client_id, name, gatekeeper_network, organization) VALUES (?, ?, ?, ?)',
    );
    insert.run('c1', 'One', KEY, 'org');
    expect(() => insert.run('c2', 'Two', KEY, 'org')).toThrow(/UNIQUE .*partners\.organization/);
    expect(() => insert.run('c2', 'Two', KEY, '')).toThrow('CHECK');
  });
});

it.each([
  ['', /not an export/],
  ['{"partners": []}', /see gatekeeper_networks/],
  [
    `{"gatekeeper_networks": [{"key": "${KEY}", "shard": "PASS_QUEUE", "public_verify": 0}], "partners": []}`,
    /0\.shard/,
  ],
  [`{"gatekeeper_networks": [{"key": "${SLOT_1}", "shard": "DB", "public_verify": 0}], "partners": []}`, /0\.key/],
  ['{"gatekeeper_networks": [], "partners": [{"client_id": "a"}]}', /see partners\.0\.name/],
])('`partner import` refuses the file %s', (text, complaint) => {
  expect(() => parseExport(text)).toThrow(complaint);
});

describe('the command with a running service', () => {
  const facts = inject('gatepass');
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-partner-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const localnet = join(folder, 'localnet.json');
  writeFileSync(localnet, JSON.stringify(facts));
  const partner = (...args: string[]) => runCommand(runPartnerCommand, [...args, '--local', '--localnet', localnet]);
  const aKey = () => base58.encode(crypto.getRandomValues(new Uint8Array(32)));
  const add = (clientId: string, key: string, ...more: string[]) =>
    partner('add', '--client-id', clientId, '--name', clientId, '--gatekeeper-network', key, ...LIMITS, ...more);
  const lineOf = async (clientId: string) =>
    (await partner('list')).lines.find((line) => line.startsWith(`${clientId} `));

  it('adds a partner, changes, suspends and resumes it, and lists it', async () => {
    const key = aKey();
    expect(await add('initech', key, '--lifetime', '60')).toMatchObject({
      code: 0,
      printed: 'added initech (initech)\n',
    });
    expect(await lineOf('initech')).toMatch(
      / DB +none yet +unlimited +60 s +unlimited +unlimited +none +none +off +active$/,
    );
    const set = await partner('set', 'initech', '--daily-changes', '7', '--organization', 'org_initech');
    expect(set).toMatchObject({ code: 0, printed: 'changed initech\n' });
    expect(await partner('suspend', 'initech', '--reason', 'a test')).toMatchObject({ code: 0 });
    expect(await partner('network', key, '--public-verify', 'on')).toMatchObject({
      code: 0,
      printed: `public checks of ${key} are on\n`,
    });
    expect(await lineOf('initech')).toMatch(/ 60 s +unlimited +7 +org_initech +none +on +suspended$/);
    expect(await partner('resume', 'initech')).toMatchObject({ code: 0, printed: 'initech is active\n' });
    expect(await lineOf('initech')).toMatch(/ active$/);
  });

  it('adds a partner in a new sandbox and a second one there, prints its key, and refuses public checks', async () => {
    const sandbox = (clientId: string, ...more: string[]) =>
      partner('add', '--client-id', clientId, '--name', clientId, '--sandbox', ...more);
    const planned = await sandbox('tyrell', '--dry-run');
    expect(planned).toMatchObject({ code: 0, printed: expect.stringContaining('"sandbox":true') });
    const { code, printed } = await sandbox('tyrell');
    expect([code, printed]).toEqual([
      0,
      expect.stringMatching(/^added tyrell \(tyrell\) in the sandbox sandbox\w{36}\n$/),
    ]);
    const key = /sandbox\w{36}/.exec(printed)?.[0] ?? '';
    expect(await sandbox('wallace', '--gatekeeper-network', key, '--daily-issuances', '9')).toMatchObject({
      printed: `added wallace (wallace) in the sandbox ${key}\n`,
    });
    expect(await lineOf('tyrell')).toMatch(
      / sandbox\w{36} .* unlimited +unlimited +unlimited +unlimited +none +none +never +active$/,
    );
    expect(await lineOf('wallace')).toMatch(/ unlimited +unlimited +9 +unlimited +none +none +never +active$/);
    expect(await partner('network', key, '--public-verify', 'on')).toMatchObject({
      code: 2,
      printed: expect.stringContaining('a sandbox has no public checks'),
    });
  });

  it('shows the rules for subjects, changes only the named ones, and none by wrong input', async () => {
    const key = newSandbox();
    await partner('add', '--client-id', 'weyland', '--name', 'weyland', '--sandbox', '--gatekeeper-network', key);
    const rules = async (...args: string[]) => {
      const { code, printed } = await partner('rules', key, ...args);
      return [code, printed];
    };
    const shown = (words: string) => [0, `rules of ${key} for subjects: ${words}\n`];
    expect(await rules()).toEqual(shown('none'));
    const planned = await rules('--subject-max-passes', '3', '--dry-run');
    expect(planned).toEqual([0, expect.stringContaining(`PATCH /admin/gatekeeper-networks/${key}/rules {"subjectMax`)]);
    expect(await rules()).toEqual(shown('none'));
    expect(await rules('--subject-max-passes', '3', '--subject-required', 'on')).toEqual(
      shown('subjectMaxPasses=3,subjectRequired=true'),
    );
    const wrong = await rules('--subject-max-passes', '1', '--subject-max-passes-per-network', '0');
    expect(wrong).toEqual([2, expect.stringContaining('whole number from 1 to 1000')]);
    expect(await rules('--subject-max-passes-per-network', '1', '--reason', 'a test')).toEqual(
      shown('subjectMaxPasses=3,subjectRequired=true,subjectMaxPassesPerNetwork=1'),
    );
    expect(await lineOf('weyland')).toMatch(
      / subjectMaxPasses=3,subjectRequired=true,subjectMaxPassesPerNetwork=1 +never +active$/,
    );
    expect(await rules('--subject-max-passes', 'none', '--subject-required', 'off')).toEqual(
      shown('subjectRequired=false,subjectMaxPassesPerNetwork=1'),
    );
    expect(await rules()).toEqual(shown('subjectRequired=false,subjectMaxPassesPerNetwork=1'));
  });

  it('prints one line about a refusal of the service, with the exit code 2 for wrong input', async () => {
    await add('umbrella', aKey(), '--organization', 'org_umbrella');
    await add('hooli', aKey());
    for (const [args, code, complaint] of [
      [['set', 'hooli', '--organization', 'org_umbrella'], 1, /answered 409: Another partner has this organization/],
      [['suspend', 'nobody'], 1, /answered 404: No partner has this client id/],
      [['network', aKey(), '--public-verify', 'on'], 1, /answered 404: No partner has this gatekeeper network/],
      [['rules', aKey(), '--subject-max-passes', '1'], 1, /answered 404: No partner has this gatekeeper network/],
      [['rules', aKey()], 1, /^no partner has the gatekeeper network \w+: /],
    ] as const) {
      const { code: given, lines } = await partner(...args);
      expect([given, lines.filter(Boolean)]).toEqual([code, [expect.stringMatching(complaint)]]);
    }
    const again = await add('umbrella', aKey());
    expect(again).toMatchObject({ code: 1, printed: expect.stringContaining('already has this client id') });
    const unbound = await add('initrode', aKey(), '--shard', 'DB_7');
    expect(unbound).toMatchObject({ code: 2, printed: expect.stringContaining('/shard is not bound') });
    const ofConsole = await add('console', aKey());
    expect(ofConsole).toMatchObject({
      code: 2,
      printed: expect.stringContaining('/clientId is the client of the console'),
    });
  });

  it('imports what it exported, and never overwrites an export', async () => {
    const file = join(folder, 'partners.json');
    await add('soylent', aKey());
    expect(await partner('export', file)).toMatchObject({ code: 0, printed: expect.stringContaining('exported') });
    expect(await partner('suspend', 'soylent')).toMatchObject({ code: 0 });
    const text = readFileSync(file, 'utf8');
    expect(await partner('export', file)).toMatchObject({ code: 2, printed: expect.stringContaining('a new file') });
    expect(readFileSync(file, 'utf8')).toBe(text);
    // Only this partner: others may change meanwhile.
    const { gatekeeper_networks, partners } = parseExport(text);
    const own = partners.filter(({ client_id }) => client_id === 'soylent');
    const networks = gatekeeper_networks.filter(({ key }) => key === own[0]?.gatekeeper_network);
    writeFileSync(join(folder, 'own.json'), JSON.stringify({ gatekeeper_networks: networks, partners: own }));
    const imported = await partner('import', join(folder, 'own.json'), '--reason', 'after a restore');
    expect(imported).toMatchObject({
      code: 0,
      printed: expect.stringMatching(/^imported 1 partners\nthese partners .*acme/),
    });
    expect(await lineOf('soylent')).toMatch(/ active$/);
  });

  it('runs as a program, and says which credentials it needs', async () => {
    const command = (...args: string[]) => [process.execPath, 'ops/partner.ts', ...args];
    const listed = await runProgram(command('list', '--local', '--localnet', localnet), {});
    expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining('acme')]);
    const missing = await runProgram(command('list', '--env', 'example'), {});
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringMatching(/^set GATEPASS_TOKEN, or [^\n]*\n$/)]);
  });

  it('fails with one line if the token lacks the right', async () => {
    const GATEPASS_TOKEN = 'no.valid.token';
    const command = [process.execPath, 'ops/partner.ts', 'list', '--env', 'example', '--url', facts.baseUrl ?? ''];
    const { code, stderr } = await runProgram(command, { GATEPASS_TOKEN });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^GET [^\n]* answered 401: [^\n]*\n$/)]);
  });
});
