import { CALM } from './random-faults.ts';
import { untilAtRest } from './rest.ts';
import type { Stage } from './stage.ts';
import type { Subject } from './subject.ts';
import { type Difference, verdictOn } from './verdict.ts';

/** How long after the last restart every pass must be settled, in milliseconds. */
export const SETTLED_WITHIN_MS = 120_000;

export interface Aftermath {
  /** From the last restart, or the last fault, until every pass was settled. */
  readonly settledMs: number;
  readonly differences: readonly Difference[];
}

/** Nothing fails any more: everything comes to rest by itself, and is compared. */
export async function aftermath(
  stage: Stage,
  subjects: readonly Subject[],
  withinMs = SETTLED_WITHIN_MS,
): Promise<Aftermath> {
  const { nodes, asker, facts } = stage;
  nodes.become(CALM);
  const { unsettled, ms } = await untilAtRest(subjects, asker, facts, withinMs);
  const differences = await verdictOn(subjects, asker, facts);
  const contradictions = asker.contradictions.splice(0).map((what): Difference => ({ is: 'different', what }));
  return { settledMs: ms, differences: [...unsettled, ...differences, ...contradictions] };
}
