import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli, variablesAt } from './run-cli.ts';

/** Everything that the command prints, when each text of every answer and every file tries to control the terminal. */

const folder = mkdtempSync(join(tmpdir(), 'gatepass-output-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** CSI, OSC, C1, line ends, bidi controls, an invisible tag and half a letter. */
const HOSTILE = [
  '\u001b[2J\u001b]0;title\u0007',
  '\u009b31m\u009d0;t\u009c\u0085',
  '\r\nsettled: 9\u000b\u000c\u2028\u2029\t\b\u007f',
  '\u202e\u202d\u2066\u2067\u2068\u2069\u202a\u202b\u202c\u200e\u200f\u061c',
  '\u200b\ufeff\u{e0041}\ud800',
].join('-');
/** Characters that no output has, beside the line feed at the end of a line. */
const CONTROLS = /[^\P{C}\n]|[\u2028\u2029]/u;

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
let text = HOSTILE;
/** The server that refuses. */
let refuses: 'nothing' | 'requests' | 'tokens' = 'nothing';

const chainOf = (name: string) => ({ type: name, network: name });
const pass = () => ({
  id: text,
  chain: chainOf(text),
  walletAddress: text,
  gatekeeperNetwork: text,
  state: text,
  onChainState: text,
  waitsFor: { code: text, detail: text },
  events: [
    { eventType: text, timestamp: 1, reason: text, transaction: { identifier: text, status: text } },
    { eventType: text, timestamp: 2, byOthers: { gatekeeper: text } },
  ],
});
const webhook = () => ({
  id: text,
  url: text,
  status: text,
  types: [text],
  cursor: 1,
  secret: text,
  description: text,
});
const delivery = () => ({
  ...{ number: 1, at: text, type: text, event: text, attempt: 1, outcome: text, status: 500, error: text },
  durationMs: 1,
});

function answerTo({ method, url = '' }: IncomingMessage): [status: number, body: unknown] {
  if (refuses === 'requests' && url !== '/token')
    return [409, { code: `code${text}`, detail: text, requestId: 'a', errors: [{ pointer: text, detail: text }] }];
  const path = url.split('?')[0] ?? '';
  if (path === '/token' && refuses === 'tokens') return [401, { error: text, error_description: text }];
  if (path === '/token') return [200, { access_token: 'a', token_type: 'bearer' }];
  if (path === '/health') return [200, { status: 'ok' }];
  if (path === '/pass') return [200, { records: [pass()] }];
  if (path === '/passes') {
    const problem = { code: `code${text}`, detail: text, requestId: 'a' };
    return [200, { results: [{ status: 409, problem }] }];
  }
  if (path === '/events') {
    const event = {
      sequence: 1,
      timestamp: text,
      type: text,
      data: { pass: pass(), event: { eventType: text, reason: text } },
    };
    return [200, { events: [event], next: 1, more: false }];
  }
  if (path === '/sandbox/trigger') return [202, { type: text, pass: pass() }];
  if (path === '/usage')
    return [200, { month: text, networks: [{ chain: chainOf(text), issued: 1, renewed: 1, revoked: 1, active: 1 }] }];
  if (path === '/audit') {
    const actor = { client: text, sub: text };
    const entry = { at: text, action: text, actor, target: { pass: text }, reason: text, outcome: { type: text } };
    return [200, { entries: [entry], next: 1, more: false }];
  }
  if (path === '/webhooks') return method === 'GET' ? [200, { webhooks: [webhook()] }] : [201, webhook()];
  if (path.endsWith('/test')) return [200, { delivered: false, status: text, durationMs: 1, error: text }];
  if (path.endsWith('/rotate-secret')) return [200, { secret: text, previousValidUntil: text }];
  if (path.endsWith('/replay')) return [200, { ...webhook(), cursor: text }];
  if (path.endsWith('/deliveries')) return [200, { deliveries: [delivery()], next: 1, more: false }];
  return [method === 'POST' ? 202 : 200, pass()];
}

let server: Server;
let port: number;
beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    const [status, body] = answerTo(request);
    const type = status < 400 ? 'application/json' : 'application/problem+json';
    response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

/** Runs a command with hostile texts, and with harmless ones. */
async function runBoth(args: readonly string[]) {
  text = HOSTILE;
  const hostile = await runCli(args, variablesAt(port));
  text = 'harmless';
  const harmless = await runCli(args, variablesAt(port));
  return { hostile, harmless };
}

function expectHarmless({ hostile, harmless }: Awaited<ReturnType<typeof runBoth>>): void {
  for (const name of ['stdout', 'stderr'] as const) {
    expect(hostile[name]).not.toMatch(CONTROLS);
    expect(hostile[name].split('\n').length, hostile[name]).toBe(harmless[name].split('\n').length);
  }
  expect(`${hostile.stdout}${hostile.stderr}`).not.toBe('');
}

let files = 0;
function csvFile(content: string): string {
  files += 1;
  const file = join(folder, `${files}.csv`);
  writeFileSync(file, content);
  return file;
}

const about = [WALLET, '--network', 'sepolia'];
const COMMANDS: readonly string[][] = [
  ['issue', ...about, '--no-wait'],
  ['freeze', ...about, '--no-wait'],
  ['revoke', ...about, '--no-wait', '--yes'],
  ['get', WALLET],
  ['get', ...about],
  ['search'],
  ['usage'],
  ['events'],
  ['audit'],
  ['trigger', 'pass.issued'],
  ['webhooks', 'list'],
  ['webhooks', 'add', 'https://a.example'],
  ['webhooks', 'test', 'an-id'],
  ['webhooks', 'rotate-secret', 'an-id', '--yes'],
  ['webhooks', 'replay', 'an-id', '--after', '0'],
  ['webhooks', 'deliveries', 'an-id'],
];

describe('no field of an answer controls the terminal or begins another line', () => {
  it.each(COMMANDS)('in %s %s', async (...args) => {
    refuses = 'nothing';
    expectHarmless(await runBoth(args));
  });

  it.each(COMMANDS)('in %s %s --json, whose text has the same value', async (...args) => {
    refuses = 'nothing';
    const ran = await runBoth([...args, '--json']);
    expectHarmless(ran);
    for (const line of ran.hostile.stdout.trim().split('\n'))
      expect(JSON.stringify(JSON.parse(line))).toContain(JSON.stringify(HOSTILE).slice(1, -1));
  });

  it.each([...COMMANDS, ['login']])('in the refusal of %s %s', async (...args) => {
    refuses = 'requests';
    const ran = await runBoth(args);
    expectHarmless(ran);
    expect(ran.hostile.stderr).not.toBe('');
  });

  it('in the refusal of a token', async () => {
    refuses = 'tokens';
    expectHarmless(await runBoth(['search']));
  });

  it('in the notes, the summary and the results of a run', async () => {
    refuses = 'nothing';
    const run = (content: string) => ['issue', '--csv', csvFile(content), '--restart', '--no-wait', '--skip-invalid'];
    const content = `walletAddress,network,"a${HOSTILE}"\n${WALLET},sepolia,x\n${WALLET},"b${HOSTILE}",x\n`;
    expectHarmless(await runBoth(run(content)));
    const quote = `walletAddress,network\n${WALLET},sep\u001b[2J"olia\n`;
    expectHarmless(await runBoth(run(quote)));
    expectHarmless(await runBoth(run(`wallet${HOSTILE.replaceAll(/[\r\n]/g, '')},network\n`)));
  });

  it('in arguments that the command repeats', async () => {
    const argument = HOSTILE.replace('\ud800', '');
    for (const args of [
      ['get', argument, '--network', 'sepolia'],
      ['issue', argument, '--network', 'sepolia'],
      [argument],
      ['search', '--network', argument],
      ['webhooks', 'remove', argument],
    ]) {
      refuses = 'nothing';
      const ran = await runCli(args, variablesAt(port));
      expect(`${ran.stdout}${ran.stderr}`.trimEnd().replace('\n(Did', ' (Did')).not.toMatch(CONTROLS);
      refuses = 'requests';
      expect((await runCli(args, variablesAt(port))).stderr).not.toMatch(CONTROLS);
    }
  });
});
