import type { OnChain, PassKey } from './pass.ts';
import type { Change } from './vocabulary.ts';

/** What a signer can do to a gateway token. */
export type StepKind = 'issue' | 'set-expiry';

/** The change in the record that a step brings about. */
export const CHANGE_OF: Readonly<Record<StepKind, Change>> = {
  issue: 'TOKEN_ISSUED',
  'set-expiry': 'TOKEN_EXPIRY_CHANGED',
};

/** One step of a pass, as its signer is asked to take it. */
export interface Step {
  /** `<pass id>:<n>`: the signer does the step of an id once, however often it is asked. */
  readonly id: string;
  readonly key: PassKey;
  readonly kind: StepKind;
  /** The expiry it aims at, in Unix seconds; undefined: never. */
  readonly expiry?: number | undefined;
}

/** Where a step stands with its signer. */
export type Standing =
  /** Not sent: the signer has yet to come to it, or something temporary keeps it. */
  | { readonly at: 'waiting' }
  | { readonly at: 'sent'; readonly transaction: string }
  | { readonly at: 'confirmed'; readonly transaction: string; readonly onChain: OnChain }
  /** No transaction of ours: this is what the chain already holds. */
  | { readonly at: 'found'; readonly onChain: OnChain }
  /** Refused for good. */
  | { readonly at: 'failed'; readonly reason: string };

/** What a signer says of a step. The revision grows with every new standing. */
export interface Answer {
  readonly step: string;
  readonly revision: number;
  readonly standing: Standing;
}

/** Whether the signer has no more to do for the step. */
export function isOver({ standing }: Answer): boolean {
  return standing.at === 'confirmed' || standing.at === 'found' || standing.at === 'failed';
}
