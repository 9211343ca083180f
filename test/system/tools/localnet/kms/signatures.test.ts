import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { base58 } from '@scure/base';
import { type Hex, keccak256 } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEthereumKey, openSolanaKey } from '../../../../../src/chain/signing/kms-key.ts';
import type { SigningKey } from '../../../../../src/chain/signing/signing-key.ts';
import { type Gatekeeper, parseGatekeepers } from '../../../../../src/config/gatekeeper.ts';
import { parseKmsCredentials } from '../../../../../src/config/kms.ts';
import { KMS_GATEKEEPERS, KMS_REFERENCES } from '../../../../../tools/localnet/kms/gatekeepers.ts';
import { type KmsServer, startKms } from '../../../../../tools/localnet/kms/server.ts';
import { LONG } from '../../../../form.ts';

/**
 * The Worker's code asks the KMS of the localnet to sign, and a third implementation verifies: neither `node:crypto`, which signs, nor
 * the packages of the Worker.
 */

const COUNT = LONG ? 10_000 : 200;
/** Of each kind of key. */
const SHARE = COUNT / 4;
const HANGS_AFTER_MS = LONG ? 1_200_000 : 300_000;
/** As many as a signer has at once. */
const PARALLEL = 6;

interface Point {
  encode(form: 'hex', compact: boolean): string;
}
interface Secp256k1 {
  recoverPubKey(digest: Uint8Array, signature: { r: string; s: string }, yParity: number): Point;
}
// These packages have no types.
const load = createRequire(import.meta.url);
const secp256k1: Secp256k1 = new (load('elliptic').ec)('secp256k1');
const nacl: { sign: { detached: { verify(message: Uint8Array, signature: Uint8Array, key: Uint8Array): boolean } } } =
  load('tweetnacl');

/** Half of the order of secp256k1: the highest `s` that Ethereum accepts (EIP-2). */
const S_MAX = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0';

let kms: KmsServer;
beforeAll(async () => {
  kms = await startKms();
});
afterAll(() => kms.stop());

const VENDORS = ['aws', 'gcp'] as const;

/** Returns the keys of the references as the Worker opens them. */
function gatekeepers() {
  const { ethereum, solana } = KMS_REFERENCES;
  const variables = {
    ETHEREUM_GATEKEEPER_KEY: VENDORS.map((vendor) => ethereum[vendor]).join(' '),
    SOLANA_GATEKEEPER_KEY: VENDORS.map((vendor) => solana[vendor]).join(' '),
    KMS_CREDENTIALS: JSON.stringify(kms.credentials),
  };
  return parseGatekeepers(variables, {}, parseKmsCredentials(variables));
}

/** Signs that many random messages, and returns those whose signature is wrong. */
async function findWrong(
  { sign }: SigningKey,
  isRight: (message: Uint8Array, signature: Uint8Array) => boolean,
): Promise<string[]> {
  const wrong: string[] = [];
  let left = SHARE;
  const work = async () => {
    while (left > 0) {
      left -= 1;
      const message = randomBytes(1 + (left % 1200));
      const signature = await sign(message);
      if (!isRight(message, signature)) wrong.push(message.toString('hex'));
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return wrong;
}

describe.each(VENDORS)('%s', { timeout: HANGS_AFTER_MS }, (vendor) => {
  it(`${SHARE} signatures on secp256k1 verify, have a low s, and recover to the address`, async () => {
    kms.resetCalls();
    const address = KMS_GATEKEEPERS.ethereum[vendor];
    const gatekeeper = gatekeepers().ethereum.find((each) => each.address === address);
    const wrong = await findWrong(openEthereumKey(gatekeeper as Gatekeeper<Hex>), (message, signature) => {
      const hex = Buffer.from(signature).toString('hex');
      const [r, s, yParity] = [hex.slice(0, 64), hex.slice(64, 128), signature[64] ?? 2];
      const digest = keccak256(message, 'bytes');
      const point = secp256k1.recoverPubKey(digest, { r, s }, yParity).encode('hex', false);
      // The key that is found by recovery has made the signature, so its address proves the signature.
      return s <= S_MAX && signature.length === 65 && addressOf(point) === address.toLowerCase();
    });
    expect(wrong).toEqual([]);
    expect(kms.readCalls()).toMatchObject({ sign: SHARE, refused: 0 });
  });

  it(`${SHARE} signatures on Ed25519 verify`, async () => {
    kms.resetCalls();
    const address = KMS_GATEKEEPERS.solana[vendor];
    const gatekeeper = gatekeepers().solana.find((each) => each.address === address);
    const key = base58.decode(address);
    const wrong = await findWrong(openSolanaKey(gatekeeper as Gatekeeper<Uint8Array>), (message, signature) =>
      nacl.sign.detached.verify(message, signature, key),
    );
    expect(wrong).toEqual([]);
    expect(kms.readCalls()).toMatchObject({ sign: SHARE, refused: 0 });
  });
});

/** The address is the end of the hash of the point. */
const addressOf = (point: string) => `0x${keccak256(`0x${point.slice(2)}`).slice(-40)}`;
