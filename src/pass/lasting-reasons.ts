import type { Milliseconds } from '../lib/units.ts';
import { backoff, MINUTE_MS } from '../lib/units.ts';
import { NOTHING, reasonRow, remedyOf, type StuckReason, type WaitCode } from './wait-reasons.ts';

/** The reasons to wait that should end by themselves, and do not. */

/** The remedy in place of NOTHING once a reason has lasted ten times as long as usual, or the nodes withhold something. */
const WITHHELD =
  'Look the transaction up in a block explorer. If the chain has it, replace the endpoint that withholds it in RPC_ENDPOINTS, or add ' +
  'one of another provider (runbook: A node withholds what the chain has).';

/** A reason has lasted once it holds this many times as long as usual. */
const LASTING_TIMES = 10;
/** The reasons that end with a final block. */
const FINALITY: readonly string[] = [
  'mint-not-final',
  'earlier-step-not-final',
  'nonce-not-final',
  'tokens-not-final',
  'final-block-unanswered',
];
/** The reasons that end with a block. */
const INCLUSION: readonly string[] = ['unsent', 'sent', 'vanished', 'issuance-in-flight'];

/** The usual times of a network. */
interface UsualTimes {
  readonly inclusionMs: Milliseconds;
  readonly finalityMs: Milliseconds;
}

/**
 * Returns the reason as the operator reads it. If it should have ended by itself, it says since when it holds and what the nodes
 * withhold, and what to do.
 * @param forMs How long it has held; undefined: unknown.
 * @param withheld The call that the nodes withhold; undefined: none is known.
 */
export function explainLasting(
  { code, text }: StuckReason,
  { inclusionMs, finalityMs }: UsualTimes,
  forMs: Milliseconds | undefined,
  withheld: string | undefined,
): StuckReason {
  if (remedyOf(code) !== NOTHING) return { code, text };
  const other = INCLUSION.includes(code) ? inclusionMs : reasonRow(code as WaitCode).to;
  const usual = FINALITY.includes(code) ? finalityMs : other;
  const isLasting = forMs !== undefined && forMs >= LASTING_TIMES * usual;
  if (!isLasting && withheld === undefined) return { code, text };
  const lasting = isLasting ? `for ${Math.floor(forMs / MINUTE_MS)} minutes` : undefined;
  const details = [lasting, withheld].filter((each) => each !== undefined);
  return { code, text: `${text} (${details.join('; ')})`, remedy: WITHHELD };
}

/** Returns how long a step has been postponed for the reason. */
export function waitedMs(code: WaitCode, tries: number): Milliseconds {
  const { from, to } = reasonRow(code);
  return Array.from({ length: tries }, (_, before) => backoff(from, before, to)).reduce((sum, each) => sum + each, 0);
}
