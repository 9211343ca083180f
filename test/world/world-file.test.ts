import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { WorldFacts } from './world-facts.ts';
import { leaveWorld, outsideOf, readWorld, removeStaleWorld, removeWorld, writeWorld } from './world-file.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatepass-test-'));
  file = join(folder, 'world.json');
});

afterEach(() => rmSync(folder, { recursive: true }));

const NOBODY = 2 ** 30;

function aWorld(overrides: Partial<WorldFacts> = {}): WorldFacts {
  const url = 'http://127.0.0.1:1';
  const urls = { issuer: url, tokenUrl: url, jwksUrl: url };
  const pids = { oauth: process.pid, sepolia: 2 };
  const gatekeeper = { ethereum: '0x', solana: '1' };
  const operator = { clientId: 'o', clientSecret: 's', audience: 'b' };
  return { ...urls, audience: 'a', partners: [], operator, rpc: {}, gatewayToken: {}, gatekeeper, pids, ...overrides };
}

function aJoinedWorld(worker: number): WorldFacts {
  return aWorld({
    baseUrl: 'http://127.0.0.1:2',
    state: '/s',
    pids: { ...aWorld().pids, worker, workerd: 4, proxy: 5 },
  });
}

it('is never seen half', async () => {
  const large = aWorld({
    rpc: Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`network${i}`, 'x'.repeat(50)])),
  });
  await writeWorld(large, file);
  let writing = true;
  const writes = (async () => {
    for (let i = 0; i < 20; i++) await writeWorld(large, file);
    writing = false;
  })();
  while (writing) {
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).rpc)).toHaveLength(5_000);
    await new Promise(setImmediate);
  }
  await writes;
  expect(readdirSync(folder)).toEqual(['world.json']);
});

it('that is missing gets a line that says what to do', async () => {
  await expect(readWorld(file)).rejects.toThrow('npm run world');
});

it('goes when the command that wrote it ends', async () => {
  await writeWorld(aWorld(), file);
  await removeWorld(file);
  expect(readdirSync(folder)).toEqual([]);
});

it('stays when another command has written it since', async () => {
  await writeWorld(aWorld({ pids: { oauth: NOBODY } }), file);
  await removeWorld(file);
  await leaveWorld(aJoinedWorld(3), file);
  expect(await readWorld(file)).toEqual(aWorld({ pids: { oauth: NOBODY } }));
});

it('is without the Worker when that has left', async () => {
  expect(outsideOf(aJoinedWorld(3))).toEqual(aWorld());
  await writeWorld(aJoinedWorld(3), file);
  await leaveWorld(aJoinedWorld(3), file);
  expect(await readWorld(file)).toEqual(aWorld());
});

it('tells a shell what a partner knows, as long as the Worker runs', async () => {
  const acme = { name: 'acme', clientId: 'acme', clientSecret: 'a secret', gatekeeperNetwork: 'g', scopes: [] };
  const world = { ...aJoinedWorld(3), partners: [acme] };
  const shown = () =>
    spawnSync('bash', ['-c', '. ./partner.env; env'], {
      cwd: folder,
      env: { PATH: process.env.PATH },
      encoding: 'utf8',
    });
  await writeWorld(world, file);
  expect(shown().stdout.split('\n')).toEqual(
    expect.arrayContaining([
      'GATEPASS_URL=http://127.0.0.1:2',
      'GATEPASS_TOKEN_URL=http://127.0.0.1:1',
      'GATEPASS_CLIENT_ID=acme',
      'GATEPASS_CLIENT_SECRET=a secret',
    ]),
  );
  await leaveWorld(world, file);
  expect(readdirSync(folder)).toEqual(['world.json']);
  await writeWorld(world, file);
  await removeWorld(file);
  expect(readdirSync(folder)).toEqual([]);
});

it('is taken away only from a command that is dead', async () => {
  await writeWorld(aWorld(), file);
  await removeStaleWorld(file);
  expect(readdirSync(folder)).toEqual(['world.json']);
  await writeWorld(aWorld({ pids: { oauth: NOBODY } }), file);
  await removeStaleWorld(file);
  expect(readdirSync(folder)).toEqual([]);
});
