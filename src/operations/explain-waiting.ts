import { SECOND_MS, type UnixSeconds } from '../lib/units.ts';
import { callObject } from '../message/call-object.ts';
import { openEventOf } from '../pass/events.ts';
import { type PartnerReason, reasonForPartner } from '../pass/partner-reasons.ts';
import type { PassKey } from '../pass/pass.ts';
import type { PassRecord } from '../pass/record.ts';
import { CHANGES } from '../pass/vocabulary.ts';
import type { FoundPass } from '../store/search.ts';
import type { Backend } from './backend.ts';

/** A younger change is on its way like any other. A caller who polls after a POST causes no further call. */
const WAITS_AFTER_SECONDS = 10;
/** The record must not wait long for its reason. */
const ANSWER_TIMEOUT_MS = SECOND_MS;
/** Number of passes that this isolate explains at once: callers who poll thousands of waiting passes must not keep a signer from its work. */
const EXPLAINED_AT_ONCE = 20;
let running = 0;

/**
 * Returns why a pass waits, in the words for its partner; undefined: it waits for nothing, its transaction is sent, or its objects do not
 * answer at once. No row has the reason: it changes without the pass, and thousands of passes may have the same one.
 * @param now The time of its gatekeeper network.
 */
export async function explainWaiting(
  pass: FoundPass,
  key: PassKey,
  now: UnixSeconds,
  { passObject, signerObject }: Backend,
): Promise<PartnerReason | undefined> {
  if (running >= EXPLAINED_AT_ONCE || !isWaiting(pass, now)) return undefined;
  running += 1;
  try {
    const inspection = await callObject(async () => passObject(key).inspect(), 'pass', pass.id, ANSWER_TIMEOUT_MS);
    if (inspection?.step === undefined) return undefined;
    const { signer, step } = inspection;
    const asked = [{ ...step, gatekeeperNetwork: key.gatekeeperNetwork }];
    const ask = async () => signerObject(signer).stuckReasons(asked);
    const [reason] = (await callObject(ask, 'signer', signer, ANSWER_TIMEOUT_MS)) ?? [];
    return reason && reasonForPartner(reason);
  } finally {
    running -= 1;
  }
}

/** Whether a change has begun some time ago, and no transaction of it is sent. Parses only records that may have such a change. */
function isWaiting({ state, validity, record }: FoundPass, now: UnixSeconds): boolean {
  if (state === validity.onChainState && !record.includes('TOKEN_EXPIRY_CHANGED_INITIATED')) return false;
  const { events } = JSON.parse(record) as PassRecord;
  const open = CHANGES.flatMap((change) => openEventOf(events, change) ?? []);
  return open.some(
    ({ transaction, timestamp }) => transaction?.status !== 'sent' && now - timestamp >= WAITS_AFTER_SECONDS,
  );
}
