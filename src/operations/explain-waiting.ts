import { SECOND_MS } from '../lib/units.ts';
import { callObject } from '../message/call-object.ts';
import { type PartnerReason, reasonForPartner } from '../pass/partner-reasons.ts';
import type { PassKey } from '../pass/pass.ts';
import type { Backend } from './backend.ts';

/** The record must not wait long for its reason. */
const ANSWER_TIMEOUT_MS = SECOND_MS;

/**
 * Returns why a pass waits, in the words for its partner; undefined: it does not, or its objects do not answer at once. No row has the
 * reason: it changes without the pass, and thousands of passes may have the same one.
 */
export async function explainWaiting(
  id: string,
  key: PassKey,
  { passObject, signerObject }: Backend,
): Promise<PartnerReason | undefined> {
  const inspection = await callObject(async () => passObject(key).inspect(), 'pass', id, ANSWER_TIMEOUT_MS);
  if (inspection?.step === undefined) return undefined;
  const { signer, step } = inspection;
  const asked = [{ ...step, gatekeeperNetwork: key.gatekeeperNetwork }];
  const ask = async () => signerObject(signer).stuckReasons(asked);
  const [reason] = (await callObject(ask, 'signer', signer, ANSWER_TIMEOUT_MS)) ?? [];
  return reason && reasonForPartner(reason);
}
