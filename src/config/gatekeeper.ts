import * as v from 'valibot';
import { privateKeyToAddress } from 'viem/accounts';
import { type Secret, secret } from '../lib/secret.ts';
import { parse } from './variable.ts';

/** A key that issues passes, and the address the chain knows it by. */
export interface Gatekeeper {
  readonly address: string;
  readonly key: Secret<string>;
}

/** Order of the secp256k1 group: private keys lie below it. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const WRONG = 'must be a private key: 32 bytes in hex';

const EthereumKey = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^(0x)?[0-9a-fA-F]{64}$/, WRONG),
    v.transform((key) => (key.startsWith('0x') ? key : `0x${key}`) as `0x${string}`),
    v.check((key) => BigInt(key) > 0n && BigInt(key) < ORDER, WRONG),
  ),
);

/** `ETHEREUM_GATEKEEPER_KEY`; without it no Ethereum-type network is enabled. */
export function ethereumGatekeeper(env: Readonly<Record<string, unknown>>): { ethereum?: Gatekeeper } {
  const key = parse(env, 'ETHEREUM_GATEKEEPER_KEY', EthereumKey);
  return key === undefined ? {} : { ethereum: { address: privateKeyToAddress(key), key: secret(key) } };
}
