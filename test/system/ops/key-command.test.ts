import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checkKeys } from '../../../ops/doctor/keys.ts';
import { runKeyCommand } from '../../../ops/key.ts';
import { probeFor } from '../../../ops/kms/probe.ts';
import { readKeyFiles } from '../../../ops/network/key-files.ts';
import { parseGatekeepers } from '../../../src/config/gatekeeper.ts';
import { parseKmsCredentials } from '../../../src/config/kms.ts';
import { KMS_GATEKEEPERS, KMS_REFERENCES } from '../../../tools/localnet/kms/gatekeepers.ts';
import { type KmsServer, startKms } from '../../../tools/localnet/kms/server.ts';
import { runCommand } from './run-command.ts';

/** `npm run key`, the doctor's checks of keys, and an authority whose key is in the KMS of the localnet. */

let kms: KmsServer;
let folder: string;
let secrets: string;
let credentials: string;
beforeAll(async () => {
  kms = await startKms();
  folder = mkdtempSync(join(tmpdir(), 'gatepass-key-'));
  secrets = join(folder, 'kms.secrets');
  credentials = JSON.stringify(kms.credentials);
  writeFileSync(secrets, JSON.stringify({ KMS_CREDENTIALS: credentials }), { mode: 0o600 });
});
afterEach(() => kms.setFaults([]));
afterAll(() => {
  kms.stop();
  rmSync(folder, { recursive: true, force: true });
});

const ALL = [
  KMS_REFERENCES.ethereum.aws,
  KMS_REFERENCES.ethereum.gcp,
  KMS_REFERENCES.solana.aws,
  KMS_REFERENCES.solana.gcp,
];
const run = (...args: string[]) => runCommand(runKeyCommand, [...args, '--secrets', secrets]);
const nameOf = (reference: string) => reference.split('#')[0] as string;

describe('npm run key', () => {
  it('prints the text with the address for keys of both vendors and both chains', async () => {
    expect(await run(...ALL.map(nameOf))).toMatchObject({ code: 0, lines: ALL });
    expect(await run(...ALL)).toMatchObject({ code: 0, lines: ALL });
  });

  it.each([
    ['another address', [`${nameOf(ALL[0] as string)}#${KMS_GATEKEEPERS.ethereum.gcp}`], 1, 'not that of'],
    ['a malformed reference', ['aws-kms:nothing'], 2, 'is no reference'],
    [
      'a key that does not exist',
      ['aws-kms:arn:aws:kms:eu-central-1:111122223333:key/none'],
      1,
      'the KMS refuses to sign',
    ],
  ])('fails for %s', async (_, references, code, text) => {
    const result = await run(...references);
    expect(result.code).toBe(code);
    expect(result.printed).toContain(text);
  });

  it('prints nothing for a key that does not sign', async () => {
    kms.setFaults([{ kind: 'disabled-key', operation: 'sign' }]);
    const result = await run(nameOf(ALL[0] as string));
    expect(result).toMatchObject({ code: 1 });
    expect(result.printed).not.toContain('#0x');
    expect(result.printed).not.toContain(kms.credentials.aws.secretAccessKey);
  });
});

it('a probe begins as no transaction of either chain does', () => {
  expect(probeFor('ethereum')[0]).toBe(0x19);
  expect(probeFor('solana')[0]).toBe(0xff);
});

describe("the doctor's check of the keys", () => {
  const found = () => {
    const env = {
      ETHEREUM_GATEKEEPER_KEY: KMS_REFERENCES.ethereum.aws,
      SOLANA_GATEKEEPER_KEY: KMS_REFERENCES.solana.gcp,
    };
    const parsed = parseKmsCredentials({ KMS_CREDENTIALS: credentials });
    const verdictKeys = { key: undefined, history: [] };
    return checkKeys({ gatekeepers: parseGatekeepers(env, {}, parsed), verdictKeys });
  };

  it('is ok if the KMS has the keys and signs', async () => {
    expect((await found()).map(({ name, verdict }) => [name, verdict.type])).toEqual([
      [`key ${KMS_GATEKEEPERS.solana.gcp}`, 'ok'],
      [`key ${KMS_GATEKEEPERS.ethereum.aws}`, 'ok'],
    ]);
  });

  it.each([
    ['other-public-key', 'npm run key'],
    ['other-key', 'npm run key'],
    ['deny', 'an enabled'],
    ['throttle', 'quota'],
    ['unavailable', 'status page'],
  ] as const)('fails with a remedy for the fault %s', async (kind, remedy) => {
    kms.setFaults([{ kind }]);
    for (const { verdict } of await found())
      expect(verdict).toMatchObject({ type: 'failed', remedy: expect.stringContaining(remedy) });
  });
});

it('a key file may have a reference, and the key of an authority then stays in the KMS', async () => {
  const file = join(folder, 'authority');
  writeFileSync(file, `${KMS_REFERENCES.solana.aws}\n`, { mode: 0o600 });
  process.env.KMS_CREDENTIALS = credentials;
  try {
    const { solana } = readKeyFiles([file], { type: 'urls', rpc: {} });
    expect(solana?.address).toBe(KMS_GATEKEEPERS.solana.aws);
    expect(await solana?.sign(Uint8Array.of(1, 2, 3))).toHaveLength(64);
  } finally {
    delete process.env.KMS_CREDENTIALS;
  }
});
