import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Child, startChild } from '../../../terminal/child-process.ts';
import { PROJECT, QUIET_ENV } from '../../../terminal/wrangler.ts';
import { SANDBOX } from '../../../tools/localnet/oauth/partners.ts';
import { findFreePort } from '../../../tools/localnet/state/ports.ts';
import { codeBlocks, textOf } from '../../unit/documents/markdown.ts';
import { startLocalRegistry } from '../packages/local-registry.ts';
import { pollUntil } from '../poll-until.ts';
import { runProgram } from '../run-program.ts';
import { linesOnScreen } from './terminal-screen.ts';

/** `npx wrangler dev` in a clean clone, and what `wrangler deploy` makes of the same clone. */

/** It only ends a start that hangs. */
const START_MAX_MS = 250_000;
const EVENTS_MAX_MS = 60_000;
/** The events that need a request of the partner after the issuance. */
const CHANGES = [
  'pass.frozen',
  'pass.unfrozen',
  'pass.revoked',
  'pass.renewed',
  'pass.expiry_changed',
  'pass.change_failed',
  'pass.reference_changed',
];
interface FeedPage {
  readonly events: readonly { readonly type: string; readonly data: { readonly pass?: { walletAddress: string } } }[];
}
const clone = mkdtempSync(join(tmpdir(), 'gatepass-clone-'));
const BIN = join(PROJECT, 'node_modules', '.bin');
/** Only what keeps the runs apart. With the variable of the tests, wrangler would not build for a developer's machine. */
const env = {
  ...QUIET_ENV,
  NODE_ENV: '',
  PATH: `${BIN}:${process.env.PATH}`,
  WRANGLER_LOG_PATH: join(clone, '.wrangler', 'logs'),
};

/** The end of the lines to paste. */
const LAST_LINE = 'API reference to read and try';

interface Dev {
  readonly child: Child;
  readonly origin: string;
  readonly port: number;
  readonly lines: readonly string[];
  /** The lines to paste, without the comments. */
  readonly commands: () => readonly string[];
}
const started: Dev[] = [];
const isCommand = (line: string) => /^(export |TOKEN=|curl )/.test(line);

/** Starts `wrangler dev` in the clone, as a user does, and waits until it is ready. */
async function startDev(more: readonly string[] = [], isBare = true): Promise<Dev> {
  const [port, inspector] = [await findFreePort(), await findFreePort()];
  const lines: string[] = [];
  const args = [`--port=${port}`, `--inspector-port=${inspector}`, '--show-interactive-dev-session=false', ...more];
  const child = await startChild('npx', ['wrangler', 'dev', ...args], {
    cwd: clone,
    env: { ...env, WRANGLER_REGISTRY_PATH: join(clone, '.wrangler', `registry-${port}`) },
    onLine: (line) => lines.push(line),
  });
  const dev = {
    child,
    origin: `http://localhost:${port}`,
    port,
    lines,
    commands: () => lines.filter(isCommand),
  };
  started.push(dev);
  let ended = false;
  child.ended.then(() => {
    ended = true;
  });
  await pollUntil(
    async () => lines.some((line) => line.includes(isBare ? LAST_LINE : 'Ready on')) || ended,
    (isReady) => isReady,
    START_MAX_MS,
  );
  if (ended) throw new Error(lines.join('\n'));
  return dev;
}

/** Pastes commands into a shell. */
async function paste(...commands: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram(['bash', '--norc', '-c', commands.join('\n')], {});
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

const [settings, fetchToken, issue, fetchPass] = [0, 1, 2, 3].map((at) => () => dev.commands()[at] ?? '') as [
  () => string,
  () => string,
  () => string,
  () => string,
];
const token = () => `${settings()}\n${fetchToken()}`;
let dev: Dev;
let key: { readonly d: string; readonly kid: string };
let secret: string;

beforeAll(async () => {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: PROJECT,
    encoding: 'utf8',
  });
  for (const file of files.split('\0').filter((each) => each !== '' && existsSync(join(PROJECT, each))))
    cpSync(join(PROJECT, file), join(clone, file), { recursive: true, verbatimSymlinks: true });
  for (const folder of ['node_modules', 'packages/client/node_modules', 'packages/cli/node_modules'])
    if (existsSync(join(PROJECT, folder))) symlinkSync(join(PROJECT, folder), join(clone, folder));
  dev = await startDev();
  ({ key, secret } = JSON.parse(readFileSync(join(clone, '.wrangler', 'development-key.json'), 'utf8')));
});
afterAll(async () => {
  await Promise.all(started.map(({ child }) => child.stop()));
  rmSync(clone, { recursive: true, force: true });
});

const recordIn = (text: string) => JSON.parse(text) as { id: string; state: string; onChainState: string };
/** Pastes the line that fetches a token, and returns the token. */
const pasteToken = async () => (await paste(token(), 'echo "$TOKEN"')).trim();

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Sends a request with any header, which `fetch` would not. */
function ask(path: string, headers: Readonly<Record<string, string>>, form?: string, at = dev): Promise<Answer> {
  const method = form === undefined ? 'GET' : 'POST';
  return new Promise((resolve, reject) => {
    const sent = send({ host: '127.0.0.1', port: at.port, path, method, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        body += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    sent.on('error', reject).end(form);
  });
}

const FORM = 'grant_type=client_credentials';
const basic = (password = secret) => `Basic ${btoa(`sandbox:${password}`)}`;
const grant = (headers: Readonly<Record<string, string>> = {}, form = FORM, at = dev) =>
  ask(
    '/development/token',
    { 'content-type': 'application/x-www-form-urlencoded', authorization: basic(), ...headers },
    form,
    at,
  );

describe('npx wrangler dev in a clean clone', () => {
  it('says in its last lines how to get a token and to issue a pass, and the lines work as they are', async () => {
    const first = dev.lines.findIndex((line) => line.startsWith('Gatepass runs with a sandbox'));
    expect(first).toBeGreaterThan(dev.lines.findIndex((line) => line.includes('Ready on')));
    const last = dev.lines.findIndex((line) => line.startsWith(LAST_LINE));
    expect(
      dev.lines.slice(last + 1).filter((line) => !/^\[wrangler:info\] POST \/development\/|^$/.test(line)),
    ).toEqual([]);
    expect(dev.commands()).toHaveLength(4);
    const answer = await paste(token(), issue().replace('curl -s', 'curl -s -i'));
    // The answer waits for the chain, but a busy machine may need longer.
    expect(answer).toMatch(/^preference-applied: wait=20\r?$/im);
    const record = recordIn(answer.slice(answer.indexOf('{')));
    expect(['REQUESTED', 'ACTIVE']).toContain(record.state);
    const fetched = await pollUntil(
      async () => recordIn(await paste(token(), fetchPass())),
      ({ state }) => state === 'ACTIVE',
    );
    expect(fetched).toMatchObject({ id: record.id, onChainState: 'ACTIVE' });
  });

  it('shows partners the address of its issuer, and a reference', async () => {
    const document = await (await fetch(`${dev.origin}/openapi.json`)).text();
    expect(document).toContain(`${dev.origin}/development/token`);
    expect((await fetch(`${dev.origin}/docs`)).status).toBe(200);
  });

  it('grants the scopes that a client asks for, by the header or by the form', async () => {
    const inForm = `${FORM}&client_id=sandbox&client_secret=${secret}&scope=search:pass`;
    const { status, headers, body } = await ask(
      '/development/token',
      { 'content-type': 'application/x-www-form-urlencoded' },
      inForm,
    );
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    const { access_token, ...rest } = JSON.parse(body);
    expect(rest).toEqual({ token_type: 'Bearer', expires_in: 3600, scope: 'search:pass' });
    const refused = await fetch(`${dev.origin}/webhooks`, { headers: { authorization: `Bearer ${access_token}` } });
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([403, 'insufficient_scope']);
  });

  it.each([
    ['a wrong secret', () => ({ authorization: basic('sandbox-secret') }), FORM, 401, 'invalid_client'],
    ['no secret', () => ({ authorization: '' }), FORM, 401, 'invalid_client'],
    ['the secret at two places', () => ({}), `${FORM}&client_secret=x`, 401, 'invalid_client'],
    ['another grant', () => ({}), 'grant_type=password', 400, 'unsupported_grant_type'],
    ['a parameter twice', () => ({}), `${FORM}&scope=search:pass&scope=issue:pass`, 400, 'invalid_request'],
    ['an unknown scope', () => ({}), `${FORM}&scope=admin`, 400, 'invalid_scope'],
    ['JSON', () => ({ 'content-type': 'application/json' }), '{}', 400, 'invalid_request'],
    ['a form of a page without a type', () => ({ 'content-type': 'text/plain' }), FORM, 400, 'invalid_request'],
    ['a page that rebinds a name', () => ({ host: `evil.example:${dev.port}` }), FORM, 403, 'access_denied'],
    ['another machine', () => ({ 'cf-connecting-ip': '192.168.1.7' }), FORM, 403, 'access_denied'],
    ['a tunnel', () => ({ 'x-forwarded-for': '203.0.113.9' }), FORM, 403, 'access_denied'],
    ['a page of another origin', () => ({ origin: 'https://evil.example' }), FORM, 403, 'access_denied'],
    ['a page without an origin', () => ({ origin: 'null' }), FORM, 403, 'access_denied'],
  ])('grants no token for %s, and lets no page read the answer', async (_, changes, form, status, error) => {
    const answer = await grant(changes(), form);
    expect([answer.status, JSON.parse(answer.body).error]).toEqual([status, error]);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  it('serves nothing under another name, so that a page that rebinds a name reads nothing', async () => {
    for (const path of ['/health', '/docs', '/openapi.json', '/development/keys']) {
      const answer = await ask(path, { host: 'evil.example' });
      expect([path, answer.status, JSON.parse(answer.body).error]).toEqual([path, 403, 'access_denied']);
    }
  });

  it('serves no page that also names this machine in a header of the proxy, and serves browsers and programs', async () => {
    const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0' };
    for (const path of ['/health', '/docs', '/openapi.json', '/development/keys']) {
      const rebound = { host: `evil.example:${dev.port}`, 'mf-original-url': dev.origin + path };
      const hidden = {
        ...rebound,
        'mf-sec-fetch-mode': 'navigate',
        'x-forwarded-host': 'localhost',
      };
      for (const headers of [rebound, { ...rebound, ...browser }, { ...hidden, ...browser }]) {
        const answer = await ask(path, headers);
        expect([path, answer.status, JSON.parse(answer.body).error]).toEqual([path, 403, 'access_denied']);
      }
    }
    const granted = await grant({
      host: `evil.example:${dev.port}`,
      'mf-original-url': `${dev.origin}/development/token`,
      origin: `http://evil.example:${dev.port}`,
    });
    expect([granted.status, JSON.parse(granted.body).error]).toEqual([403, 'access_denied']);
    for (const headers of [{ ...browser, 'sec-fetch-site': 'none' }, { 'user-agent': 'curl/8.5.0' }])
      expect((await ask('/health', headers)).status).toBe(200);
  });

  it('prints nothing for a page of another origin', async () => {
    const answer = await ask('/development/print', { origin: 'https://evil.example' }, 'a text of a page');
    expect([answer.status, dev.lines.filter((line) => line.includes('a text of a page'))]).toEqual([403, []]);
  });

  it('answers the preflight of a page without any header of CORS', async () => {
    const answer = await fetch(`${dev.origin}/development/token`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  });

  it('keeps its key and its secret for the user alone, and out of the files of git', () => {
    for (const file of ['development-key.json', 'development.txt'])
      expect(statSync(join(clone, '.wrangler', file)).mode & 0o077).toBe(0);
    const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: PROJECT, encoding: 'utf8' }).split('\0');
    expect(tracked).toContain('.dev.vars');
    expect(tracked.filter((file) => file.startsWith('.wrangler'))).toEqual([]);
    expect(readFileSync(join(PROJECT, '.dev.vars'), 'utf8')).not.toMatch(/KEY|SECRET|PRIVATE/);
  });

  it('runs twice at once on the same state: both accept the token of either', async () => {
    const other = await startDev();
    const own = await pasteToken();
    const foreign = JSON.parse((await grant({}, FORM, other)).body).access_token as string;
    for (const { origin } of [dev, other])
      for (const bearer of [own, foreign]) {
        const answer = await fetch(`${origin}/webhooks`, { headers: { authorization: `Bearer ${bearer}` } });
        expect([origin, answer.status]).toEqual([origin, 200]);
      }
    await other.child.stop();
  });

  it('continues with its state at the next start, and finds no migration to apply', async () => {
    const before = await pasteToken();
    const pass = recordIn(await paste(token(), fetchPass()));
    const headers = { authorization: `Bearer ${before}`, 'content-type': 'application/json' };
    const trigger = async (type: string) => {
      const body = JSON.stringify({ type });
      const answer = await fetch(`${dev.origin}/sandbox/trigger`, { method: 'POST', headers, body });
      return ((await answer.json()) as { pass: { walletAddress: string } }).pass.walletAddress;
    };
    const triggered = new Map<string, string>();
    for (const type of CHANGES) triggered.set(await trigger(type), type);
    await dev.child.stop();
    const list = ['wrangler', 'd1', 'migrations', 'list', 'DB', '--local'];
    expect(execFileSync('npx', list, { cwd: clone, env: { ...process.env, ...env }, encoding: 'utf8' })).toMatch(
      /No migrations to apply/,
    );
    dev = await startDev();
    const kept = await fetch(`${dev.origin}/pass/ethereum/sepolia/0x52908400098527886E0F7030069857D2E4169EE7`, {
      headers: { authorization: `Bearer ${before}` },
    });
    expect([kept.status, ((await kept.json()) as { id: string }).id]).toEqual([200, pass.id]);
    // The events that were triggered right before the end come too.
    const found = async () => {
      const { events } = (await (await fetch(`${dev.origin}/events?limit=100`, { headers })).json()) as FeedPage;
      return events.filter(({ type, data }) => triggered.get(data.pass?.walletAddress ?? '') === type);
    };
    const all = await pollUntil(found, (events) => events.length >= CHANGES.length, EVENTS_MAX_MS);
    expect(all.map(({ type }) => type).toSorted()).toEqual(CHANGES.toSorted());
  });
});

describe.each([24, 40])('in a terminal of %i rows', (rows) => {
  it('ends its start with the lines to paste on the screen, and they issue a pass', async () => {
    let output = '';
    const port = await findFreePort();
    const program = join(import.meta.dirname, 'run-in-terminal.py');
    const options = [`--port=${port}`, `--inspector-port=${await findFreePort()}`];
    const child = await startChild('python3', [program, `${rows}`, '80', 'npx', 'wrangler', 'dev', ...options], {
      cwd: clone,
      env: { ...env, CI: '', WRANGLER_REGISTRY_PATH: join(clone, '.wrangler', `registry-${port}`) },
      onLine: (line) => {
        output += Buffer.from(line, 'hex').toString();
      },
    });
    try {
      await pollUntil(
        async () => stripVTControlCharacters(output).includes('POST /development/print 204'),
        (isOver) => isOver,
        START_MAX_MS,
      );
      const screen = linesOnScreen(output, rows, 80);
      const [before] = screen.filter((line) => line !== '');
      expect(screen.filter(isCommand), before).toHaveLength(4);
      const [issued = '', fetched = ''] = (await paste(...screen.filter(isCommand))).trim().split('\n');
      expect(['REQUESTED', 'ACTIVE']).toContain(recordIn(issued).state);
      expect(recordIn(fetched).id).toBe(recordIn(issued).id);
    } finally {
      await child.stop();
    }
  });
});

/** The settings that `wrangler dev` prints for the command. */
const printedSettings = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...settings().matchAll(/(GATEPASS_\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
  );

describe('the quickstart of a sandbox', () => {
  it('takes at most ten commands from an empty folder to a rejection, a reorg and an expiry at a receiver', async () => {
    const [, section = ''] = textOf('docs/partners/quickstart.md').split('\n## In a sandbox\n');
    const blocks = codeBlocks(section.split('\n## ')[0] ?? '', 'sh').map((block) => block.trim().split('\n'));
    expect(blocks.flat().length).toBeLessThanOrEqual(10);
    const [[install = '', login = '', receive = ''] = [], [listen = ''] = [], asked = []] = blocks;
    const folder = mkdtempSync(join(tmpdir(), 'gatepass-newcomer-'));
    const registry = await startLocalRegistry();
    const home = {
      HOME: folder,
      PATH: `${join(folder, 'global', 'bin')}:${process.env.PATH}`,
      npm_config_registry: registry.url,
      npm_config_cache: join(folder, 'cache'),
      npm_config_prefix: join(folder, 'global'),
      npm_config_audit: 'false',
      npm_config_update_notifier: 'false',
      ...printedSettings(),
    };
    const port = String(await findFreePort());
    const inFolder = (line: string) => ['-c', `cd '${folder}' && exec ${line.replaceAll('3000', port)}`];
    const run = (line: string) => runProgram(['bash', '--norc', ...inFolder(line)], home);
    const received: string[] = [];
    const heard: string[] = [];
    const background: Child[] = [];
    const start = async (line: string, lines: string[]) =>
      background.push(
        await startChild('bash', ['--norc', ...inFolder(line)], { env: home, onLine: (each) => lines.push(each) }),
      );
    try {
      expect(await run(install)).toMatchObject({ code: 0 });
      expect(registry.asked.filter((name) => /gatepass/.test(name))).toEqual([]);
      expect(await run(login)).toMatchObject({ code: 0, stderr: '' });
      await start(receive, received);
      await start(listen, heard);
      await pollUntil(
        async () => heard,
        (lines) => lines.some((line) => line.includes('secret of this run')),
      );
      const codes: (number | null)[] = [];
      for (const line of asked) codes.push((await run(line)).code);
      expect(codes).toEqual([0, 1, 0, 0, 0]);
      const expected = asked.slice(0, 4).map((line, at) => {
        const type = ['pass.issued', 'pass.rejected', 'pass.reorged', 'pass.expired'][at];
        return `${type} ${line.split(' ')[2]}`;
      });
      const events = async () =>
        received.map((line) => JSON.parse(line)).map(({ type, data }) => `${type} ${data.pass.walletAddress}`);
      await pollUntil(events, (each) => expected.every((one) => each.includes(one)));
    } finally {
      await Promise.all(background.map((child) => child.stop()));
      registry.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('npx wrangler deploy in the same clone', () => {
  const released = join(clone, 'released');
  const build = (more: Readonly<Record<string, string>> = {}) =>
    execFileSync('npx', ['wrangler', 'deploy', '--dry-run', '--outdir', released], {
      cwd: clone,
      env: { ...process.env, ...env, ...more },
      encoding: 'utf8',
      stdio: 'pipe',
    });

  it('uploads neither the issuer nor its key, and no variable of .dev.vars', () => {
    const printed = build();
    const files = readdirSync(released, { recursive: true, encoding: 'utf8' }).filter(
      (file) => !/\.map$|README/.test(file) && statSync(join(released, file)).isFile(),
    );
    expect(files).toContain('worker.js');
    const text = files.map((file) => readFileSync(join(released, file), 'latin1')).join('\n');
    const marks = [key.d, key.kid, secret, '/development/', SANDBOX, 'development.txt'];
    expect(marks.filter((mark) => text.includes(mark))).toEqual([]);
    expect(printed).toContain('env.DEPLOYMENT ("")');
    expect(printed).toContain('env.TOKEN_ISSUER ("")');
    expect(printed).not.toMatch(/\.dev\.vars|localhost/);
    expect(readdirSync(join(clone, 'dist', 'assets'), { recursive: true, encoding: 'utf8' }).join()).not.toMatch(
      /development/,
    );
  });

  it('fails while NODE_ENV would bundle the code of a developer’s machine', () => {
    expect(() => build({ NODE_ENV: 'development' })).toThrow(/NODE_ENV is "development"\. Unset it/);
  });

  it('releases a Worker that accepts no token and has no issuer, on any host', async () => {
    const bearer = await pasteToken();
    build();
    const template = readFileSync(join(clone, 'wrangler.toml'), 'utf8');
    expect(template).toContain('DEPLOYMENT = ""');
    // The built Worker with the variables of the template, as a release of it has them.
    const config = join(released, 'wrangler.toml');
    const built = template
      .replace(/^main = .*$/m, 'main = "worker.js"\nno_bundle = true')
      .replaceAll(/^\[(alias|define|build|dev)\]\n(?:(?!\[).*\n)*/gm, '')
      .replace(/^directory = "(.*)"$/m, (_, path) => `directory = ${JSON.stringify(join(clone, path))}`);
    writeFileSync(config, built);
    const bare = await startDev([`--config=${config}`, `--persist-to=${join(released, 'state')}`], false);
    expect(bare.commands()).toEqual([]);
    const asked = [
      await ask('/webhooks', { authorization: `Bearer ${bearer}` }, undefined, bare),
      await ask('/webhooks', { authorization: `Bearer ${bearer}`, host: 'localhost' }, undefined, bare),
      await grant({}, FORM, bare),
      await ask('/development/keys', {}, undefined, bare),
    ];
    expect(asked.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
    expect(asked.map(({ body }) => JSON.parse(body).code)).toEqual(Array(4).fill('not_configured'));
    for (const { body } of asked) expect(JSON.parse(body).detail).toContain('`git checkout .dev.vars`');
  });
});
