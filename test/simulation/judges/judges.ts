import type { World } from '../world/world.ts';
import { faultsOfChecks, faultsOfLastChecks } from './checks.ts';
import { faultsOfDeadLetters } from './dead-letters.ts';
import { faultsOfFeedEvents } from './feed-events.ts';
import { faultsOfFullDatabases } from './full-databases.ts';
import { faultsOfHistories } from './histories.ts';
import { faultsOfFeeds, faultsOfTrails, faultsOfUsage, faultsOfWebhooks } from './history.ts';
import { faultsOfLists, faultsOfMetrics } from './operator.ts';
import { faultsOfHolding, faultsOfPass, readPasses, readPassesAtLast } from './passes.ts';
import { faultsOfQuotas } from './quotas.ts';
import { faultsOfBookmarks, faultsOfReaders, faultsOfUsageRoute } from './readings.ts';
import { faultsOfReferences } from './references.ts';
import { faultsOfRefusals } from './refusals.ts';
import { faultsOfRestores } from './restored-databases.ts';
import { faultsOfRetryAfter } from './retry-after.ts';
import { faultsOfSuspensions, faultsOfTenants } from './rights.ts';
import { faultsOfSearches } from './searches.ts';
import { faultsOfStaff, faultsOfSuspendedRequests } from './staff.ts';
import { faultsOfStatus } from './status.ts';
import { faultsOfTransactions } from './transactions.ts';
import { faultsOfForms, faultsOfMany, faultsOfWaiting } from './waiting.ts';
import { faultsOfIdleTime, faultsOfSigners, faultsOfWatchedCode } from './work.ts';

/** The judges of a world: the rules that hold in every world when all faults are over and everything has had time. */

/** Returns what is wrong after the rest; empty: nothing. */
export async function faultsOf(world: World): Promise<string[]> {
  const judged = await readPassesAtLast(world);
  return [
    ...judged.flatMap((each) => faultsOfPass(world, each)),
    ...faultsOfSigners(world),
    ...faultsOfTransactions(world, judged),
    ...(await faultsOfMetrics(world)),
    ...world.alarms.faults,
    ...faultsOfFeeds(world, new Set(judged.map(({ pass }) => pass.id))),
    ...faultsOfFeedEvents(world),
    ...(await faultsOfSearches(world, judged)),
    ...faultsOfWebhooks(world),
    ...faultsOfUsage(world),
    ...faultsOfTrails(world),
    ...faultsOfHistories(world),
    ...faultsOfSuspensions(world),
    ...faultsOfQuotas(world),
    ...faultsOfWaiting(world),
    ...faultsOfMany(world),
    ...faultsOfForms(world),
    ...faultsOfBookmarks(world),
    ...(await faultsOfReaders(world)),
    ...faultsOfDeadLetters(world),
    ...(await faultsOfUsageRoute(world)),
    ...(await faultsOfReferences(world, judged)),
    ...faultsOfTenants(world),
    ...faultsOfRefusals(world),
    ...faultsOfRetryAfter(world),
    ...faultsOfRestores(world),
    ...faultsOfStaff(world),
    ...faultsOfSuspendedRequests(world),
    ...faultsOfFullDatabases(world),
    ...faultsOfChecks(world),
    ...(await faultsOfLastChecks(world, judged)),
    ...(await faultsOfLists(world)),
    ...(await faultsOfStatus(world)),
  ];
}

/** Returns what is wrong after the idle time. Only others, authorities, strangers and the operator have done anything since the rest. */
export async function faultsAfterIdleTime(world: World): Promise<string[]> {
  const judged = await readPasses(world);
  return [
    ...faultsOfIdleTime(world),
    ...faultsOfWatchedCode(world),
    ...world.alarms.faults,
    ...judged.flatMap((each) => faultsOfHolding(world, each)),
    ...faultsOfChecks(world),
    ...(await faultsOfLastChecks(world, judged)),
  ];
}
