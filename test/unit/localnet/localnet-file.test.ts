import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { LocalnetFacts } from '../../../localnet/state/localnet-facts.ts';
import {
  leaveLocalnet,
  outsideOf,
  readLocalnet,
  removeLocalnet,
  removeStaleLocalnet,
  writeLocalnet,
} from '../../../localnet/state/localnet-file.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatepass-test-'));
  file = join(folder, 'localnet.json');
});

afterEach(() => rmSync(folder, { recursive: true }));

const NOBODY = 2 ** 30;

function aLocalnet(overrides: Partial<LocalnetFacts> = {}): LocalnetFacts {
  const url = 'http://127.0.0.1:1';
  const urls = { issuer: url, tokenUrl: url, jwksUrl: url };
  const pids = { oauth: process.pid, sepolia: 2 };
  const gatekeeper = { ethereum: '0x', solana: '1' };
  const operator = { clientId: 'o', clientSecret: 's', audience: 'b' };
  return { ...urls, audience: 'a', partners: [], operator, rpc: {}, gatewayToken: {}, gatekeeper, pids, ...overrides };
}

function aJoinedLocalnet(worker: number): LocalnetFacts {
  return aLocalnet({
    baseUrl: 'http://127.0.0.1:2',
    state: '/s',
    pids: { ...aLocalnet().pids, worker, workerd: 4, proxy: 5 },
  });
}

it('is never seen half', async () => {
  const large = aLocalnet({
    rpc: Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`network${i}`, 'x'.repeat(50)])),
  });
  await writeLocalnet(large, file);
  let writing = true;
  const writes = (async () => {
    for (let i = 0; i < 20; i++) await writeLocalnet(large, file);
    writing = false;
  })();
  while (writing) {
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).rpc)).toHaveLength(5_000);
    await new Promise(setImmediate);
  }
  await writes;
  expect(readdirSync(folder)).toEqual(['localnet.json']);
});

it('that is missing gets a line that says what to do', async () => {
  await expect(readLocalnet(file)).rejects.toThrow('npm run localnet');
});

it('goes when the command that wrote it ends', async () => {
  await writeLocalnet(aLocalnet(), file);
  await removeLocalnet(file);
  expect(readdirSync(folder)).toEqual([]);
});

it('stays when another command has written it since', async () => {
  await writeLocalnet(aLocalnet({ pids: { oauth: NOBODY } }), file);
  await removeLocalnet(file);
  await leaveLocalnet(aJoinedLocalnet(3), file);
  expect(await readLocalnet(file)).toEqual(aLocalnet({ pids: { oauth: NOBODY } }));
});

it('is without the Worker when that has left', async () => {
  expect(outsideOf(aJoinedLocalnet(3))).toEqual(aLocalnet());
  await writeLocalnet(aJoinedLocalnet(3), file);
  await leaveLocalnet(aJoinedLocalnet(3), file);
  expect(await readLocalnet(file)).toEqual(aLocalnet());
});

it('tells a shell what a partner knows, as long as the Worker runs', async () => {
  const acme = { name: 'acme', clientId: 'acme', clientSecret: 'a secret', gatekeeperNetwork: 'g', scopes: [] };
  const localnet = { ...aJoinedLocalnet(3), partners: [acme] };
  const shown = () =>
    spawnSync('bash', ['-c', '. ./partner.env; env'], {
      cwd: folder,
      env: { PATH: process.env.PATH } as never,
      encoding: 'utf8',
    });
  await writeLocalnet(localnet, file);
  expect(shown().stdout.split('\n')).toEqual(
    expect.arrayContaining([
      'GATEPASS_URL=http://127.0.0.1:2',
      'GATEPASS_TOKEN_URL=http://127.0.0.1:1',
      'GATEPASS_CLIENT_ID=acme',
      'GATEPASS_CLIENT_SECRET=a secret',
    ]),
  );
  await leaveLocalnet(localnet, file);
  expect(readdirSync(folder)).toEqual(['localnet.json']);
  await writeLocalnet(localnet, file);
  await removeLocalnet(file);
  expect(readdirSync(folder)).toEqual([]);
});

it('is taken away only from a command that is dead', async () => {
  await writeLocalnet(aLocalnet(), file);
  await removeStaleLocalnet(file);
  expect(readdirSync(folder)).toEqual(['localnet.json']);
  await writeLocalnet(aLocalnet({ pids: { oauth: NOBODY } }), file);
  await removeStaleLocalnet(file);
  expect(readdirSync(folder)).toEqual([]);
});
