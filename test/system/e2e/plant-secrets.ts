import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import { GATEKEEPER_KEYS } from '../../../localnet/ethereum/gatekeepers.ts';
import { OPERATOR, PARTNERS } from '../../../localnet/oauth/partners.ts';
import { SOLANA_GATEKEEPER_KEYS } from '../../../localnet/solana/gatekeepers.ts';
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

/** Plants all secrets of a localnet's Worker and of its partners. */
export function plantSecrets(canary: Canary, signingKey: object): void {
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
