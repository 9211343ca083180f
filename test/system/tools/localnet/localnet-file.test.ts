import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { GatekeeperNetwork } from '../../../../src/network/slot.ts';
import type { LocalnetFacts } from '../../../../tools/localnet/state/localnet-facts.ts';
import {
  readLocalnetFile,
  removeLocalnetFile,
  removeStaleLocalnetFile,
  removeWorkerFromFile,
  withoutWorker,
  writeLocalnetFile,
} from '../../../../tools/localnet/state/localnet-file.ts';

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

it('never exposes a partly written localnet file', async () => {
  const large = aLocalnet({
    rpc: Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`network${i}`, 'x'.repeat(50)])),
  });
  await writeLocalnetFile(large, file);
  let writing = true;
  const writes = (async () => {
    for (let i = 0; i < 20; i++) await writeLocalnetFile(large, file);
    writing = false;
  })();
  while (writing) {
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).rpc)).toHaveLength(5_000);
    await new Promise(setImmediate);
  }
  await writes;
  expect(readdirSync(folder)).toEqual(['localnet.json']);
});

it('throws an error that names the command to start a localnet if the file is missing', async () => {
  await expect(readLocalnetFile(file)).rejects.toThrow('npm run localnet');
});

it('removes the file when the command that wrote it ends', async () => {
  await writeLocalnetFile(aLocalnet(), file);
  await removeLocalnetFile(file);
  expect(readdirSync(folder)).toEqual([]);
});

it('keeps the file if another command has written it since', async () => {
  await writeLocalnetFile(aLocalnet({ pids: { oauth: NOBODY } }), file);
  await removeLocalnetFile(file);
  await removeWorkerFromFile(aJoinedLocalnet(3), file);
  expect(await readLocalnetFile(file)).toEqual(aLocalnet({ pids: { oauth: NOBODY } }));
});

it('removes the Worker from the file when the Worker ends', async () => {
  expect(withoutWorker(aJoinedLocalnet(3))).toEqual(aLocalnet());
  await writeLocalnetFile(aJoinedLocalnet(3), file);
  await removeWorkerFromFile(aJoinedLocalnet(3), file);
  expect(await readLocalnetFile(file)).toEqual(aLocalnet());
});

it('writes the credentials of a partner to a file for a shell while the Worker runs', async () => {
  const acme = {
    name: 'acme',
    clientId: 'acme',
    clientSecret: 'a secret',
    gatekeeperNetwork: 'g' as GatekeeperNetwork,
    scopes: [],
  };
  const localnet = { ...aJoinedLocalnet(3), partners: [acme] };
  const sourceInShell = () =>
    spawnSync('bash', ['-c', '. ./partner.env; env'], {
      cwd: folder,
      env: { PATH: process.env.PATH } as never,
      encoding: 'utf8',
    });
  await writeLocalnetFile(localnet, file);
  expect(sourceInShell().stdout.split('\n')).toEqual(
    expect.arrayContaining([
      'GATEPASS_URL=http://127.0.0.1:2',
      'GATEPASS_TOKEN_URL=http://127.0.0.1:1',
      'GATEPASS_CLIENT_ID=acme',
      'GATEPASS_CLIENT_SECRET=a secret',
    ]),
  );
  await removeWorkerFromFile(localnet, file);
  expect(readdirSync(folder)).toEqual(['localnet.json']);
  await writeLocalnetFile(localnet, file);
  await removeLocalnetFile(file);
  expect(readdirSync(folder)).toEqual([]);
});

it('removes a stale file only if the command that wrote it is dead', async () => {
  await writeLocalnetFile(aLocalnet(), file);
  await removeStaleLocalnetFile(file);
  expect(readdirSync(folder)).toEqual(['localnet.json']);
  await writeLocalnetFile(aLocalnet({ pids: { oauth: NOBODY } }), file);
  await removeStaleLocalnetFile(file);
  expect(readdirSync(folder)).toEqual([]);
});
