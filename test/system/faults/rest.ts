import { setTimeout as sleep } from 'node:timers/promises';
import type { PassRecord } from '../../../localnet/partner/partner-client.ts';
import { isSettled } from '../../../localnet/partner/settled.ts';
import type { LocalnetFacts } from '../../../localnet/state/localnet-facts.ts';
import { tokenOnChain } from '../../../localnet/witness/witness.ts';
import type { Asker } from './asker.ts';
import { inParallel } from './in-parallel.ts';
import { gatekeeperNetworkOf, nameOf, type Subject } from './subject.ts';
import { type Difference, livesAsLongAs } from './verdict.ts';

/** Waits until each pass is settled, so long at the most. Returns those that are not, and how long it took. */
export async function untilAtRest(
  subjects: readonly Subject[],
  asker: Asker,
  facts: LocalnetFacts,
  withinMs: number,
): Promise<{ readonly unsettled: readonly Difference[]; readonly ms: number }> {
  const since = Date.now();
  for (let left: readonly Subject[] = subjects; ; await sleep(500)) {
    const open = (await inParallel(left, (subject) => unsettled(subject, asker, facts))).flat();
    left = open.map(({ subject }) => subject);
    const ms = Date.now() - since;
    if (open.length === 0 || ms > withinMs) return { ms, unsettled: open.map(({ difference }) => difference) };
  }
}

/** Nothing where the pass is settled, or where there is none. */
async function unsettled(
  subject: Subject,
  asker: Asker,
  facts: LocalnetFacts,
): Promise<{ subject: Subject; difference: Difference }[]> {
  const record = await asker.recordOf(subject).catch(() => 'no answer' as const);
  if (record === undefined) return [];
  if (record !== 'no answer' && isSettled(record) && (await hasItsExpiry(subject, record, facts))) return [];
  return [{ subject, difference: { is: 'unsettled', what: `${nameOf(subject)}: ${JSON.stringify(record)}` } }];
}

/** Of a new expiry for which no step was taken yet, the record does not tell: only the chain does. */
async function hasItsExpiry(subject: Subject, record: PassRecord, facts: LocalnetFacts): Promise<boolean> {
  const gatekeeperNetwork = gatekeeperNetworkOf(subject, facts);
  return livesAsLongAs(record, await tokenOnChain(facts.rpc[subject.network] ?? '', subject.wallet, gatekeeperNetwork));
}
