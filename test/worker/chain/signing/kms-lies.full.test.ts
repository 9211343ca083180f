import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { KmsFault } from '../../../../src/chain/port.ts';
import { CURVES } from '../../../../src/chain/signing/curve.ts';
import { kmsKey } from '../../../../src/chain/signing/kms-key.ts';
import { HOUR_MS, MINUTE_MS } from '../../../../src/lib/units.ts';
import type { Chain } from '../../../../src/network/network.ts';
import type { KmsFault as Fault, FaultKind } from '../../../../tools/localnet/kms/faults.ts';
import { KMS_GATEKEEPERS } from '../../../../tools/localnet/kms/gatekeepers.ts';
import { keyIn, readCalls, resetCalls, setFaults, type Vendor } from './kms.ts';

/** A key in the KMS of the localnet signs, and whatever the KMS does wrong is a fault with its reason. */

const MESSAGE = new TextEncoder().encode('bytes of a transaction');
const KEYS = (['aws', 'gcp'] as const).flatMap((vendor) =>
  (['ethereum', 'solana'] as const).map((chain) => ({ vendor, chain })),
);

function open(vendor: Vendor, chain: Chain, changes: { address?: string; credentials?: object } = {}) {
  const { address, kms } = keyIn(vendor, chain, changes.credentials);
  return kmsKey(changes.address ?? address, kms, chain);
}

/** Returns the reason for which the key does not sign, and what the log may show. */
async function faultOf(signing: Promise<unknown>): Promise<KmsFault> {
  const outcome = await signing.then(
    () => new Error('it signed'),
    (fault: unknown) => fault,
  );
  if (!(outcome instanceof KmsFault)) throw outcome;
  return outcome;
}

const { aws, gcp } = inject('kms').credentials;
const SECRETS = [
  aws.accessKeyId,
  aws.secretAccessKey,
  aws.sessionToken,
  ...(gcp.private_key.match(/[A-Za-z0-9+/=]{20,}/g) ?? []),
];

beforeEach(async () => {
  await setFaults();
  await resetCalls();
});
afterEach(() => {
  vi.useRealTimers();
  return setFaults();
});

describe.each(KEYS)('a key of $vendor for $chain', ({ vendor, chain }) => {
  it('signs, after it has read the public key once, and each signature is that of the address', async () => {
    const key = open(vendor, chain);
    const signatures = await Promise.all([MESSAGE, MESSAGE, Uint8Array.of(1)].map((bytes) => key.sign(bytes)));
    expect(signatures.map(({ length }) => length)).toEqual(Array(3).fill(chain === 'ethereum' ? 65 : 64));
    expect(await readCalls()).toMatchObject({ sign: 3, 'public-key': 1, refused: 0 });
    expect(key.address).toBe(KMS_GATEKEEPERS[chain][vendor]);
  });

  it.each<[FaultKind, string, Partial<Fault>?]>([
    ['throttle', 'kms-throttled'],
    ['deny', 'kms-denied'],
    ['expired-credential', 'kms-denied'],
    ['disabled-key', 'kms-denied'],
    ['clock', 'kms-denied', { ms: -10 * MINUTE_MS }],
    ['unavailable', 'kms-unanswered'],
    ['drop', 'kms-unanswered'],
    ['other-key', 'kms-wrong-answer'],
    ['malformed-signature', 'kms-wrong-answer'],
  ])(
    'waits with its reason while the KMS has the fault %s, shows no credential, and signs afterwards',
    async (kind, code, more = {}) => {
      const key = open(vendor, chain);
      await key.sign(MESSAGE);
      await setFaults({ kind, ...more });
      const fault = await faultOf(key.sign(MESSAGE));
      expect(fault.code).toBe(code);
      expect(fault.message.length).toBeLessThanOrEqual(200);
      expect(SECRETS.filter((secret) => fault.message.includes(secret))).toEqual([]);
      await setFaults();
      expect(await key.sign(MESSAGE)).toBeInstanceOf(Uint8Array);
    },
  );

  it('does not sign while the KMS has the public key of somebody else, and asks again', async () => {
    await setFaults({ kind: 'other-public-key' });
    const key = open(vendor, chain);
    expect(await faultOf(key.sign(MESSAGE))).toMatchObject({ code: 'kms-wrong-answer' });
    expect(await readCalls()).toMatchObject({ sign: 0 });
    await setFaults();
    expect(await key.sign(MESSAGE)).toBeInstanceOf(Uint8Array);
  });

  it('does not sign for the address of another key', async () => {
    const other = keyIn(vendor === 'aws' ? 'gcp' : 'aws', chain).address;
    expect(await faultOf(open(vendor, chain, { address: other }).sign(MESSAGE))).toMatchObject({
      code: 'kms-wrong-answer',
      message: expect.stringContaining(KMS_GATEKEEPERS[chain][vendor]),
    });
    expect(await readCalls()).toMatchObject({ sign: 0 });
  });

  it.each<[FaultKind, 'sign' | 'public-key', number]>([
    ['hang', 'sign', 6],
    ['stall', 'sign', 6],
    ['hang', 'public-key', 1],
  ])('ends after 5 s with the fault %s at the operation %s, for 100 calls together', async (kind, operation, asked) => {
    const key = open(vendor, chain);
    if (operation === 'sign') await key.sign(MESSAGE);
    await resetCalls();
    await setFaults({ kind });
    const began = Date.now();
    const faults = await Promise.all(Array.from({ length: 100 }, () => faultOf(key.sign(MESSAGE))));
    expect(new Set(faults.map(({ code }) => code))).toEqual(new Set(['kms-unanswered']));
    expect(Date.now() - began).toBeGreaterThan(4_500);
    // All of them waited for the same time: no call began after the first ones had ended.
    expect((await readCalls())[operation]).toBe(asked);
    await setFaults();
    expect(await key.sign(MESSAGE)).toBeInstanceOf(Uint8Array);
  });
});

it('a token that Cloud KMS refuses is renewed at the next try', async () => {
  const key = open('gcp', 'solana');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3 * HOUR_MS });
  expect(await faultOf(key.sign(MESSAGE))).toMatchObject({ code: 'kms-denied' });
  vi.useRealTimers();
  expect(await key.sign(MESSAGE)).toBeInstanceOf(Uint8Array);
});

it.each(['aws', 'gcp'] as const)('a high s of %s becomes a low one', async (vendor) => {
  const key = open(vendor, 'ethereum');
  await setFaults({ kind: 'high-s' });
  const signature = await key.sign(MESSAGE);
  expect(signature[32]).toBeLessThan(0x80);
});

it.each<Fault>([
  { kind: 'wrong-checksum', operation: 'public-key' },
  { kind: 'wrong-checksum', operation: 'sign' },
  { kind: 'unconfirmed-request', operation: 'sign' },
])('an answer of Cloud KMS with the fault $kind at $operation is a wrong one', async (fault) => {
  for (const chain of ['ethereum', 'solana'] as const) {
    await setFaults(fault);
    const key = open('gcp', chain);
    expect(await faultOf(key.sign(MESSAGE))).toMatchObject({
      code: 'kms-wrong-answer',
      message: expect.stringContaining('checksum'),
    });
    await setFaults();
    expect(await key.sign(MESSAGE)).toBeInstanceOf(Uint8Array);
  }
});

it('makes six calls at once, of 100, and never more', async () => {
  const key = open('aws', 'solana');
  await key.sign(MESSAGE);
  await resetCalls();
  // Longer than a busy machine needs for six requests.
  await setFaults({ kind: 'delay', ms: 200 });
  await Promise.all(Array.from({ length: 100 }, (_, index) => key.sign(Uint8Array.of(index))));
  expect(await readCalls()).toMatchObject({ sign: 100, parallel: 6 });
});

it("a stolen account that is not the key's gets no signature", async () => {
  const credentials = { ...inject('kms').credentials, aws: { ...aws, secretAccessKey: 'x'.repeat(40) } };
  const fault = await faultOf(open('aws', 'ethereum', { credentials }).sign(MESSAGE));
  expect(fault.code).toBe('kms-denied');
  expect(fault.message).not.toContain(aws.sessionToken);
  const broken = {
    ...inject('kms').credentials,
    gcp: { ...gcp, private_key: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----' },
  };
  expect((await faultOf(open('gcp', 'ethereum', { credentials: broken }).sign(MESSAGE))).code).toBe('kms-denied');
});

it('an endpoint that is away is a KMS that does not answer', async () => {
  const credentials = { ...inject('kms').credentials, aws: { ...aws, endpoint: 'http://127.0.0.1:1' } };
  expect((await faultOf(open('aws', 'ethereum', { credentials }).sign(MESSAGE))).code).toBe('kms-unanswered');
  expect(CURVES.ethereum.signedBytes(MESSAGE)).toHaveLength(32);
});
