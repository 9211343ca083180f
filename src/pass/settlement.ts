import type { Milliseconds } from '../lib/brand.ts';
import { nextStep } from './next-step.ts';
import { hasValidToken, type Pass } from './pass.ts';
import { isSatisfied } from './step.ts';
import { BULK_ISSUANCE, type StepKind } from './step-kinds.ts';

/** The kind of a request, as the metrics show it: the kind of its first step, or an issuance of a bulk request. */
export type RequestKind = StepKind | 'bulk-issue';

/** A request that waits for its effect on chain. Stored in the pass object. */
export interface AwaitedRequest {
  readonly kind: RequestKind;
  /** When it was accepted. */
  readonly at: Milliseconds;
}

/** A request whose effect the read model shows. Sent from the pass object to the consumer. */
export interface Settlement {
  readonly network: string;
  readonly kind: RequestKind;
  /** From its acceptance until the read model showed the effect. */
  readonly seconds: number;
  /** Whether that was longer than `activeWithinMs` of the network. */
  readonly isLate: boolean;
}

/** Returns the request that makes the pass wait from now on; undefined if no step is needed. */
export function awaitedRequest(pass: Pass, now: Milliseconds): AwaitedRequest | undefined {
  const kind = pass.step?.kind ?? nextStep(pass)?.kind;
  if (kind === undefined) return undefined;
  return { kind: kind === 'issue' && pass.issuanceRank === BULK_ISSUANCE ? 'bulk-issue' : kind, at: now };
}

/** Whether the settled pass shows what the request asked for. It does not if the chain refused it, or a later request replaced it. */
export function hasEffect({ onChain, wanted }: Pass, { kind }: AwaitedRequest): boolean {
  if (kind === 'issue' || kind === 'bulk-issue') return hasValidToken(onChain);
  return isSatisfied({ kind, expiry: wanted.expiry }, onChain);
}
