import { inject } from 'vitest';
import type { Step } from '../../../../src/pass/step.ts';
import { issueAnother } from './issuing.ts';
import { anotherGatekeeper, aStep, byGatekeeper, change } from './node.ts';

/** Tokens and changes by another gatekeeper of `devnet`. */

export const other = await anotherGatekeeper(inject('localnet').partners[0]?.gatekeeperNetwork as string);

export const EXPIRY = 2_000_000_000;
/** The states of a token in an instruction; undefined: the token is burned. */
export const [FREEZE, UNFREEZE, REVOKE, BURN] = [1, 0, 2, undefined] as const;

/** Sets the state of the step's token, or burns it. */
export const changeAsOther = async (step: Step, state: 0 | 1 | 2 | undefined) =>
  byGatekeeper(await change(step, state, { by: other }), other);

/** Issues a token for a new wallet. Returns the issuance. */
export async function aForeignToken(): Promise<Step> {
  const step = aStep();
  await issueAnother(step, 0, EXPIRY, other);
  return step;
}
