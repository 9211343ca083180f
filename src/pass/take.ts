import { changed } from './change.ts';
import { nextStep } from './next-step.ts';
import type { Pass, PinnedStep } from './pass.ts';
import { CHANGE_OF, type Step } from './step.ts';

/**
 * The pass with its step pinned: the one that is pinned already, or the next one. Undefined when nothing is to be
 * done. `now` in Unix seconds.
 */
export function take(pass: Pass, now: number): { pass: Pass; step: Step } | undefined {
  const pinned = pass.step ? pass : pinNext(pass, now);
  if (pinned?.step === undefined) return undefined;
  const { id, kind, expiry } = pinned.step;
  return { pass: pinned, step: { id, kind, expiry, key: pass.key } };
}

function pinNext(pass: Pass, now: number): Pass | undefined {
  const kind = nextStep(pass);
  if (kind === undefined) return undefined;
  const steps = pass.steps + 1;
  const step: PinnedStep = { id: `${pass.id}:${steps}`, kind, expiry: pass.wanted.expiry, revision: 0, held: false };
  const pinned = { ...pass, steps, step };
  // An issuance was announced when it was accepted; what settlement decides by itself is announced here.
  return kind === 'issue' ? pinned : changed(pinned, { eventType: `${CHANGE_OF[kind]}_INITIATED`, timestamp: now });
}
