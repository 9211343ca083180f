import { type ShownEntry, type TrailPart, TrailVerifier } from '../../../ops/audit/verify-trail.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import type { PassRecord } from '../../../tools/localnet/partner/partner-client.ts';
import { pollUntil } from '../poll-until.ts';
import type { Difference } from './compare-passes.ts';
import type { FaultEnvironment } from './fault-environment.ts';
import { mapInParallel } from './map-in-parallel.ts';
import { PARTNERS, type TestedPass } from './tested-pass.ts';

type Entry = ShownEntry & { readonly key: string; readonly requestId?: string };

/** The alarm of a settled pass whose entries were not appended fires after at most a minute. */
const APPENDED_WITHIN_MS = 120_000;
const PAGE_MAX_ENTRIES = 1_000;

/**
 * Compares the audit trail of each partner with the records: it has no gap, the entries of each pass are numbered 1, 2, 3 …, and each
 * request that an event names has exactly one entry of that pass.
 */
export async function checkTrail(
  { facts, modelClient }: Pick<FaultEnvironment, 'facts' | 'modelClient'>,
  passes: readonly TestedPass[],
): Promise<readonly Difference[]> {
  const found: string[] = [];
  for (const partner of PARTNERS) {
    const client = new LocalnetPartner(facts, partner);
    const own = passes.filter((pass) => pass.partner === partner);
    const records = await mapInParallel(own, (pass) => modelClient.recordOf(pass));
    const known = records.filter((record): record is PassRecord => record !== undefined);
    const compare = async () => {
      const { entries, findings } = await readTrail(client);
      return [...findings, ...known.flatMap((record) => differencesIn(record, entries))];
    };
    const differences = await pollUntil(compare, (left) => left.length === 0, APPENDED_WITHIN_MS).catch(compare);
    found.push(...differences.map((each) => `${partner}: ${each}`));
  }
  return found.map((description) => ({ type: 'different', description }));
}

function differencesIn({ id, events }: PassRecord, entries: readonly Entry[]): string[] {
  const own = entries.filter(({ key }) => key.startsWith(`${id}/`));
  const numbers = own.map(({ key }) => Number(key.slice(id.length + 1))).toSorted((a, b) => a - b);
  const isComplete = numbers.length > 0 && numbers.every((number, index) => number === index + 1);
  const named = new Set(events.flatMap(({ requestId }) => requestId ?? []));
  const wrong = [...named].filter((requestId) => own.filter((entry) => entry.requestId === requestId).length !== 1);
  return [
    ...(isComplete ? [] : [`the trail has the entries ${numbers.join()} of the pass ${id}`]),
    ...wrong.map((requestId) => `the trail does not have one entry of the request ${requestId} of the pass ${id}`),
  ];
}

async function readTrail(client: LocalnetPartner): Promise<{ entries: Entry[]; findings: readonly string[] }> {
  const verifier = new TrailVerifier([]);
  const entries: Entry[] = [];
  for (let after = 0; ; ) {
    const path = `/audit?after=${after}&limit=${PAGE_MAX_ENTRIES}`;
    const page = await client.call<TrailPart & { entries: Entry[]; next: number; more: boolean }>('GET', path);
    verifier.add(page);
    entries.push(...page.entries);
    if (!page.more) return { entries, findings: verifier.finish() };
    after = page.next;
  }
}
