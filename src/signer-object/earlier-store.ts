import type { Milliseconds } from '../lib/brand.ts';
import { SECOND_MS } from '../lib/time.ts';
import { log, logFault } from '../log/log.ts';
import { type Network, stuckAfterMs, urgentRoomOf } from '../network/network.ts';
import { CHAIN_RULES } from '../pass/chain-rules.ts';
import type { SubmittedStep } from '../pass/step.ts';
import { commit } from './commit.ts';
import { fillNonceGaps, NONCES_MAX_AHEAD, nextNonce, storeNextNonce } from './nonces.ts';
import type { Signer } from './signer.ts';

/**
 * A signer whose store was lost does not know which transactions the earlier store signed, and the nodes may have forgotten
 * them. A block may include such a transaction as long as its nonce is free, and the contract lets a wallet have a second
 * token. So an issuance that the earlier store may have signed waits until all nonces that the earlier store can have used
 * are final. Then the chain shows its token, or no block ever will.
 */

/** The store before this one. Stored under `earlierStore` until its nonces are final; most signers never had one. */
interface EarlierStore {
  /** When this store began (milliseconds). */
  readonly until: Milliseconds;
  /** Whether an issuance waits until the nonces of the earlier store are final. */
  readonly isAwaited?: boolean;
  /** All its nonces are below this one; undefined: not known yet. */
  readonly endNonce?: number;
  /** When free nonces below `endNonce` were filled last (milliseconds). */
  readonly filledAt?: Milliseconds;
}

type KeyValues = DurableObjectStorage['kv'];

const KEY = 'earlierStore';

/** Maximum difference between two clocks: of two objects, or of a signer and its chain. */
const CLOCK_SKEW_MS = SECOND_MS;

/** Records that this store began at `now` (milliseconds). */
export function expectEarlierStore(kv: KeyValues, now: Milliseconds): void {
  kv.put(KEY, { until: now });
}

/** Whether an issuance waits until the nonces of the earlier store are final. */
export function isEarlierStoreAwaited(kv: KeyValues): boolean {
  return earlierStoreOf(kv)?.isAwaited === true;
}

/** Returns the record of the earlier store; undefined once its nonces are final. */
function earlierStoreOf(kv: KeyValues): EarlierStore | undefined {
  return kv.get<EarlierStore>(KEY);
}

/**
 * Whether an earlier store may have signed for a step that is new to this one. That is the case if a signer has already
 * answered the pass about the step, or if the pass pinned the step before this store began.
 */
export function mayBeSigned(kv: KeyValues, { revision = 0, pinnedAt }: SubmittedStep): boolean {
  const until = earlierStoreOf(kv)?.until ?? 0;
  return revision > 0 || (pinnedAt ?? until) < until - CLOCK_SKEW_MS;
}

/** Whether the chain shows everything that the earlier store signed. */
export function isEarlierStoreOver({ network, storage: { kv } }: Pick<Signer, 'network' | 'storage'>): boolean {
  // Without an order of transactions there are no nonces, and a second issuance fails at the address of the first.
  return earlierStoreOf(kv) === undefined || !CHAIN_RULES[network.chain].transactionsAreOrdered;
}

/** Whether an issuance must wait for the nonces of the earlier store. If so, the signer then makes sure they become final. */
export function needsEarlierStore(signer: Pick<Signer, 'network' | 'storage'>): boolean {
  if (isEarlierStoreOver(signer)) return false;
  const { kv } = signer.storage;
  const earlier = earlierStoreOf(kv);
  if (earlier && !earlier.isAwaited) kv.put(KEY, { ...earlier, isAwaited: true });
  return true;
}

/**
 * Fills the free nonces among those that the earlier store can have used. Once all of these nonces are final, makes the
 * postponed issuances due. Only one run at a time may call it, because it changes the next nonce.
 */
export async function finishEarlierStore(signer: Signer, now: Milliseconds): Promise<void> {
  const { storage, network, chain, name, steps } = signer;
  const earlier = earlierStoreOf(storage.kv);
  if (!earlier?.isAwaited) return;
  try {
    const final = await chain.finalNonce();
    // A block from before this store began may not show all nonces that the earlier store used.
    if (final === undefined || final.time * 1000 < earlier.until + CLOCK_SKEW_MS) return;
    const { endNonce = final.nonce + nonceMaxInFlight(network) } = earlier;
    if (final.nonce < endNonce) return await fillFreeNonces(signer, { ...earlier, endNonce }, now);
    commit(signer, () => {
      storage.kv.delete(KEY);
      steps.endEarlierStoreWaits(now);
    });
    log('signer.earlier_store_final', { signer: name, nonce: endNonce });
  } catch (fault) {
    logFault('signer.earlier_store_unread', fault, { signer: name });
  }
}

/** Returns how many nonces beyond the final one a signer can have used: unmined transactions, and gaps that nodes caused. */
function nonceMaxInFlight(network: Network): number {
  return network.unmined + urgentRoomOf(network) + 2 * NONCES_MAX_AHEAD;
}

async function fillFreeNonces(
  signer: Signer,
  earlier: EarlierStore & { readonly endNonce: number },
  now: Milliseconds,
): Promise<void> {
  const { storage, network, chain, isCompromised, steps } = signer;
  const { endNonce, filledAt = 0 } = earlier;
  storage.kv.put(KEY, earlier);
  if (isCompromised || now - filledAt < stuckAfterMs(network)) return;
  const { nonces } = await chain.account();
  const next = nextNonce(signer, nonces);
  if (nonces === undefined || typeof next !== 'number') return;
  const free = steps.unusedNonces(nonces.latest, endNonce);
  // Store the next nonce before sending: steps that are signed from now on take later nonces.
  storeNextNonce(storage, Math.max(next, endNonce));
  storage.kv.put(KEY, { ...earlier, filledAt: now });
  await fillNonceGaps(signer, free, now);
}
