import type { Milliseconds } from '../lib/brand.ts';
import { CHAIN_RULES } from '../pass/chain-rules.ts';
import type { SubmittedStep } from '../pass/step.ts';
import type { Signer } from './signer.ts';

/**
 * A signer whose store was lost does not know which transactions the earlier store signed, and the nodes may have forgotten
 * them. A block may include such a transaction as long as its nonce is free, and the contract lets a wallet have a second
 * token. So an issuance that the earlier store may have signed waits until all nonces that the earlier store can have used
 * are final. Then the chain shows its token, or no block ever will.
 */

/** The store before this one. Stored under `earlierStore` until its nonces are final; most signers never had one. */
export interface EarlierStore {
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
export const CLOCK_SKEW_MS = 1_000;

/** Records that this store began at `now` (milliseconds). */
export function expectEarlierStore(kv: KeyValues, now: Milliseconds): void {
  putEarlierStore(kv, { until: now });
}

/** Whether an issuance waits until the nonces of the earlier store are final. */
export function isEarlierStoreAwaited(kv: KeyValues): boolean {
  return earlierStoreOf(kv)?.isAwaited === true;
}

/** Returns the record of the earlier store; undefined once its nonces are final. */
export function earlierStoreOf(kv: KeyValues): EarlierStore | undefined {
  return kv.get<EarlierStore>(KEY);
}

export function putEarlierStore(kv: KeyValues, earlier: EarlierStore): void {
  kv.put(KEY, earlier);
}

export function deleteEarlierStore(kv: KeyValues): void {
  kv.delete(KEY);
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
  if (earlier && !earlier.isAwaited) putEarlierStore(kv, { ...earlier, isAwaited: true });
  return true;
}
