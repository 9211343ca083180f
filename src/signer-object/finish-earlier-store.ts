import type { Milliseconds } from '../lib/brand.ts';
import { log, logFault } from '../log/log.ts';
import { type Network, stuckAfterMs } from '../network/network.ts';
import {
  CLOCK_SKEW_MS,
  deleteEarlierStore,
  type EarlierStore,
  earlierStoreOf,
  needsEarlierStore,
  putEarlierStore,
} from './earlier-store.ts';
import { fillNonceGaps } from './fill-nonce-gaps.ts';
import { findUnusedNonces, NONCES_MAX_AHEAD, nextNonce, storeNextNonce } from './nonces.ts';
import type { Signer } from './signer.ts';
import type { StepEntry } from './step-table.ts';
import { postpone, release } from './transitions.ts';

/** How long an issuance is postponed at a time. `release` makes it due as soon as the nonces are final. */
const HOLD_MS = 3_600_000;
const WHY =
  'an earlier store of this signer may have issued it: the step waits until the nonces of that store are final';

/** Postpones issuances that the earlier store may have signed. Returns the other steps. */
export function holdBack(signer: Signer, entries: readonly StepEntry[], now: Milliseconds): StepEntry[] {
  return entries.filter(({ seq, step, mayBeSigned }) => {
    if (step.kind !== 'issue' || !mayBeSigned || !needsEarlierStore(signer)) return true;
    postpone(signer.storage.sql, seq, now + HOLD_MS, WHY);
    return false;
  });
}

/**
 * Fills the free nonces among those that the earlier store can have used. Once all of these nonces are final, makes the
 * postponed issuances due. Only one run at a time may call it, because it changes the next nonce.
 */
export async function finishEarlierStore(signer: Signer, now: Milliseconds): Promise<void> {
  const { storage, network, chain, name } = signer;
  const earlier = earlierStoreOf(storage.kv);
  if (!earlier?.isAwaited) return;
  try {
    const final = await chain.finalNonce();
    // A block from before this store began may not show all nonces that the earlier store used.
    if (final === undefined || final.time * 1000 < earlier.until + CLOCK_SKEW_MS) return;
    const { endNonce = final.nonce + nonceMaxInFlight(network) } = earlier;
    if (final.nonce < endNonce) return await fillFreeNonces(signer, { ...earlier, endNonce }, now);
    storage.transactionSync(() => {
      deleteEarlierStore(storage.kv);
      release(storage.sql, now);
    });
    log('signer.earlier_store_final', { signer: name, nonce: endNonce });
  } catch (fault) {
    logFault('signer.earlier_store_unread', fault, { signer: name });
  }
}

/** Returns how many nonces beyond the final one a signer can have used: unmined transactions, and gaps that nodes caused. */
function nonceMaxInFlight({ unmined }: Network): number {
  return unmined + 2 * NONCES_MAX_AHEAD;
}

async function fillFreeNonces(
  signer: Signer,
  earlier: EarlierStore & { readonly endNonce: number },
  now: Milliseconds,
): Promise<void> {
  const { storage, network, chain, isCompromised } = signer;
  const { endNonce, filledAt = 0 } = earlier;
  putEarlierStore(storage.kv, earlier);
  if (isCompromised || now - filledAt < stuckAfterMs(network)) return;
  const { nonces } = await chain.account();
  const next = nextNonce(storage, nonces);
  if (nonces === undefined || typeof next !== 'number') return;
  const free = findUnusedNonces(storage.sql, nonces.latest, endNonce);
  // Store the next nonce before sending: steps that are signed from now on take later nonces.
  storeNextNonce(storage, Math.max(next, endNonce));
  putEarlierStore(storage.kv, { ...earlier, filledAt: now });
  await fillNonceGaps(signer, free, now);
}
