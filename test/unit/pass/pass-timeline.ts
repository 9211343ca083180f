import { applyReading } from '../../../src/pass/adopt.ts';
import { recordAnswer } from '../../../src/pass/answers.ts';
import { pinNextStep } from '../../../src/pass/next-step.ts';
import type { OnChain, Pass } from '../../../src/pass/pass.ts';
import { requestUpdate } from '../../../src/pass/requests.ts';
import type { StepStatus } from '../../../src/pass/step.ts';
import { anUpdateRequest, aPass, NOW } from './a-pass.ts';

/** A pass and the revisions that its signer has reported. */
export class PassTimeline {
  pass: Pass = aPass({ step: undefined });
  readonly #revisions = new Map<number, number>();

  /** Adopts a reading of the chain. */
  sync(found: OnChain): this {
    this.pass = applyReading(this.pass, found, NOW).pass;
    return this;
  }

  request(state: 'ACTIVE' | 'FROZEN' | 'REVOKED'): this {
    const result = requestUpdate(this.pass, anUpdateRequest({ state }), NOW);
    if ('pass' in result) this.pass = result.pass;
    return this;
  }

  pin(): this {
    this.pass = pinNextStep(this.pass, NOW)?.pass ?? this.pass;
    return this;
  }

  record(step: number, status: StepStatus): this {
    const revision = (this.#revisions.get(step) ?? 0) + 1;
    this.#revisions.set(step, revision);
    this.pass = recordAnswer(this.pass, { step: `${this.pass.id}:${step}`, revision, status }, NOW);
    return this;
  }

  /** Pins the step and records that this transaction confirmed it. */
  confirm(step: number, onChain: OnChain, transaction = `0x${step}`): this {
    return this.pin().record(step, { type: 'confirmed', transaction, onChain });
  }

  /** Returns the types of the events with the status of their transactions. */
  get events(): string[] {
    return this.pass.events.map(({ eventType, transaction }) =>
      [eventType, transaction && `${transaction.identifier} ${transaction.status}`].filter(Boolean).join(' '),
    );
  }
}
