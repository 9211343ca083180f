import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import { GATEKEEPER_KEYS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import type { KmsFacts } from '../../../tools/localnet/kms/credentials.ts';
import { KEY_NAMES } from '../../../tools/localnet/kms/key-names.ts';
import { privateKeyOf } from '../../../tools/localnet/kms/keys.ts';
import { OPERATOR, PARTNERS } from '../../../tools/localnet/oauth/partners.ts';
import { SOLANA_GATEKEEPER_KEYS } from '../../../tools/localnet/solana/gatekeepers.ts';
import type { Canary } from './canary.ts';

/** Returns the path of an endpoint's URL with a new key. The index decides whether the key is in the query or in the path. */
export function keyedPath(index: number): string {
  return (index % 2 === 0 ? '/?apikey=' : '/v3/') + randomBytes(KEY_CHARACTERS / 2).toString('hex');
}

const KEY_CHARACTERS = 32;

/** Plants the key at the end of an endpoint's URL. */
export function plantEndpointKey(canary: Canary, url: string): void {
  canary.plant('the key of an endpoint', url.slice(-KEY_CHARACTERS));
}

/** Returns the private keys in the KMS. */
export const keysInKms = () => Object.values(KEY_NAMES).flatMap((names) => Object.values(names).map(privateKeyOf));

/** Plants all secrets of a localnet's Worker and of its partners. */
export function plantSecrets(canary: Canary, signingKey: object, kms?: KmsFacts): void {
  if (kms) plantKms(canary, kms);
  for (const key of GATEKEEPER_KEYS) canary.plant('a gatekeeper of Ethereum', Buffer.from(key.slice(2), 'hex'));
  for (const pair of SOLANA_GATEKEEPER_KEYS.map((key) => base58.decode(key))) {
    canary.plant('a gatekeeper of Solana', pair);
    canary.plant('a gatekeeper of Solana', pair.subarray(0, 32));
  }
  for (const { clientId, clientSecret } of [...PARTNERS, OPERATOR]) {
    canary.plant('a client secret', clientSecret);
    canary.plant('the credentials of a client', `${clientId}:${clientSecret}`);
  }
  for (const part of ['d', 'p', 'q', 'dp', 'dq', 'qi']) {
    canary.plantTexts('the key of the issuer', [String((signingKey as Record<string, unknown>)[part])]);
  }
}

/** Plants the keys in the KMS, and the credential that the Worker has. */
function plantKms(canary: Canary, { credentials: { aws, gcp } }: KmsFacts): void {
  for (const key of keysInKms()) canary.plant('a gatekeeper in the KMS', key);
  canary.plant('the secret of AWS', aws.secretAccessKey);
  canary.plant('the session of AWS', aws.sessionToken);
  // The first line of the key is the same in all keys of that length.
  canary.plantTexts('the service account', gcp.private_key.split('\n').slice(2, -3));
}
