import { awaitSettled } from './await-settled.ts';
import { checkFeed, type FeedOutcome } from './check-feed.ts';
import { checkTrail } from './check-trail.ts';
import { comparePasses, type Difference } from './compare-passes.ts';
import type { FaultEnvironment } from './fault-environment.ts';
import { NO_FAULTS } from './random-faults.ts';
import type { TestedPass } from './tested-pass.ts';

/** The time after the last restart within which every pass must be settled. */
export const SETTLED_WITHIN_MS = 120_000;

export interface FaultOutcome {
  /** The time from the last restart or the last fault until every pass was settled. */
  readonly settledMs: number;
  readonly feed: FeedOutcome;
  readonly differences: readonly Difference[];
}

/** Ends the faults, waits until every pass is settled, and compares record, chain, model, feed, deliveries and audit trail. */
export async function checkAfterFaults(
  environment: FaultEnvironment,
  passes: readonly TestedPass[],
  withinMs = SETTLED_WITHIN_MS,
): Promise<FaultOutcome> {
  const { nodes, kms, modelClient, facts } = environment;
  nodes.setSeverity(NO_FAULTS);
  kms?.setFaults([]);
  const { unsettled, ms } = await awaitSettled(passes, modelClient, facts, withinMs);
  const differences = await comparePasses(passes, modelClient, facts);
  const feed = await checkFeed(environment, passes);
  const trail = await checkTrail(environment, passes);
  const contradictions = modelClient.contradictions
    .splice(0)
    .map((description): Difference => ({ type: 'different', description }));
  return {
    settledMs: ms,
    feed,
    differences: [...unsettled, ...differences, ...feed.differences, ...trail, ...contradictions],
  };
}
