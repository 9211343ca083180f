import { withTimeout } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import { callObject } from '../message/call-object.ts';
import { handOver } from '../message/hand-over.ts';
import type { PartnerReason } from '../pass/partner-reasons.ts';
import type { PassKey } from '../pass/pass.ts';
import type { Accepted } from '../pass-object/results.ts';
import type { FoundPass } from '../store/search.ts';
import type { Backend } from './backend.ts';

/** Time that the pass object may take after the wait: it then updates the read model. */
const OBJECT_GRACE_MS = 5_000;
/** After a failed wait, the caller must not wait long for the current pass. Its object waits two seconds for D1. */
const LAST_READ_TIMEOUT_MS = 3_000;

/**
 * Returns the pass once it is settled and published, or as it is after `seconds`. Undefined if there is no such pass, or if its
 * object does not answer (it was restarted, or cannot be reached).
 */
export async function awaitSettlement(
  key: PassKey,
  seconds: number,
  { passObject }: Backend,
): Promise<PassView | undefined> {
  const ms = seconds * 1000;
  const awaited = await logFailure(key, () =>
    withTimeout(ms + OBJECT_GRACE_MS, passObject(key).awaitSettlement(ms), undefined),
  );
  if (awaited === undefined) return undefined;
  const { publication, bookmark, waited } = awaited;
  return { ...publication, bookmark, waitedSeconds: waited ? seconds : undefined };
}

/**
 * Publishes an accepted change and returns the pass: without seconds to wait, as accepted; otherwise once it is settled and
 * published. If the wait fails, returns the current pass.
 */
export async function publishAndAwait(accepted: Accepted, seconds: number, backend: Backend): Promise<PassView> {
  const { publication, publish } = accepted;
  const { bookmark } = await handOver([accepted], backend);
  // A change that settled the pass leaves nothing to wait for.
  if (seconds === 0 || publish === 'record') {
    return { ...publication, bookmark, waitedSeconds: seconds > 0 ? seconds : undefined };
  }
  const settled = await awaitSettlement(publication.key, seconds, backend);
  if (settled !== undefined) return settled;
  // Nobody has published for this request yet.
  const accept = { ...accepted, publish: 'record-and-work' } as const;
  const asAccepted = publish === 'if-wait-fails' ? await publishAndAwait(accept, 0, backend) : undefined;
  const { key } = publication;
  const read = () => withTimeout(LAST_READ_TIMEOUT_MS, readPassFromObject(key, backend), undefined);
  return (await logFailure(key, read)) ?? { ...publication, bookmark: asAccepted?.bookmark ?? bookmark };
}

async function logFailure<T>({ network }: PassKey, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (fault) {
    logFault('request.wait_failed', fault, { network });
    return undefined;
  }
}

/** A pass, and the bookmark for a caller who has seen it. */
export interface PassView extends FoundPass {
  readonly bookmark: string;
  /** Maximum number of seconds that the request waited for the pass to settle; undefined if it did not wait. */
  readonly waitedSeconds?: number | undefined;
}

/**
 * Returns the pass from its object, the source of truth, and repairs its row. For use when the read model lacks the pass or does
 * not answer. Undefined if there is no such pass.
 */
export async function readPassFromObject(key: PassKey, { passObject }: Backend): Promise<PassView | undefined> {
  const pass = await passObject(key).repairRow();
  return pass && { ...pass.publication, bookmark: pass.bookmark };
}

/** The record must not wait long for the reason. */
const REASON_TIMEOUT_MS = 1_000;

/**
 * Returns why a pass waits, in the words for its partner; undefined: it does not, or its objects do not answer at once. No row has the
 * reason: it changes without the pass, and thousands of passes may have the same one.
 */
export async function explainWaiting(
  id: string,
  key: PassKey,
  { passObject, signerObject }: Backend,
): Promise<PartnerReason | undefined> {
  const inspection = await callObject(async () => passObject(key).inspect(), 'pass', id, REASON_TIMEOUT_MS);
  if (inspection?.step === undefined) return undefined;
  const { signer, step } = inspection;
  const asked = [{ ...step, gatekeeperNetwork: key.gatekeeperNetwork }];
  const ask = async () => signerObject(signer).stuckReasons(asked);
  return (await callObject(ask, 'signer', signer, REASON_TIMEOUT_MS))?.[0]?.partner;
}
