import type { Terms } from '../chain/port.ts';

/**
 * The next nonce of the key; undefined on chains without nonces.
 * With an empty store `latest` would replace our own pending transactions and `pending` would mint beside them: the
 * signer starts only when both agree, and is `unsettled` until then.
 */
export function nextNonce({ kv }: DurableObjectStorage, { nonces }: Terms): number | 'unsettled' | undefined {
  if (nonces === undefined) return undefined;
  const stored = kv.get<number>('nextNonce');
  if (stored === undefined) return nonces.latest === nonces.pending ? nonces.latest : 'unsettled';
  // Somebody else used the key meanwhile: what is mined cannot be taken again.
  return Math.max(stored, nonces.latest);
}

export function storeNextNonce({ kv }: DurableObjectStorage, nonce: number): void {
  if (kv.get('nextNonce') !== nonce) kv.put('nextNonce', nonce);
}
