import { v7 as uuidv7 } from 'uuid';
import { inject } from 'vitest';
import type { PassKey } from '../../../src/pass/pass.ts';
import { passIdOf, type Step, type Submission, type SubmittedStep } from '../../../src/pass/step.ts';
import { rankOf } from '../../../src/pass/step-kinds.ts';
import { defaultContract } from '../../default-contract.ts';

export type StepOverrides = Partial<Omit<Step, 'key'>> & { wallet?: string; gatekeeperNetwork?: string };

let steps = 0;

/** Returns the issuance of a pass in acme's gatekeeper network, with overrides. */
export function aStepOn(
  place: Omit<PassKey, 'gatekeeperNetwork' | 'wallet'> & { readonly wallet: string },
  overrides: StepOverrides,
): Step {
  const [acme] = inject('localnet').partners;
  const { wallet = place.wallet, gatekeeperNetwork = acme?.gatekeeperNetwork as string, ...step } = overrides;
  steps += 1;
  return {
    id: `${uuidv7()}:${steps}`,
    kind: 'issue',
    rank: rankOf(step.kind ?? 'issue'),
    key: { ...place, wallet, gatekeeperNetwork } as PassKey,
    contract: defaultContract(place),
    ...step,
  };
}

/** Returns the consumer's question about the passes of these steps. */
export function asking(...steps: readonly SubmittedStep[]): Submission[] {
  return steps.map((step) => ({ pass: passIdOf(step.id), step }));
}
