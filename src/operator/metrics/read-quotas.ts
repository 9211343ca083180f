import type { Milliseconds } from '../../lib/brand.ts';
import { callObject } from '../../message/call-object.ts';
import { isSandbox } from '../../network/sandbox.ts';
import type { Backend } from '../../operations/backend.ts';

/** A daily quota of a partner, and the part of it that is used today. */
export interface UsedQuota {
  readonly partner: string;
  readonly quota: 'issuances' | 'changes';
  readonly used: number;
  readonly limit: number;
}

/** Returns the daily quotas of these partners. A partner in a sandbox is left out, and one whose row or object does not answer in time. */
export async function readQuotas(
  partners: readonly string[],
  { store, quotaObject }: Backend,
  timeoutMs: Milliseconds,
): Promise<UsedQuota[]> {
  const read = partners.map(async (partner): Promise<UsedQuota[]> => {
    const { gatekeeperNetwork, dailyIssuances, dailyChanges } =
      (await store.findPartner('client', partner, Date.now()).catch(() => undefined)) ?? {};
    if (dailyIssuances === undefined && dailyChanges === undefined) return [];
    // A partner may try its quota out there.
    if (isSandbox(gatekeeperNetwork ?? '')) return [];
    const used = await callObject(async () => quotaObject(partner).usedToday(), 'quota', partner, timeoutMs);
    if (used === undefined) return [];
    return [
      ...(dailyIssuances === undefined
        ? []
        : [{ partner, quota: 'issuances' as const, used: used.count, limit: dailyIssuances }]),
      ...(dailyChanges === undefined
        ? []
        : [{ partner, quota: 'changes' as const, used: used.changes, limit: dailyChanges }]),
    ];
  });
  return (await Promise.all(read)).flat();
}
