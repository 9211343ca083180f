import type { InclusionStatus, InFlightTransaction } from '../chain/port.ts';
import { log, logFault } from '../log/log.ts';
import type { Signer } from './signer.ts';
import * as ledger from './step-table.ts';
import * as transitions from './transitions.ts';

/** How many transactions one look takes in; the oldest come first, so the window moves on as they become final. */
export const TRACK_MAX_TRANSACTIONS = 1_000;
/** Everything that is in flight. */
export const ALL_STAGES: readonly ledger.InFlightStage[] = ['unsent', 'sent', 'confirmed'];
/** What somebody waits for. */
export const UNCONFIRMED_STAGES: readonly ledger.InFlightStage[] = ['unsent', 'sent'];
/** Before a step is signed anew: what made it expire may still be so. */
const EXPIRED_RETRY_MS = 2_000;

/**
 * Asks the chain what became of these transactions. Returns how many of them were known as confirmed. Throws RpcFault
 * when the nodes fail.
 */
export async function trackInFlight(signer: Signer, statuses = ALL_STAGES): Promise<number> {
  const { name, storage, network, chain } = signer;
  const flying = statuses.flatMap((status) =>
    ledger.stepsInFlight(storage.sql, network, status, TRACK_MAX_TRANSACTIONS),
  );
  if (flying.length === 0) return 0;
  const sightings = await chain.track(flying.map(transactionInFlightOf));
  storage.transactionSync(() => {
    for (const [index, sighting] of sightings.entries()) {
      recordInclusion(name, storage.sql, flying[index] as ledger.StepEntry, sighting);
    }
  });
  logUnknown(name, sightings);
  return flying.filter(({ status }) => status === 'confirmed').length;
}

function logUnknown(signer: string, sightings: readonly InclusionStatus[]): void {
  const unknown = sightings.filter((sighting) => sighting.type === 'unknown');
  if (unknown.length > 0) logFault('step-unknown', unknown[0]?.why, { signer, count: unknown.length });
}

function transactionInFlightOf({ step, signed, nonce, includedIn }: ledger.StepEntry): InFlightTransaction {
  const heights = signed.flatMap(({ lastValidBlockHeight }) => lastValidBlockHeight ?? []);
  return {
    step,
    includedIn,
    nonce,
    identifiers: signed.map(({ identifier }) => identifier),
    // Where one of them may land at any height, all together may.
    lastValidBlockHeight: heights.length === signed.length ? Math.max(...heights) : undefined,
  };
}

function recordInclusion(signer: string, sql: SqlStorage, entry: ledger.StepEntry, sighting: InclusionStatus): void {
  const { seq, step } = entry;
  switch (sighting.type) {
    case 'still-included':
    case 'unknown':
      return;
    case 'unconfirmed':
      if (entry.status !== 'confirmed') return;
      log('step-vanished', { signer, step: step.id });
      return transitions.setVanished(sql, seq, transactionOf(entry), Date.now());
    case 'confirmed': {
      const { identifier: transaction, includedIn } = sighting;
      const { expectedOnChain, basedOnNonFinal } =
        entry.signed.find(({ identifier }) => identifier === transaction) ?? {};
      // Bytes of an earlier release do not tell: that one knew of no frozen tokens.
      const onChain = { ...(expectedOnChain ?? { state: 'ACTIVE', expiry: step.expiry }), asOf: includedIn.block };
      return transitions.setConfirmed(
        sql,
        seq,
        { type: 'confirmed', transaction, onChain, basedOnNonFinal },
        includedIn,
      );
    }
    case 'expired':
      log('step-expired', { signer, step: step.id });
      if (wasConfirmed(entry)) return transitions.setEnded(sql, seq, { type: 'withdrawn' });
      return transitions.requeue(sql, entry, Date.now() + EXPIRED_RETRY_MS, sighting.asOf);
    case 'without-effect':
      log('step-without-effect', { signer, step: step.id, transaction: sighting.identifier });
      if (wasConfirmed(entry)) return transitions.setEnded(sql, seq, { type: 'withdrawn' });
      transitions.countIneffectiveAttempt(sql, seq);
      return transitions.requeue(sql, entry, 0);
    case 'final':
      return transitions.setFinal(sql, seq, Date.now());
  }
}

/** Its pass has gone on since: whether it is still wanted is for the pass to say, not for a signature anew. */
function wasConfirmed({ answer: { status } }: ledger.StepEntry): boolean {
  return status.type === 'confirmed' || status.type === 'vanished';
}

/** The transaction that was told of last. */
function transactionOf({ answer: { status }, signed }: ledger.StepEntry): string {
  return 'transaction' in status ? status.transaction : (signed.at(-1)?.identifier ?? '');
}
