import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TRIGGER_TYPES } from '../../../../src/http/schemas/managing.ts';
import { runCli, variablesAt } from './run-cli.ts';

/** A server whose answers are those of the sandbox. `test/system/packages/cli/sandbox.full.test.ts` asks the service the same. */

const START = 1_795_600_000;
let now = START;
let isSandbox = true;
let breaks = false;
const asked: unknown[] = [];
const server = createServer(async (request, response) => {
  const body = request.method === 'POST' && request.url !== '/token' ? await json(request) : undefined;
  const reply = (status: number, answer: unknown) => {
    const type = status < 400 ? 'application/json' : 'application/problem+json';
    response.writeHead(status, { 'content-type': type }).end(JSON.stringify(answer));
  };
  if (request.url === '/token') return reply(200, { access_token: 'a', token_type: 'bearer' });
  asked.push([request.method, request.url, body]);
  if (breaks) return response.destroy();
  if (!isSandbox) return reply(404, { code: 'not_found', detail: 'No operation has this path.', requestId: 'r' });
  if (request.url === '/sandbox/trigger') {
    const { type, chain = { type: 'ethereum', network: 'sepolia' } } = body as { type: string; chain?: object };
    return reply(202, type.startsWith('feed.') ? { type } : { type, pass: { chain, walletAddress: '0x5290' } });
  }
  now += (body as { advanceSeconds: number } | undefined)?.advanceSeconds ?? 0;
  return reply(200, { now });
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => server.close());
beforeEach(() => {
  [now, isSandbox, breaks] = [START, true, false];
  asked.length = 0;
});

const run = (...args: string[]) => runCli(args, variablesAt((server.address() as AddressInfo).port));

describe('gatepass clock', () => {
  it('prints the time of the sandbox', async () => {
    expect(await run('clock')).toEqual({ code: 0, stdout: '2026-11-25T09:46:40Z\n', stderr: '' });
    expect(await run('clock', '--json')).toMatchObject({ stdout: `{"now":${START}}\n` });
    expect(asked).toEqual([
      ['GET', '/sandbox/clock', undefined],
      ['GET', '/sandbox/clock', undefined],
    ]);
  });

  it.each([
    ['+90s', 90],
    ['+30m', 1_800],
    ['+12h', 43_200],
    ['+8d', 691_200],
    ['+1d12h', 129_600],
  ])('advances it by %s', async (text, advanceSeconds) => {
    const ran = await run('clock', text);
    expect(ran.stdout).toBe(`${new Date((START + advanceSeconds) * 1000).toISOString().replace('.000', '')}\n`);
    expect(asked).toEqual([['POST', '/sandbox/clock', { advanceSeconds }]]);
  });

  it.each(['8d', '+8', '+', '+0d', '+8w', '+1.5d', '+8d!', '++8d', 'tomorrow'])(
    'refuses %j before a request',
    async (text) => {
      expect(await run('clock', text)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('It must be a duration after a plus'),
      });
      expect(asked).toEqual([]);
    },
  );

  it('advances at most once, also if the answer is lost', async () => {
    breaks = true;
    expect(await run('clock', '+8d')).toMatchObject({ code: 2, stderr: expect.stringMatching(/^no answer from/) });
    expect(asked).toHaveLength(1);
  });
});

describe('gatepass trigger', () => {
  it('names the pass that gets the event', async () => {
    expect(await run('trigger', 'pass.rejected')).toEqual({
      code: 0,
      stdout: 'pass.rejected follows for 0x5290 on sepolia\n',
      stderr: '',
    });
    const onSolana = await run('trigger', 'pass.issued', '--network', 'devnet', '--json');
    const chain = { type: 'solana', network: 'devnet' };
    expect(JSON.parse(onSolana.stdout)).toEqual({ type: 'pass.issued', pass: { chain, walletAddress: '0x5290' } });
    expect(asked).toEqual([
      ['POST', '/sandbox/trigger', { type: 'pass.rejected' }],
      ['POST', '/sandbox/trigger', { type: 'pass.issued', chain }],
    ]);
  });

  it('lists in its help every event of the service', async () => {
    const { stdout } = await run('trigger', '--help');
    const [, events = ''] = /Events:\n([\s\S]*?)\n\n/.exec(stdout) ?? [];
    expect(events.trim().split(/\s+/).toSorted()).toEqual(TRIGGER_TYPES.toSorted());
    expect(asked).toEqual([]);
  });

  it('causes at most one event, also if the answer is lost', async () => {
    breaks = true;
    expect(await run('trigger', 'pass.issued')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^no answer from/),
    });
    expect(asked).toHaveLength(1);
  });

  it('names no pass for a notice', async () => {
    expect(await run('trigger', 'feed.restored')).toMatchObject({ code: 0, stdout: 'feed.restored follows\n' });
  });
});

it('a duration for a file is refused before a request: a run that continues would ask for another expiry', async () => {
  const ran = await run('set-expiry', '--csv', 'passes.csv', '--expires', '30d');
  expect(ran).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^with --csv, name a time such as --expires 20/),
  });
  expect(asked).toEqual([]);
});

it.each([['clock'], ['clock', '+1d'], ['trigger', 'pass.issued']])(
  '%s %s says that the client is in no sandbox',
  async (...args) => {
    isSandbox = false;
    expect(await run(...args)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^the client acme is in no sandbox of http:\/\/127\.0\.0\.1:\d+: there, nobody can move time or cause events\n$/,
      ),
    });
  },
);
