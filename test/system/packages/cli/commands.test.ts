import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { freshWallet } from '../../../../tools/localnet/partner/fresh-wallet.ts';
import { gatepass, settingsOf, spawnGatepass } from './gatepass-command.ts';

/** The commands beside CSV runs, as a new user tries them. */

const facts = inject('gatepass');
const settings = settingsOf(facts);
const folder = mkdtempSync(join(tmpdir(), 'gatepass-command-'));
afterAll(() => rmSync(folder, { recursive: true }));

const linesOf = (text: string) => text.trim().split('\n');
const recordsOf = (text: string) => linesOf(text).map((line) => JSON.parse(line));

it('issues, changes, prints and finds a pass', async () => {
  const wallet = freshWallet('sepolia');
  const about = [wallet, '--network', 'sepolia'];
  const issued = await spawnGatepass(['issue', ...about, '--expires', '2090-01-01', '--json'], settings);
  expect(recordsOf(issued.stdout)).toMatchObject([{ onChainState: 'ACTIVE', expiryTimestamp: 3_786_912_000 }]);
  expect((await spawnGatepass(['freeze', ...about], settings)).stdout).toMatch(
    / {2}sepolia {2}FROZEN {2}on chain FROZEN {2}0x/,
  );
  const shown = (await spawnGatepass(['get', wallet], settings)).stdout;
  expect(shown).toMatch(
    /^network +wallet +state +on chain +valid +expires +last event\nsepolia .* FROZEN +FROZEN +no +2090-01-01T/,
  );
  expect(shown).toContain('TOKEN_ISSUED_INITIATED');
  const found = await spawnGatepass(['search', '--state', 'FROZEN', '--wallet', wallet, '--json'], settings);
  expect(recordsOf(found.stdout)).toMatchObject([{ walletAddress: wallet }]);
  const onSepolia = ['search', '--network', 'sepolia', '--wallet', wallet, '--json'];
  expect(recordsOf((await gatepass(onSepolia, settings)).stdout)).toMatchObject([{ walletAddress: wallet }]);
  const elsewhere = await gatepass(['search', '--network', 'mainnet', '--wallet', wallet], settings);
  expect(elsewhere).toMatchObject({ code: 0, stdout: '', stderr: 'no passes\n' });

  const csv = join(folder, 'found.csv');
  const search = ['search', '--wallet', wallet, '--csv', csv];
  expect(await gatepass(search, settings)).toMatchObject({ code: 0, stderr: `1 passes in ${csv}\n` });
  expect(await gatepass(search, settings)).toMatchObject({
    code: 2,
    stderr: `${csv} exists: name a new file with --csv\n`,
  });
  const revoked = await gatepass(['revoke', '--csv', csv, '--yes'], settings);
  expect(revoked).toMatchObject({ code: 0, stdout: expect.stringContaining('settled: 1\n') });
  const again = await spawnGatepass(['issue', ...about], settings);
  expect(again).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^409 pass_revoked: .*\n$/) });
});

it('says that a network has ended, for one pass and for each row of a file', async () => {
  const wallet = freshWallet('sepolia');
  const refusal = /network_ended: polygonZKEVM ended on 2026-07-01/;
  expect(await gatepass(['issue', wallet, '--network', 'polygonZKEVM'], settings)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(refusal),
  });
  const csv = join(folder, 'ended.csv');
  writeFileSync(csv, `walletAddress,network\n${wallet},polygonZKEVM\n${wallet},sepolia\n`);
  const results = join(folder, 'ended.results.csv');
  const run = await gatepass(['issue', '--csv', csv, '--results', results], settings);
  expect(run).toMatchObject({ code: 1, stdout: expect.stringContaining('settled: 1\n') });
  expect(readFileSync(results, 'utf8')).toMatch(refusal);
});

it('issues with a reference, finds, changes and removes it, also from a file', async () => {
  const wallet = freshWallet('sepolia');
  const about = [wallet, '--network', 'sepolia'];
  const reference = `=order ${wallet}`;
  const issued = await gatepass(['issue', ...about, '--reference', reference, '--json'], settings);
  expect(recordsOf(issued.stdout)).toMatchObject([{ onChainState: 'ACTIVE', reference }]);
  const differs = await gatepass(['issue', ...about, '--reference', 'other'], settings);
  expect(differs).toMatchObject({ code: 1, stderr: expect.stringMatching(/^409 reference_differs: .*set-reference/) });
  expect((await gatepass(['get', ...about], settings)).stdout).toMatch(
    /^network .* reference +last event\n.* =order 0x/,
  );

  const csv = join(folder, 'references.csv');
  const found = await gatepass(['search', '--reference', reference, '--csv', csv], settings);
  expect(found.stderr).toBe(`1 passes in ${csv}\n`);
  const results = join(folder, 'references.results.csv');
  const settled = expect.stringContaining('settled: 1\n');
  for (const verb of ['issue', 'set-reference'])
    expect(await gatepass([verb, '--csv', csv, '--results', `${results}.${verb}`], settings)).toMatchObject({
      code: 0,
      stdout: settled,
    });

  const renamed = await gatepass(['set-reference', ...about, '--reference', 'order 2', '--json'], settings);
  expect(recordsOf(renamed.stdout)).toMatchObject([{ reference: 'order 2', state: 'ACTIVE' }]);
  // The file has the earlier name, and its result too, so it is not sent again. With another name for all rows, it is.
  const same = await gatepass(['set-reference', '--csv', csv, '--results', `${results}.set-reference`], settings);
  expect(same.stderr).toContain('nothing to send');
  const removal = ['set-reference', '--csv', csv, '--results', `${results}.set-reference`, '--remove'];
  expect(await gatepass(removal, settings)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no terminal to confirm the removal: add --yes'),
  });
  removal.push('--yes');
  expect(await gatepass(removal, settings)).toMatchObject({ code: 0, stdout: settled });
  const [after] = recordsOf((await gatepass(['search', '--wallet', wallet, '--json'], settings)).stdout);
  expect(after).not.toHaveProperty('reference');
  expect(after.events.at(-1).eventType).toBe('REFERENCE_CHANGED');
  expect(await gatepass(['search', '--reference', reference], settings)).toMatchObject({ stderr: 'no passes\n' });

  for (const [wrong, text] of [
    [['set-reference', ...about], 'name the reference with --reference'],
    [['set-reference', ...about, '--reference', 'a', '--remove'], 'either --reference or --remove'],
    [['set-reference', ...about, '--reference', ' a'], 'must have 1 to 128 characters'],
    [['freeze', ...about, '--reference', 'a'], 'unknown option'],
  ] as const)
    expect(await gatepass([...wrong], settings)).toMatchObject({ code: 2, stderr: expect.stringContaining(text) });
});

it('issues for a person, and freezes, shows, unfreezes and revokes all passes of the person', async () => {
  const subject = `p-${freshWallet('sepolia').slice(2, 12)}/%`;
  const wallets = [freshWallet('sepolia'), freshWallet('sepolia')];
  const csv = join(folder, 'person.csv');
  writeFileSync(csv, `walletAddress,network,subject\n${wallets[1]},sepolia,${subject}\n`);
  const first = await gatepass(
    ['issue', `${wallets[0]}`, '--network', 'sepolia', '--subject', subject, '--json'],
    settings,
  );
  expect(recordsOf(first.stdout)).toMatchObject([{ onChainState: 'ACTIVE', subject }]);
  expect(await gatepass(['issue', '--csv', csv], settings)).toMatchObject({ code: 0 });
  const found = await gatepass(['search', '--subject', subject, '--json'], settings);
  expect(
    recordsOf(found.stdout)
      .map(({ walletAddress }) => walletAddress)
      .sort(),
  ).toEqual(wallets.sort());

  const frozen = await gatepass(['freeze', '--subject', subject, '--reason', 'case 7'], settings);
  expect(frozen).toMatchObject({ code: 0, stdout: `${subject}  FROZEN  2 passes\n` });
  const shown = await gatepass(['get', '--subject', subject], settings);
  expect(shown.stdout).toMatch(
    /^p-.* {2}FROZEN {2}2 frozen\n.* {2}FROZEN {2}2 of 2 passes {2}ended .*\n\nnetwork .* subject +last event\n/,
  );
  expect(shown.stdout.match(/ FROZEN +FROZEN /g)).toHaveLength(2);
  const about = [`${wallets[0]}`, '--network', 'sepolia'];
  const refused = await gatepass(['unfreeze', ...about], settings);
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^409 subject_frozen: .*unfreeze --subject/),
  });

  const free = await gatepass(['unfreeze', '--subject', subject, '--json'], settings);
  expect(recordsOf(free.stdout)).toMatchObject([{ subject, state: 'ACTIVE', total: 2, done: 2, failed: [] }]);
  const renewed = await gatepass(['set-expiry', '--subject', subject, '--expires', '2090-01-01'], settings);
  expect(renewed).toMatchObject({ code: 0, stdout: `${subject}  2 passes\n` });
  const removal = await gatepass(['set-subject', ...about, '--remove', '--yes', '--json'], settings);
  expect(recordsOf(removal.stdout)[0]).not.toHaveProperty('subject');

  expect(await gatepass(['revoke', '--subject', subject], settings)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no terminal to confirm the revocation: add --yes'),
  });
  const revoked = await gatepass(['revoke', '--subject', subject, '--yes', '--no-wait'], settings);
  expect(revoked).toMatchObject({ code: 0, stdout: `${subject}  REVOKED  1 pass\n` });
  const final = await gatepass(['unfreeze', '--subject', subject], settings);
  expect(final).toMatchObject({ code: 1, stderr: expect.stringMatching(/^409 subject_revoked: /) });
  const [stays] = recordsOf((await gatepass(['get', ...about, '--json'], settings)).stdout);
  expect(stays).toMatchObject({ onChainState: 'ACTIVE', expiryTimestamp: 3_786_912_000 });

  for (const [wrong, code, text] of [
    [['freeze', '--subject', `no-${subject}`], 1, '404 subject_not_found: No pass of the gatekeeper network'],
    [['get', '--subject', `no-${subject}`], 1, 'no pass has the subject'],
    [['freeze', ...about, '--subject', subject], 2, 'name either a wallet or --csv, or a person with --subject'],
    [['freeze', '--subject', subject, '--network', 'sepolia'], 2, 'on all networks: leave out'],
    [['set-expiry', '--subject', subject], 2, 'name the expiry with --expires'],
    [['set-subject', ...about], 2, 'name the subject with --subject'],
    [['issue', ...about, '--subject', 'a b'], 2, 'must have 1 to 64 visible ASCII characters'],
    [['get', ...about, '--subject', subject], 2, 'name either a wallet or --subject alone'],
  ] as const)
    expect(await gatepass([...wrong], settings)).toMatchObject({ code, stderr: expect.stringContaining(text) });
});

it('prints the usage of a month', async () => {
  await gatepass(['issue', freshWallet('sepolia'), '--network', 'sepolia'], settings);
  const printed = (await spawnGatepass(['usage'], settings)).stdout;
  expect(printed).toMatch(/^in \d{4}-\d\d +issued +renewed +revoked +active now\n(.*\n)*sepolia +[1-9]\d* /);
  const lines = recordsOf((await gatepass(['usage', '--json'], settings)).stdout);
  const sepolia = lines.find(({ chain }) => chain.network === 'sepolia');
  expect(sepolia.issued).toBeGreaterThan(0);
  const counted = await gatepass(['usage', '--subjects', '--json'], settings);
  expect(recordsOf(counted.stdout).at(-1)).toEqual({
    subjects: { count: expect.any(Number), passes: expect.any(Number) },
  });
  const past = await gatepass(['usage', '--month', '2025-01', '--json'], settings);
  expect(recordsOf(past.stdout)[0]).toMatchObject({ issued: 0, renewed: 0, revoked: 0 });
  const wrong = await gatepass(['usage', '--month', 'May'], settings);
  expect(wrong).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^400 invalid_request: .*month/) });
});

it('prints the feed as lines, and continues after its stored cursor', async () => {
  const wallet = freshWallet('devnet');
  await gatepass(['issue', wallet, '--network', 'devnet'], settings);
  const lines = linesOf((await spawnGatepass(['events'], settings)).stdout);
  const own = lines.find((line) => line.includes(wallet)) ?? '';
  expect(own).toMatch(/^\d+ {2}\d{4}-\d\d-\d\dT.* {2}pass\.issued {2}devnet {2}\S+ {2}ACTIVE$/);
  const before = Number(own.split(' ')[0]) - 1;
  const after = await gatepass(['events', '--after', String(before), '--json'], settings);
  expect(recordsOf(after.stdout)[0]).toMatchObject({ sequence: before + 1, type: 'pass.issued' });

  const cursor = join(folder, 'cursor.json');
  writeFileSync(cursor, JSON.stringify({ url: settings.GATEPASS_URL, clientId: 'globex', after: 1 }));
  const others = await gatepass(['events', '--follow', '--cursor', cursor], settings);
  expect(others).toMatchObject({ code: 2, stderr: expect.stringContaining('Name another one with --cursor\n') });
});

it('manages webhooks', async () => {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(String(request.headers['webhook-id']));
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const webhooks = (...args: string[]) => gatepass(['webhooks', ...args], settings);
  try {
    const [created] = recordsOf((await webhooks('add', url, '--types', 'pass.reorged', '--json')).stdout);
    expect(created).toMatchObject({ url, types: ['pass.reorged'], secret: expect.stringMatching(/^whsec_/) });
    const listed = await spawnGatepass(['webhooks', 'list'], settings);
    expect(listed.stdout).toMatch(RegExp(`${created.id} +${url} +enabled +pass.reorged`));
    expect(await webhooks('test', created.id)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^delivered, status 204/),
    });
    expect(received).toHaveLength(1);
    expect((await webhooks('rotate-secret', created.id, '--yes')).stdout).toMatch(/^secret: whsec_/);
    expect((await webhooks('replay', created.id, '--after', '0')).stdout).toContain('continues after the sequence 0');
    expect((await webhooks('deliveries', created.id)).code).toBe(0);
    expect((await webhooks('remove', created.id, '--yes')).stdout).toBe(`${created.id} is deleted\n`);
    expect((await webhooks('list')).stdout).not.toContain(created.id);
  } finally {
    server.close();
  }
});

it('login prints what the credentials permit', async () => {
  expect(await spawnGatepass(['login'], settings)).toEqual({
    code: 0,
    stderr: '',
    stdout: [
      `service: ${settings.GATEPASS_URL}`,
      'client: acme',
      'permitted: get, search and events (search:pass)',
      'permitted: issue (issue:pass)',
      'permitted: freeze, unfreeze, revoke and set-expiry (update:pass)',
      'permitted: webhooks (webhook:manage)',
      'permitted: changes of the rules for subjects (manage:rules)\n',
    ].join('\n'),
  });
  const searching = { ...settings, GATEPASS_SCOPE: 'search:pass' };
  expect((await gatepass(['login'], searching)).stdout).toContain('not permitted: issue (issue:pass)\n');
});

describe('a mistake', () => {
  const wallet = freshWallet('sepolia');
  const issue = ['issue', wallet, '--network', 'sepolia'];
  const closed = 'http://127.0.0.1:9';

  it.each<[string, string[], Partial<typeof settings>, RegExp]>([
    ['a typo of a command', ['serach'], {}, /unknown command 'serach' \(Did you mean search\?\)/],
    ['a typo of an option', [...issue, '--no-wat'], {}, /unknown option '--no-wat' \(Did you mean --no-wait\?\)/],
    ['a typo of a network', ['issue', wallet, '--network', 'sepola'], {}, /Did you mean sepolia\?/],
    ['a network of the other chain', [...issue, '--chain', 'solana'], {}, /sepolia is a network of the chain ethereum/],
    ['a wallet and a file', [...issue, '--csv', 'x.csv'], {}, /name either a wallet or --csv/],
    ['no wallet', ['freeze'], {}, /name either a wallet or --csv/],
    ['a wallet without a network', ['freeze', wallet], {}, /name the network with --network/],
    ['a malformed wallet', ['issue', '0x12', '--network', 'sepolia'], {}, /"0x12" is not a wallet address/],
    ['an expiry in the past', [...issue, '--expires', '2020-01-01'], {}, /must be in the future/],
    [
      'no settings',
      ['login'],
      { GATEPASS_URL: '', GATEPASS_CLIENT_SECRET: '' },
      /GATEPASS_URL, GATEPASS_CLIENT_SECRET: not set/,
    ],
    [
      'an unknown env file',
      ['login', '--env-file', '/nowhere.env'],
      {},
      /nowhere\.env: the file or its folder does not exist/,
    ],
    [
      'a URL with a password',
      ['login'],
      { GATEPASS_URL: 'http://user:wrong@127.0.0.1:9' },
      /GATEPASS_URL has a user name or a password/,
    ],
    ['a URL that is none', ['login'], { GATEPASS_URL: 'passes' }, /GATEPASS_URL is not a URL/],
    ['no network', issue, { GATEPASS_TOKEN_URL: closed }, /no answer from the token endpoint 127\.0\.0\.1:9/],
    ['a closed port', ['login'], { GATEPASS_URL: closed }, /no answer from http:\/\/127\.0\.0\.1:9/],
    ['a wrong secret', issue, { GATEPASS_CLIENT_SECRET: 'wrong' }, /invalid_client.*check GATEPASS_TOKEN_URL/],
    [
      'a file that is missing',
      ['issue', '--csv', '/nowhere.csv'],
      {},
      /nowhere\.csv: the file or its folder does not exist/,
    ],
    [
      'a folder that cannot be written',
      ['issue', '--network', 'sepolia', '--csv', 'CSV', '--results', '/proc/x.csv'],
      {},
      /\/proc\/x\.csv.*: /,
    ],
  ])('gives one clear line and exit code 2: %s', async (_, args, changes, line) => {
    const csv = join(folder, 'one.csv');
    writeFileSync(csv, `walletAddress\n${wallet}\n`);
    const ran = await gatepass(
      args.map((arg) => (arg === 'CSV' ? csv : arg)),
      { ...settings, ...changes },
    );
    expect(ran.code).toBe(2);
    expect(ran.stdout).toBe('');
    expect(linesOf(ran.stderr)).toHaveLength(1);
    expect(ran.stderr).toMatch(line);
    expect(ran.stderr).not.toMatch(/\bat .*:\d+:\d+|acme-secret|wrong\b/);
  });

  it('in a process of its own prints the same line, and no stack trace', async () => {
    const args = [...issue, '--no-wat'];
    const ran = await spawnGatepass(args, settings);
    expect(ran).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(/^unknown option '--no-wat' .*\n$/) });
    expect(ran).toEqual(await gatepass(args, settings));
  });

  it('of the authorization server, which issues an expired token, gives one clear line', async () => {
    const server = createServer((_, response) => {
      const expired = 'eyJhbGciOiJub25lIn0.eyJleHAiOjF9.';
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ access_token: expired, expires_in: 300, token_type: 'Bearer' }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const GATEPASS_TOKEN_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const ran = await gatepass(issue, { ...settings, GATEPASS_TOKEN_URL });
    server.close();
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^401 token_invalid: .*\n$/) });
  });
});

describe('the help', () => {
  const verbs = [
    'issue',
    'freeze',
    'unfreeze',
    'revoke',
    'set-expiry',
    'get',
    'search',
    'usage',
    'events',
    'webhooks',
    'login',
  ];
  it.each([...verbs.map((verb) => [verb]), ['webhooks', 'add'], []].map((args) => [args.join(' '), args] as const))(
    'of gatepass %s names its options',
    async (_, args) => {
      const ran = await gatepass([...args, '--help'], {});
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      expect(ran.stdout).toMatch(/^Usage: gatepass .*\n\n.*\.\n/s);
    },
  );
});
