import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { boundedFetch } from '../../../../packages/cli/src/bounded-fetch.ts';
import { limitPages } from '../../../../packages/cli/src/page-limit.ts';
import { printTable } from '../../../../packages/cli/src/print-passes.ts';
import { growthOf, LINEAR } from '../../../growth.ts';
import { runCli, variablesAt } from './run-cli.ts';

/** The command beside a server that wants its memory, its time, its credentials or a crash. */

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const json = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const grantToken: Answer = (_, response) => json(response, { access_token: 'the-token', token_type: 'bearer' });

let answers: { token: Answer; others: Answer };
/** Everything that the other origin receives. */
const stolen: string[] = [];
const servers: Server[] = [];
const folder = mkdtempSync(join(tmpdir(), 'gatepass-hostile-'));
afterAll(() => rmSync(folder, { recursive: true }));
let port: number;
let otherPort: number;

async function listen(answer: Answer): Promise<number> {
  const server = createServer((request, response) => {
    request.resume();
    answer(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  port = await listen((request, response) =>
    request.url === '/token' ? answers.token(request, response) : answers.others(request, response),
  );
  otherPort = await listen((request, response) => {
    stolen.push(JSON.stringify([request.url, request.headers]));
    json(response, { access_token: 'another-token', status: 'ok', records: [] });
  });
});
afterAll(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});
beforeEach(() => {
  answers = { token: grantToken, others: (_, response) => json(response, {}) };
  stolen.length = 0;
});

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const about = [WALLET, '--network', 'sepolia'];
const COMMANDS: readonly string[][] = [
  ['issue', ...about, '--no-wait'],
  ['freeze', ...about, '--no-wait'],
  ['revoke', ...about, '--no-wait', '--yes'],
  ['get', WALLET],
  ['get', ...about],
  ['search'],
  ['search', '--json'],
  ['usage'],
  ['events'],
  ['audit'],
  ['clock'],
  ['clock', '+1d'],
  ['trigger', 'pass.issued'],
  ['webhooks', 'list'],
  ['webhooks', 'add', 'https://a.example'],
  ['webhooks', 'test', 'an-id'],
  ['webhooks', 'deliveries', 'an-id'],
  ['login'],
];

const run = (args: readonly string[]) => runCli(args, variablesAt(port));

describe('a redirect to another origin', () => {
  it.each(
    [301, 302, 303, 307, 308].flatMap((status) =>
      (['token', 'others'] as const).map((part) => [status, part] as const),
    ),
  )('with %i of %s requests carries neither token nor secret away', async (status, part) => {
    answers[part] = (request, response) =>
      response
        .writeHead(status, {
          location: `http://127.0.0.1:${otherPort}${request.url}`,
          refresh: `0; url=http://127.0.0.1:${otherPort}/`,
          link: `<http://127.0.0.1:${otherPort}/next>; rel="next"`,
        })
        .end();
    for (const args of COMMANDS) expect(await run(args)).toMatchObject({ code: 2, stdout: '' });
    expect(stolen).toEqual([]);
  });

  it('in links of an answer is not followed', async () => {
    const next = `http://127.0.0.1:${otherPort}/next`;
    answers.others = (_, response) =>
      json(response.setHeader('link', `<${next}>; rel="next"`), {
        ...{ records: [], events: [], entries: [], webhooks: [], deliveries: [], networks: [] },
        ...{ next, more: false, month: '2026-11', links: { next }, status: 'ok' },
      });
    for (const args of COMMANDS) await run(args);
    expect(stolen).toEqual([]);
  });
});

describe('an answer of another form', () => {
  const BODIES: readonly (readonly [name: string, body: string, type?: string])[] = [
    ['no JSON', '{"records":[', 'application/json'],
    ['no JSON, as it says', '<html>', 'text/html'],
    ['nothing', ''],
    ['null', 'null'],
    ['a number', '7'],
    ['a text', '"text"'],
    ['an empty object', '{}'],
    ['a list', '[1,2]'],
    [
      'lists of other things',
      '{"records":[null],"events":[7],"entries":["a"],"webhooks":[null],"deliveries":[{}],"networks":[[]]}',
    ],
    [
      'other types',
      '{"records":{},"events":"e","entries":7,"webhooks":true,"deliveries":{},"networks":"n","next":"x","more":1}',
    ],
    [
      'numbers beyond each time',
      '{"records":[{"id":"a","chain":{},"walletAddress":1,"events":[],"expiryTimestamp":1e300}]}',
    ],
    ['other prototypes', '{"__proto__":{"records":[]},"constructor":1,"events":{"length":1e9},"toString":0}'],
    ['deep objects', '{"records":'.repeat(100_000)],
    ['lists in lists of a page', `{"records":[${'['.repeat(100)}${']'.repeat(100)}]}`],
    ['deep lists', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
  ];

  it.each(BODIES)('(%s) gives one clear line and no stack', async (_, body, type = 'application/json') => {
    for (const status of [200, 201, 400, 409]) {
      answers.others = (__, response) => response.writeHead(status, { 'content-type': type }).end(body);
      for (const args of COMMANDS) {
        const ran = await run(args);
        expect([0, 1, 2], args.join(' ')).toContain(ran.code);
        expect(ran.stderr.trim().split('\n').length, ran.stderr).toBeLessThanOrEqual(1);
        expect(`${ran.stdout}${ran.stderr}`).not.toMatch(/\bat .*:\d+:\d+|\[object Object\]\n$/);
        if (status >= 400) expect(ran, args.join(' ')).toMatchObject({ code: expect.any(Number), stderr: /./ });
      }
    }
  });

  it('of the token endpoint gives one clear line', async () => {
    for (const [, body] of BODIES) {
      answers.token = (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(body);
      const ran = await run(['search']);
      expect(ran).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(/^no token from 127\.0\.0\.1:\d+ .*\n$/),
      });
    }
  });
});

describe('an answer with a shape that takes memory or time', () => {
  const TEXT_CHARS = 1_000_000;
  const passWith = (reference: string) => ({
    ...{ id: 'a', chain: { type: 'ethereum', network: 'sepolia' }, walletAddress: WALLET, reference },
    ...{ state: 'ACTIVE', onChainState: 'ACTIVE', events: [] },
  });

  it.each([
    ['lists inside each other', () => '['.repeat(30 << 20)],
    ['objects inside each other', () => '{"records":'.repeat(2 << 20)],
    ['empty lists', () => `{"records":[${'[],'.repeat(10 << 20)}[]]}`],
    ['empty objects', () => `{"records":[${'{},'.repeat(10 << 20)}{}]}`],
  ])('is refused in a small heap: %s', { timeout: 120_000 }, async (_, bodyOf) => {
    const body = bodyOf();
    answers.others = (__, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    const command = join(import.meta.dirname, '../../../../packages/cli/bin/gatepass.js');
    const ran = promisify(execFile)(process.execPath, ['--max-old-space-size=200', command, 'search'], {
      env: variablesAt(port) as unknown as NodeJS.ProcessEnv,
    });
    await expect(ran).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^200 unexpected_answer: .*\n$/),
    });
  });

  it('is shown in part: a reference of a million spaces', async () => {
    answers.others = (_, response) =>
      json(response, { records: [passWith(`a${' '.repeat(TEXT_CHARS)}b`), passWith('c')] });
    const ran = await run(['search']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^network .*\nsepolia .* a {1999}…\nsepolia .* c\n$/);
    expect(ran.stdout.length).toBeLessThan(20_000);
  });

  it.each([
    ['a long run of spaces', (size: number) => [[`a${' '.repeat(size)}b`, 'c']]],
    ['many runs of spaces', (size: number) => [[`a${'  b'.repeat(size)}`, 'c']]],
    ['line breaks', (size: number) => [[`a${'\n'.repeat(size)}b`, 'c']]],
    ['control characters', (size: number) => [['\u001b[31m'.repeat(size), 'c']]],
    ['rows', (size: number) => Array.from({ length: size / 40 }, () => ['a b', 'c'])],
  ])('takes a table no longer than its size: %s', (_, rowsOf) => {
    const print = () => true;
    const output = { print, printJson: print, stream: process.stdout };
    expect(growthOf((size) => printTable(['one', 'two'], rowsOf(size), output), 10_000)).toBeLessThan(LINEAR);
  });
});

describe('an answer without an end', () => {
  /** Counts the bytes that the command takes. */
  function pour(response: ServerResponse, headers: Record<string, string>): () => number {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    const chunk = Buffer.alloc(1 << 20, ' ');
    let sent = 0;
    const pourOn = () => {
      while (!response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) break;
      }
    };
    response.on('drain', pourOn);
    response.on('error', () => undefined);
    pourOn();
    return () => sent;
  }

  it.each(['token', 'others'] as const)('of %s requests is cut at a limit, and not asked again', async (part) => {
    const counts: (() => number)[] = [];
    answers[part] = (_, response) => counts.push(pour(response, {}));
    const ran = await run(['search']);
    expect(ran).toEqual({
      code: 2,
      stdout: '',
      stderr: `the answer of 127.0.0.1:${port} has more than 32 MiB, so it is not the service's\n`,
    });
    expect(counts).toHaveLength(1);
    expect(counts[0]?.()).toBeLessThan(64 << 20);
  });

  it('in the check of login is cut too', async () => {
    answers.others = (_, response) => void pour(response, {});
    expect(await run(['login'])).toMatchObject({ code: 2, stderr: expect.stringContaining('more than 1 MiB') });
  });

  it('is counted after its decompression', async () => {
    const bomb = gzipSync(Buffer.alloc(8 << 20));
    answers.others = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    expect(bomb.length).toBeLessThan(1 << 20);
    await expect(boundedFetch(1 << 20)(`http://127.0.0.1:${port}/`, {})).rejects.toThrow('more than 1 MiB');
    const whole = await boundedFetch(8 << 20)(`http://127.0.0.1:${port}/`, {});
    expect((await whole.arrayBuffer()).byteLength).toBe(8 << 20);
  });
});

it('a search that fails leaves no part of a CSV file, and no other file is removed', async () => {
  let count = 0;
  const page = (start: number) => Array.from({ length: 100 }, (_, index) => ({ id: `${start + index}`, chain: {} }));
  answers.others = (_, response) => {
    count += 1;
    if (count === 1) json(response, { records: page(0) });
    else json(response, {}, 403);
  };
  const file = join(folder, 'found.csv');
  expect(await run(['search', '--csv', file])).toMatchObject({ code: 2, stderr: expect.stringContaining('403') });
  expect(existsSync(file)).toBe(false);
  writeFileSync(file, 'mine');
  expect(await run(['search', '--csv', file])).toMatchObject({ code: 2, stderr: expect.stringContaining('exists') });
  expect(readFileSync(file, 'utf8')).toBe('mine');
});

describe('pages without an end', () => {
  const event = (sequence: number) => ({ sequence, timestamp: 't', type: 'pass.issued', data: {} });

  it.each<[string, string[], (request: IncomingMessage, count: number) => unknown]>([
    ['a feed with empty pages', ['events'], (_, count) => ({ events: [], next: count, more: true })],
    ['a feed with texts for numbers', ['events'], (_, count) => ({ events: [], next: `${count}`, more: true })],
    ['a feed without a cursor', ['events'], () => ({ events: [], more: true })],
    ['a feed that repeats a page', ['events'], () => ({ events: [event(1)], next: 1, more: true })],
    [
      'a followed feed with empty pages',
      ['events', '--follow', '--cursor', join(folder, 'cursor.json')],
      (_, count) => ({ events: [], next: count, more: true }),
    ],
    ['a trail that does not advance', ['audit'], () => ({ entries: [], next: 5, more: true })],
    ['a trail without a cursor', ['audit'], () => ({ entries: [], more: true })],
    [
      'deliveries that are always new',
      ['webhooks', 'deliveries', 'an-id'],
      (_, count) => ({ deliveries: [{ number: count }], next: count, more: true }),
    ],
    ['deliveries without a cursor', ['webhooks', 'deliveries', 'an-id'], () => ({ deliveries: [], more: true })],
    ['the same passes', ['search', '--json'], () => ({ records: Array(100).fill({ id: 'a' }) })],
    ['passes without ids', ['search', '--json'], () => ({ records: Array(100).fill({}) })],
    ['more passes than networks', ['get', WALLET], (_, count) => ({ records: Array(100).fill({ id: `${count}` }) })],
  ])('are read to a limit: %s', async (_, args, answer) => {
    let count = 0;
    answers.others = (request, response) => {
      count += 1;
      json(response, answer(request, count));
    };
    const ran = await run(args);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(/^.*(?:nothing new|do not end|repeats a page|more passes than networks).*\n$/);
  });

  it('are counted, the empty ones in a row by themselves', () => {
    const countPage = limitPages(5, 3);
    for (const entries of [0, 0, 1, 0]) countPage(entries);
    expect(() => countPage(1)).toThrow('the answers do not end after 5 pages');
    const countEmpty = limitPages(100, 3);
    for (const entries of [0, 0, 1, 0, 0]) countEmpty(entries);
    expect(() => countEmpty(0)).toThrow('the answers do not end after 6 pages');
  });
});
