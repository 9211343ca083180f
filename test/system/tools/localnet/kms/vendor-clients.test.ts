import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, verify } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetPublicKeyCommand, SignCommand, type SignCommandInput } from '@aws-sdk/client-kms';
import { base58 } from '@scure/base';
import { publicKeyToAddress } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { crc32c } from '../../../../../tools/localnet/kms/crc32c.ts';
import type { FaultKind } from '../../../../../tools/localnet/kms/faults.ts';
import { KMS_GATEKEEPERS } from '../../../../../tools/localnet/kms/gatekeepers.ts';
import { type Curve, KEY_NAMES, type Vendor } from '../../../../../tools/localnet/kms/key-names.ts';
import { type KmsServer, startKms } from '../../../../../tools/localnet/kms/server.ts';
import { awsClient, gcpClient } from './vendor-clients.ts';

/** The KMS of the localnet, seen by the vendors' own clients. */

let kms: KmsServer;
beforeAll(async () => {
  kms = await startKms();
});
afterEach(() => kms.setFaults([]));
afterAll(() => kms.stop());

const MESSAGE = randomBytes(200);
const DIGEST = createHash('sha256').update(MESSAGE).digest();
const TEN_MINUTES_MS = 600_000;

const VENDORS = ['aws', 'gcp'] as const;
const CURVES = ['secp256k1', 'ed25519'] as const;
const KEYS = VENDORS.flatMap((vendor) => CURVES.map((curve) => ({ vendor, curve })));

const signInput = (curve: Curve): SignCommandInput =>
  curve === 'secp256k1'
    ? { KeyId: KEY_NAMES.aws.secp256k1, Message: DIGEST, MessageType: 'DIGEST', SigningAlgorithm: 'ECDSA_SHA_256' }
    : { KeyId: KEY_NAMES.aws.ed25519, Message: MESSAGE, MessageType: 'RAW', SigningAlgorithm: 'ED25519_SHA_512' };

/** Returns a signature of the digest (secp256k1) or the message (Ed25519). */
async function sign(vendor: Vendor, curve: Curve, { aws, gcp } = kms.credentials): Promise<Uint8Array> {
  if (vendor === 'aws') {
    const { Signature = new Uint8Array(), KeyId } = await awsClient(aws).send(new SignCommand(signInput(curve)));
    expect(KeyId).toBe(KEY_NAMES.aws[curve]);
    return Signature;
  }
  const name = KEY_NAMES.gcp[curve];
  const input =
    curve === 'secp256k1'
      ? { digest: { sha256: DIGEST }, digestCrc32c: { value: crc32c(DIGEST) } }
      : { data: MESSAGE, dataCrc32c: { value: crc32c(MESSAGE) } };
  const [answer] = await gcpClient(gcp).asymmetricSign({ name, ...input });
  const signature = answer.signature as Uint8Array;
  expect(answer).toMatchObject({
    name,
    protectionLevel: 'HSM',
    signatureCrc32c: { value: String(crc32c(signature)) },
    verifiedDigestCrc32c: curve === 'secp256k1',
    verifiedDataCrc32c: curve === 'ed25519',
  });
  return signature;
}

async function publicKeyOf(vendor: Vendor, curve: Curve): Promise<KeyObject> {
  if (vendor === 'aws') {
    const answer = await awsClient(kms.credentials.aws).send(new GetPublicKeyCommand({ KeyId: KEY_NAMES.aws[curve] }));
    expect(answer.KeySpec).toBe(curve === 'secp256k1' ? 'ECC_SECG_P256K1' : 'ECC_NIST_EDWARDS25519');
    return createPublicKey({ key: Buffer.from(answer.PublicKey ?? []), format: 'der', type: 'spki' });
  }
  const [answer] = await gcpClient(kms.credentials.gcp).getPublicKey({ name: KEY_NAMES.gcp[curve] });
  expect(answer).toMatchObject({
    name: KEY_NAMES.gcp[curve],
    algorithm: curve === 'secp256k1' ? 'EC_SIGN_SECP256K1_SHA256' : 'EC_SIGN_ED25519',
    pemCrc32c: { value: String(crc32c(Buffer.from(answer.pem ?? ''))) },
  });
  return createPublicKey(answer.pem ?? '');
}

function addressOf(key: KeyObject): string {
  const { x = '', y } = key.export({ format: 'jwk' });
  const point = [x, y ?? ''].map((each) => Buffer.from(each, 'base64url'));
  return y === undefined
    ? base58.encode(point[0] as Buffer)
    : publicKeyToAddress(`0x04${Buffer.concat(point).toString('hex')}`);
}

/** Resolves to the error's name at AWS, and to its code at Google. */
const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    ({ name, code }) => code ?? name,
  );

describe.each(KEYS)('the client of $vendor with a key on $curve', ({ vendor, curve }) => {
  it('gets the public key of a gatekeeper of the localnet', async () => {
    const chain = curve === 'secp256k1' ? 'ethereum' : 'solana';
    expect(addressOf(await publicKeyOf(vendor, curve))).toBe(KMS_GATEKEEPERS[chain][vendor]);
  });

  it('gets signatures that belong to that key', async () => {
    const key = await publicKeyOf(vendor, curve);
    for (let run = 0; run < 10; run++) {
      const algorithm = curve === 'secp256k1' ? 'sha256' : null;
      expect(verify(algorithm, MESSAGE, key, await sign(vendor, curve))).toBe(true);
    }
  });

  it.each<{ fault: FaultKind; aws: string; gcp: number }>([
    { fault: 'throttle', aws: 'ThrottlingException', gcp: 8 },
    { fault: 'deny', aws: 'AccessDeniedException', gcp: 7 },
    { fault: 'expired-credential', aws: 'ExpiredTokenException', gcp: 16 },
    { fault: 'disabled-key', aws: 'DisabledException', gcp: 9 },
    { fault: 'unavailable', aws: 'ServiceUnavailableException', gcp: 14 },
    { fault: 'drop', aws: 'ECONNRESET', gcp: 14 },
  ])('recognizes the refusal of the fault $fault', async ({ fault, ...expected }) => {
    kms.setFaults([{ kind: fault }]);
    expect(await refusalOf(sign(vendor, curve))).toEqual(expected[vendor]);
    kms.setFaults([]);
    expect(await refusalOf(sign(vendor, curve))).toBe('none');
  });

  it('gets a signature of another key, or none at all, if the KMS lies', async () => {
    const key = await publicKeyOf(vendor, curve);
    const algorithm = curve === 'secp256k1' ? 'sha256' : null;
    for (const kind of ['other-key', 'malformed-signature'] as const) {
      kms.setFaults([{ kind }]);
      expect(verify(algorithm, MESSAGE, key, await sign(vendor, curve))).toBe(false);
    }
    kms.setFaults([{ kind: 'other-public-key' }]);
    expect(addressOf(await publicKeyOf(vendor, curve))).not.toBe(addressOf(key));
  });
});

describe('AWS: a request', () => {
  const signWith = (...given: Parameters<typeof awsClient>) =>
    refusalOf(awsClient(...given).send(new SignCommand(signInput('ed25519'))));
  const right = () => kms.credentials.aws;

  it('with the right credential is answered', async () => {
    expect(await signWith(right())).toBe('none');
  });

  it('with a wrong credential is refused', async () => {
    expect(await signWith({ ...right(), secretAccessKey: 'x' })).toBe('InvalidSignatureException');
    expect(await signWith({ ...right(), accessKeyId: 'AKIAOTHER' })).toBe('UnrecognizedClientException');
    expect(await signWith({ ...right(), sessionToken: 'other' })).toBe('UnrecognizedClientException');
  });

  it('for another region is refused', async () => {
    expect(await signWith(right(), { region: 'us-east-1' })).toBe('InvalidSignatureException');
  });

  it.each([-TEN_MINUTES_MS, TEN_MINUTES_MS])('of a clock that is off by %i ms is refused', async (ms) => {
    expect(await signWith(right(), { systemClockOffset: ms })).toBe('InvalidSignatureException');
    kms.setFaults([{ kind: 'clock', ms }]);
    expect(await signWith(right())).toBe('InvalidSignatureException');
    kms.setFaults([{ kind: 'clock', ms: ms / 3 }]);
    expect(await signWith(right())).toBe('none');
  });

  it('whose body, target or header changed on its way is refused', async () => {
    type Changed = { body: Uint8Array; headers: Record<string, string> };
    const changes: ((request: Changed) => void)[] = [
      (request) => {
        request.body = Buffer.from(Buffer.from(request.body).toString().replace('RAW', 'raw'));
      },
      (request) => {
        request.headers['x-amz-target'] = 'TrentService.GetPublicKey';
      },
      (request) => {
        request.headers['x-amz-unsigned'] = 'yes';
      },
    ];
    for (const change of changes) {
      const client = awsClient(right());
      // The last step is the one after the signature.
      client.middlewareStack.add(
        (next) => (given) => {
          change((given as unknown as { request: Changed }).request);
          return next(given);
        },
        { step: 'deserialize', priority: 'low' },
      );
      expect(await refusalOf(client.send(new SignCommand(signInput('ed25519'))))).toBe('InvalidSignatureException');
    }
  });

  it('for a key, a type or an algorithm that does not fit is refused', async () => {
    const ask = (input: Partial<SignCommandInput>) =>
      refusalOf(awsClient(right()).send(new SignCommand({ ...signInput('secp256k1'), ...input })));
    expect(await ask({ KeyId: KEY_NAMES.aws.secp256k1.replace(/\w$/, '9') })).toBe('NotFoundException');
    expect(await ask({ SigningAlgorithm: 'ED25519_SHA_512' })).toBe('InvalidKeyUsageException');
    expect(await ask({ MessageType: 'RAW' })).toBe('ValidationException');
    expect(await ask({ Message: MESSAGE })).toBe('ValidationException');
    const long = { ...signInput('ed25519'), Message: randomBytes(4097) };
    expect(await refusalOf(awsClient(right()).send(new SignCommand(long)))).toBe('ValidationException');
  });
});

describe('Google: a request', () => {
  const UNAUTHENTICATED = 16;
  const INVALID_ARGUMENT = 3;

  it('with a wrong credential is refused', async () => {
    const { aws, gcp } = kms.credentials;
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const private_key = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    const wrong = [{ private_key }, { private_key_id: 'other' }, { client_email: 'mallory@example.com' }];
    for (const each of wrong) {
      const credentials = { aws, gcp: { ...gcp, ...each } };
      expect(await refusalOf(sign('gcp', 'ed25519', credentials))).toBe(UNAUTHENTICATED);
    }
  });

  it('of a clock that is ahead by ten minutes is refused, and so is an expired token', async () => {
    kms.setFaults([{ kind: 'clock', ms: -TEN_MINUTES_MS }]);
    expect(await refusalOf(sign('gcp', 'secp256k1'))).toBe(UNAUTHENTICATED);
    // A token is valid for an hour.
    kms.setFaults([{ kind: 'clock', ms: 3_601_000 }]);
    expect(await refusalOf(sign('gcp', 'secp256k1'))).toBe(UNAUTHENTICATED);
    kms.setFaults([{ kind: 'clock', ms: TEN_MINUTES_MS }]);
    expect(await refusalOf(sign('gcp', 'secp256k1'))).toBe('none');
  });

  it('whose bytes changed on their way is refused by their checksum', async () => {
    const client = gcpClient(kms.credentials.gcp);
    const changed = Buffer.from(DIGEST).fill(0, 0, 1);
    changed[1] = (changed[1] ?? 0) ^ 1;
    const digestCrc32c = { value: crc32c(DIGEST) };
    const ask = (input: object) => refusalOf(client.asymmetricSign(input));
    const name = KEY_NAMES.gcp.secp256k1;
    expect(await ask({ name, digest: { sha256: changed }, digestCrc32c })).toBe(INVALID_ARGUMENT);
    const dataCrc32c = { value: crc32c(MESSAGE) };
    expect(await ask({ name: KEY_NAMES.gcp.ed25519, data: changed, dataCrc32c })).toBe(INVALID_ARGUMENT);
    expect(await ask({ name, data: MESSAGE })).toBe(INVALID_ARGUMENT);
    expect(await ask({ name: KEY_NAMES.gcp.ed25519, digest: { sha256: DIGEST } })).toBe(INVALID_ARGUMENT);
  });

  it('gets checksums of other bytes if the KMS lies', async () => {
    kms.setFaults([{ kind: 'wrong-checksum' }]);
    const [{ signature, signatureCrc32c }] = await gcpClient(kms.credentials.gcp).asymmetricSign({
      name: KEY_NAMES.gcp.ed25519,
      data: MESSAGE,
    });
    expect(signatureCrc32c).not.toEqual({ value: String(crc32c(signature as Uint8Array)) });
  });
});

describe('the faults of the KMS', () => {
  it('begin and end after a number of calls, and concern only some of them', async () => {
    kms.setFaults([{ kind: 'deny', vendor: 'aws', operation: 'sign', key: KEY_NAMES.aws.ed25519, after: 1, times: 2 }]);
    const outcomes: unknown[] = [];
    for (let run = 0; run < 4; run++) outcomes.push(await refusalOf(sign('aws', 'ed25519')));
    expect(outcomes).toEqual(['none', 'AccessDeniedException', 'AccessDeniedException', 'none']);
    kms.setFaults([{ kind: 'deny', vendor: 'aws', operation: 'sign', key: KEY_NAMES.aws.ed25519 }]);
    expect(await refusalOf(sign('aws', 'secp256k1'))).toBe('none');
    expect(await refusalOf(sign('gcp', 'ed25519'))).toBe('none');
    expect(await refusalOf(publicKeyOf('aws', 'ed25519'))).toBe('none');
  });

  it('can make a call hang until they end', async () => {
    kms.setFaults([{ kind: 'hang' }]);
    kms.resetCalls();
    const hanging = refusalOf(sign('aws', 'ed25519'));
    await expect.poll(() => kms.readCalls().sign).toBe(1);
    kms.setFaults([]);
    expect(await hanging).not.toBe('none');
  });

  it('are set and counted over HTTP', async () => {
    const control = async (method: string, path: string, body?: object) =>
      (await fetch(kms.url + path, { method, ...(body && { body: JSON.stringify(body) }) })).json();
    await control('DELETE', '/localnet/calls');
    await control('PUT', '/localnet/faults', [{ kind: 'throttle' }]);
    expect(await refusalOf(sign('gcp', 'ed25519'))).toBe(8);
    await control('PUT', '/localnet/faults', []);
    expect(await refusalOf(sign('gcp', 'ed25519'))).toBe('none');
    expect(await control('GET', '/localnet/calls')).toMatchObject({ sign: 2, 'public-key': 0, refused: 0 });
  });
});

it('the KMS keeps its credentials in a state folder', async () => {
  const state = mkdtempSync(join(tmpdir(), 'gatepass-test-'));
  onTestFinished(() => rmSync(state, { recursive: true }));
  const first = await startKms({ state });
  first.stop();
  const second = await startKms({ state });
  second.stop();
  const { endpoint: _, ...account } = first.credentials.gcp;
  expect(second.credentials.gcp).toMatchObject(account);
});
