import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminCall, credentialsIn } from '../../../ops/admin-api.ts';
import { accountIn, idsOfScript } from '../../../ops/rebuild/cloudflare-api.ts';
import { type IdSource, idsInFile, idsInState, idsOfList } from '../../../ops/rebuild/object-ids.ts';
import { rebuildShard } from '../../../ops/rebuild/rebuild-shard.ts';
import { rebuildCommand } from '../../../ops/rebuild.ts';
import { parseCommand } from '../../parse-command.ts';

/** `npm run rebuild`: how it finds the ids of the pass objects, and how it sends them to the service. */

const idOf = (number: number) => number.toString(16).padStart(64, '0');
const idsTo = (count: number) => Array.from({ length: count }, (_, number) => idOf(number));

async function all(source: IdSource): Promise<string[]> {
  const ids: string[] = [];
  let position: string | undefined;
  do {
    const page = await source(position);
    ids.push(...page.ids);
    position = page.next;
  } while (position !== undefined);
  return ids;
}

const folder = mkdtempSync(join(tmpdir(), 'gatepass-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('requires a shard and either a local or a deployed service', () => {
  const remote = ['--shard', 'DB_1', '--env', 'production', '--url', 'https://api.acme.io/partner/'];
  expect(parseCommand(rebuildCommand, remote)).toEqual({
    shard: 'DB_1',
    env: 'production',
    url: 'https://api.acme.io/partner',
    parallel: 8,
  });
  for (const [args, complaint] of [
    [['--local'], /required option '--shard <name>'/],
    [['--shard', 'DB'], /name one of --local, --env/],
    [['--shard', 'DB', '--local', '--env', 'production'], /name one of --local, --env/],
    [['--shard', 'DB_0', '--local'], /--shard/],
    [['--shard', 'DB', '--env', 'production'], /--env requires --url/],
    [[...remote, '--localnet', 'x'], /--localnet requires --local/],
    [[...remote, '--parallel', '33'], /from 1 to 32/],
    [[...remote, '--url', 'https://me:secret@api.acme.io'], /without user/],
    [['--shard', 'DB', '--nope'], /unknown option '--nope'/],
  ] as const)
    expect(() => parseCommand(rebuildCommand, args)).toThrow(complaint);
});

it('accepts a token of the operator or the credentials to fetch one', () => {
  const client = {
    GATEPASS_TOKEN_URL: 'https://id.acme.io',
    GATEPASS_CLIENT_ID: 'ops',
    GATEPASS_CLIENT_SECRET: 'secret',
  };
  expect(credentialsIn({ GATEPASS_TOKEN: 'token', ...client })).toBe('token');
  expect(credentialsIn(client)).toEqual({ tokenUrl: 'https://id.acme.io', clientId: 'ops', clientSecret: 'secret' });
  expect(credentialsIn({ ...client, GATEPASS_AUDIENCE: 'us' })).toMatchObject({ audience: 'us' });
  expect(() => credentialsIn({ ...client, GATEPASS_CLIENT_ID: '' })).toThrow('set GATEPASS_TOKEN, or');
  expect(() => accountIn({ CLOUDFLARE_ACCOUNT_ID: 'a' })).toThrow('CLOUDFLARE_API_TOKEN');
});

describe('the ids of pass objects', () => {
  it('come from a file, each once', async () => {
    const file = join(folder, 'ids');
    writeFileSync(file, `${idOf(1)}\n${idOf(2)}\r\n\n${idOf(1)}\n`);
    expect(idsInFile(file)).toEqual([idOf(1), idOf(2)]);
    writeFileSync(file, `${idOf(1)}\nrubbish`);
    expect(() => idsInFile(file)).toThrow('"rubbish" is not the id');
    expect(() => idsInFile(join(folder, 'nothing'))).toThrow('cannot be read');
  });

  it('come from the folder of a local service', async () => {
    const objects = join(folder, 'state', 'wrangler', 'v3', 'do', 'gatepass-PassObject');
    mkdirSync(objects, { recursive: true });
    for (const name of [`${idOf(2)}.sqlite`, `${idOf(1)}.sqlite`, `${idOf(1)}.sqlite-wal`, 'metadata.sqlite']) {
      writeFileSync(join(objects, name), '');
    }
    expect(await idsInState(join(folder, 'state'), 'gatepass')).toEqual([idOf(1), idOf(2)]);
    expect(await idsInState(join(folder, 'other'), 'gatepass')).toEqual([]);
  });

  it('come in pages that start at any position of the list', async () => {
    const ids = idsTo(4_500);
    expect(await all(idsOfList(ids))).toEqual(ids);
    expect(await idsOfList(ids)('4400')).toEqual({ ids: ids.slice(4_400), next: undefined });
    expect(await idsOfList([])(undefined)).toEqual({ ids: [], next: undefined });
    await expect(idsOfList(ids)('a cursor')).rejects.toThrow('without --continue');
  });
});

describe("the ids from Cloudflare's API", () => {
  let server: Server;
  let api: string;
  const asked: { path: string; token: string | undefined }[] = [];
  const OBJECTS = idsTo(5);

  /** Answers like the documented API: namespaces by page, objects by cursor. */
  function answerTo(path: string): [status: number, body: object] {
    const { pathname, searchParams } = new URL(path, 'http://api');
    const base = '/accounts/acc/workers/durable_objects/namespaces';
    if (pathname === base) {
      const others = Array.from({ length: 100 }, (_, n) => ({ id: `n${n}`, class: 'Other', script: 'gatepass' }));
      const ours = [
        { id: 'signers', class: 'SignerObject', script: 'gatepass' },
        { id: 'staging', class: 'PassObject', script: 'gatepass-staging' },
        { id: 'passes', class: 'PassObject', script: 'gatepass' },
      ];
      return [200, { success: true, result: searchParams.get('page') === '1' ? others : ours }];
    }
    if (pathname !== `${base}/passes/objects`) return [403, { success: false, errors: [{ message: 'not allowed' }] }];
    const from = Number(searchParams.get('cursor') ?? 0);
    const result = OBJECTS.slice(from, from + 2).map((id, n) => ({ id, hasStoredData: from + n !== 3 }));
    const after = from + 2 < OBJECTS.length ? String(from + 2) : '';
    return [200, { success: true, result, result_info: { count: result.length, cursors: { after } } }];
  }

  beforeAll(async () => {
    server = createServer(({ url = '', headers }, response) => {
      asked.push({ path: url, token: headers.authorization });
      const [status, body] = answerTo(url);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  it('are the ids of the pass objects of the script, without objects that store nothing', async () => {
    const source = await idsOfScript({ id: 'acc', token: 'planted' }, 'gatepass', api);
    expect(await all(source)).toEqual(OBJECTS.filter((_, n) => n !== 3));
    expect(new Set(asked.map(({ token }) => token))).toEqual(new Set(['Bearer planted']));
    expect((await source('4')).ids).toEqual([OBJECTS[4]]);
  });

  it('are replaced by an error with the reason and without the token if the API refuses', async () => {
    await expect(idsOfScript({ id: 'acc', token: 'planted' }, 'unknown', api)).rejects.toThrow(
      'no Durable Object namespace of PassObject for the Worker unknown',
    );
    const refused = await idsOfScript({ id: 'other', token: 'planted' }, 'gatepass', api).catch((fault) => fault);
    expect(refused.message).toBe(
      'the Cloudflare API answered 403 (not allowed): check the permissions of CLOUDFLARE_API_TOKEN',
    );
  });
});

describe('a rebuild', () => {
  interface Slice {
    shard: string;
    objects: string[];
    start?: boolean;
    position?: string | null;
  }
  /** Returns a service that stores the progress like the real one. `unreachable` is the number of failures of each object. */
  function aService(unreachable = new Map<string, number>()) {
    const done = new Set<string>();
    const slices: Slice[] = [];
    const state = { under: 0, most: 0, ended: false };
    const progress = { shard: 'DB', finished: null as number | null, position: null as string | null, objects: 0 };
    let begun = false;
    const call = async (method: string, _: string, body?: Slice) => {
      if (method === 'GET') return { rebuilds: begun ? [{ ...progress }] : [] };
      const { objects, start, position } = body as Slice;
      slices.push(body as Slice);
      state.under += 1;
      state.most = Math.max(state.most, state.under);
      await new Promise((resolve) => setTimeout(resolve, 1));
      state.under -= 1;
      if (state.ended) throw new Error('gone');
      begun = true;
      if (start) Object.assign(progress, { finished: null, position: null, objects: 0 });
      const away = objects.filter((id) => (unreachable.get(id) ?? 0) > 0);
      for (const id of away) unreachable.set(id, (unreachable.get(id) ?? 0) - 1);
      for (const id of objects) if (!away.includes(id)) done.add(id);
      progress.objects += objects.length - away.length;
      if (position !== undefined) Object.assign(progress, { position, finished: position === null ? 1 : null });
      return { unreachable: away };
    };
    return { call: call as unknown as AdminCall, done, slices, state, progress };
  }
  const run = (service: ReturnType<typeof aService>, ids: readonly string[], more = {}) =>
    rebuildShard(service.call, {
      shard: 'DB',
      source: idsOfList(ids),
      parallel: 4,
      continues: false,
      say: () => {},
      ...more,
    });

  it('sends every object once, several slices at a time, and then marks the end', async () => {
    const service = aService();
    const ids = idsTo(4_321);
    expect(await run(service, ids)).toMatchObject({ finished: 1, objects: ids.length });
    expect([...service.done].toSorted()).toEqual(ids);
    expect(Math.max(...service.slices.map(({ objects }) => objects.length))).toBe(200);
    expect(service.state.most).toBe(4);
    expect(service.slices.filter(({ start }) => start)).toHaveLength(1);
    expect(service.slices.at(-1)).toEqual({ shard: 'DB', objects: [], position: null });
  });

  it('finishes for a service without objects', async () => {
    expect(await run(aService(), [])).toMatchObject({ finished: 1, objects: 0 });
  });

  it('continues after the last finished page if the operator asks for it', async () => {
    const service = aService();
    const ids = idsTo(5_000);
    await stopAt('4000', service, ids);
    expect(service.progress).toMatchObject({ position: '4000', finished: null });
    await run(service, ids, { continues: true });
    expect(service.slices.flatMap(({ objects }) => objects)).toEqual(ids.slice(4_000));
    expect([...service.done].toSorted()).toEqual(ids);
    await expect(run(service, ids, { continues: true })).rejects.toThrow('no rebuild of DB was stopped');
  });

  it.each([
    ['repeats its page', ['2000']],
    ['goes in a circle', ['2000', '4000', '2000']],
  ])('fails instead of running without end or ending early if the list %s', async (_, positions) => {
    const service = aService();
    const left = [...positions];
    const source: IdSource = async (asked) => ({ ids: [idOf(1)], next: left.shift() ?? asked });
    await expect(run(service, [], { source })).rejects.toThrow('the list of objects repeats itself at 2000');
    expect(service.progress).toMatchObject({ finished: null });
  });

  it('starts at the first object unless the operator continues, because the shard may have been restored again meanwhile', async () => {
    const service = aService();
    const ids = idsTo(5_000);
    await stopAt('4000', service, ids);
    await run(service, ids);
    expect(service.slices[0]).toMatchObject({ start: true });
    expect(service.slices.flatMap(({ objects }) => objects)).toHaveLength(5_000);
  });

  /** Runs a rebuild that stops after this position. */
  async function stopAt(position: string, service: ReturnType<typeof aService>, ids: readonly string[]) {
    const stopping: IdSource = async (asked) => {
      if (asked === position) service.state.ended = true;
      return idsOfList(ids)(asked);
    };
    await expect(run(service, ids, { source: stopping })).rejects.toThrow('gone');
    service.state.ended = false;
    service.slices.length = 0;
  }

  it('sends objects again that do not answer, and never skips them: it stops', async () => {
    const ids = idsTo(300);
    const service = aService(new Map([[idOf(7), 4]]));
    await run(service, ids);
    expect(service.done.size).toBe(300);

    const stuck = aService(new Map([[idOf(7), 99]]));
    await expect(run(stuck, ids)).rejects.toThrow(`1 objects do not answer, for example ${idOf(7)}`);
    expect(stuck.progress).toMatchObject({ finished: null, position: null });
  });
});
