import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { profileFolder } from '../../../../packages/cli/src/profiles.ts';
import { runCli, variablesAt } from './run-cli.ts';

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json' });
  const answers: Record<string, unknown> = {
    '/token': { access_token: 'a', token_type: 'bearer' },
    '/health': { status: 'ok' },
    '/passes': { results: [] },
    '/webhooks': { webhooks: [] },
    '/pass': { records: [] },
  };
  response.end(JSON.stringify(answers[request.url ?? ''] ?? { events: [], next: 0, more: false }));
});
let port: number;
let home: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'gatepass-profiles-'));
  return () => rmSync(home, { recursive: true });
});

const folder = () => profileFolder({ XDG_CONFIG_HOME: home });
const fileOf = (name: string) => join(folder(), `${name}.json`);
const settings = () => variablesAt(port);
/** Runs the command with variables of the environment beside those of the profiles. */
const run = (args: readonly string[], variables: Record<string, string> = {}) =>
  runCli(args, { ...variables, XDG_CONFIG_HOME: home });
const save = (name: string, ...more: string[]) => run(['login', '--save', name, ...more], settings());

describe('a profile', () => {
  it('is stored by login, in a file that only its owner reads, and serves every command', async () => {
    const saved = await save('acme');
    expect(saved).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/\nstored: .*acme\.json\n$/) });
    expect(statSync(fileOf('acme')).mode & 0o777).toBe(0o600);
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
    expect(JSON.parse(readFileSync(fileOf('acme'), 'utf8'))).toEqual(settings());
    expect(readdirSync(folder())).toEqual(['acme.json']);
    expect(await run(['search', '--profile', 'acme'])).toEqual({ code: 0, stdout: '', stderr: 'no passes\n' });
    expect(await run(['search'], { GATEPASS_PROFILE: 'acme' })).toMatchObject({ code: 0 });
    const listed = await run(['profiles']);
    expect(listed.stdout).toBe(
      `profile  service${' '.repeat(settings().GATEPASS_URL.length - 7)}  client\nacme     ${settings().GATEPASS_URL}  acme\n`,
    );
    expect(`${saved.stdout}${listed.stdout}`).not.toContain(settings().GATEPASS_CLIENT_SECRET);
  });

  it('is not mixed with variables of the environment, whose URL could be of another service', async () => {
    await save('acme');
    const others = { GATEPASS_URL: 'http://127.0.0.1:9', GATEPASS_TOKEN_URL: 'http://127.0.0.1:9' };
    expect(await run(['search', '--profile', 'acme'], others)).toMatchObject({ code: 0 });
    writeFileSync(fileOf('acme'), JSON.stringify({ GATEPASS_CLIENT_SECRET: 'secret' }), { mode: 0o600 });
    const refused = await run(['search', '--profile', 'acme'], settings());
    expect(refused).toEqual({
      code: 2,
      stdout: '',
      stderr: 'the profile acme has no GATEPASS_URL, GATEPASS_TOKEN_URL, GATEPASS_CLIENT_ID\n',
    });
  });

  it('is replaced only after a confirmation', async () => {
    await save('acme');
    expect(await save('acme')).toMatchObject({
      code: 2,
      stderr: 'there is no terminal to confirm the replacement: add --yes\n',
    });
    expect(await save('acme', '--yes')).toMatchObject({ code: 0 });
  });

  it('is stored neither with wrong settings nor with half of them', async () => {
    const wrong = await run(['login', '--save', 'acme'], { ...settings(), GATEPASS_URL: 'http://127.0.0.1:9' });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('no answer from') });
    expect(await run(['login', '--save', 'acme'], { GATEPASS_URL: 'http://a.example' })).toMatchObject({ code: 2 });
    expect(existsSync(folder())).toBe(false);
  });

  it.each([0o640, 0o604, 0o660, 0o606, 0o644])('is refused if its rights are %o', async (mode) => {
    await save('acme');
    chmodSync(fileOf('acme'), mode);
    const refused = {
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/acme\.json: others can read this file.*chmod 600/),
    };
    expect(await run(['search', '--profile', 'acme'])).toEqual(refused);
    expect(await run(['profiles'])).toEqual(refused);
  });

  it('is refused if others can change its folder, or the file behind a link', async () => {
    await save('acme');
    chmodSync(folder(), 0o777);
    expect(await run(['search', '--profile', 'acme'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('others can change this folder'),
    });
    expect(await save('globex')).toMatchObject({ code: 2, stderr: expect.stringContaining('chmod 700') });
    chmodSync(folder(), 0o700);
    const target = join(home, 'open.json');
    writeFileSync(target, readFileSync(fileOf('acme')), { mode: 0o644 });
    symlinkSync(target, fileOf('linked'));
    expect(await run(['search', '--profile', 'linked'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('others can read'),
    });
  });

  it('leaves no right of a file that an earlier, killed command left beside it', async () => {
    mkdirSync(folder(), { recursive: true, mode: 0o700 });
    writeFileSync(`${fileOf('acme')}.new`, '{', { mode: 0o644 });
    expect(await save('acme')).toMatchObject({ code: 0 });
    expect(statSync(fileOf('acme')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder())).toEqual(['acme.json']);
  });

  it.each(['../acme', '/etc/passwd', '.', '../..', '', 'a/b', 'a'.repeat(65), '-a', 'a\u0000b'])(
    'cannot have the name %j',
    async (name) => {
      const ran = await run(['login', `--save=${name}`], settings());
      expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a name of a profile') });
      expect(existsSync(folder())).toBe(false);
    },
  );

  it.each(['', '{', '[]', '7', '{"GATEPASS_URL":7}', `"${'a'.repeat(70_000)}"`])(
    'with another content is refused without its text',
    async (text) => {
      await save('acme');
      writeFileSync(fileOf('acme'), `${text} whsec_x`.slice(0, text.length || 1));
      expect(await run(['search', '--profile', 'acme'])).toEqual({
        code: 2,
        stdout: '',
        stderr: `${fileOf('acme')} is not a profile\n`,
      });
    },
  );

  it('that does not exist, or is named beside an env file, gives one clear line', async () => {
    await save('acme');
    const wrong = await run(['search', '--profile', 'acne']);
    expect(wrong).toEqual({ code: 2, stdout: '', stderr: 'the profile acne does not exist. Did you mean acme?\n' });
    const both = await run(['search', '--profile', 'acme', '--env-file', 'x.env']);
    expect(both).toMatchObject({ code: 2, stderr: 'name either --profile or --env-file\n' });
  });
});

describe('logout', () => {
  it('deletes the named profile', async () => {
    await save('acme');
    await save('globex');
    expect(await run(['logout', '--profile', 'acme'])).toEqual({ code: 0, stdout: 'acme is deleted\n', stderr: '' });
    expect(readdirSync(folder())).toEqual(['globex.json']);
    expect(await run(['logout', '--profile', 'acme'])).toMatchObject({
      code: 2,
      stderr: 'the profile acme does not exist\n',
    });
  });

  it('deletes all of them only after a confirmation', async () => {
    await save('acme');
    await save('globex');
    expect(await run(['logout'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--profile, or add --all'),
    });
    expect(await run(['logout', '--all'])).toMatchObject({ code: 2, stderr: expect.stringContaining('add --yes') });
    expect(readdirSync(folder())).toHaveLength(2);
    expect(await run(['logout', '--all', '--yes'])).toMatchObject({
      code: 0,
      stdout: 'acme is deleted\nglobex is deleted\n',
    });
    expect(await run(['profiles'])).toMatchObject({ code: 0, stderr: expect.stringContaining('no profiles') });
    expect(await run(['logout', '--all', '--yes'])).toMatchObject({ code: 0, stderr: 'no profiles\n' });
  });
});
