import { DAY_SECONDS } from '../lib/time.ts';
import { within } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import { type Pass, passName } from '../pass/pass.ts';
import type { DayOfChanges, StoredPass } from './stored-pass.ts';

/** The day that counts. */
interface Today {
  /** How many seconds the clock of the sandbox is ahead. */
  readonly ahead?: number | undefined;
}

/** The number of changes that a partner may request per day (UTC). */
export interface Quota {
  readonly clientId: string;
  readonly daily: number;
}

/** The numbers of passes and of changes that a partner may request per day (UTC); undefined: no quota. */
export interface IssuanceQuota {
  readonly clientId: string;
  readonly daily?: number | undefined;
  readonly dailyChanges?: number | undefined;
}

/** Why an issuance or a change is refused: a daily number is reached, or the count is not available. */
export interface QuotaRefusal {
  readonly type: 'refused';
  readonly reason: 'quota_reached' | 'change_quota_reached' | 'pass_change_limit_reached' | 'temporarily_unavailable';
  /** Seconds until asking again makes sense. */
  readonly retryAfter: number;
}

/** How long to wait for the count, and how soon the partner should try again if it does not come. */
const COUNT_TIMEOUT_MS = 5_000;
const NO_BOUND = Number.MAX_SAFE_INTEGER;

/**
 * Counts the issuance of a pass for the partner's day, or returns a refusal. A pass counts once a day as issued. Another
 * issuance of an existing pass also counts as a change, because each one costs a transaction.
 */
export async function countIssuance(
  quotas: Env['QUOTAS'],
  { clientId, daily, dailyChanges, ahead }: IssuanceQuota & Today,
  pass: Pass,
  isNew: boolean,
): Promise<QuotaRefusal | undefined> {
  const isChange = !isNew && dailyChanges !== undefined;
  if (daily === undefined)
    return isChange ? countChange(quotas, { clientId, daily: dailyChanges, ahead }, pass) : undefined;
  const name = passName(pass.key);
  return count(clientId, 'quota_reached', async () => {
    const quota = quotas.getByName(clientId);
    if (!isChange) return { retryAfter: await quota.countPass(name, daily, ahead) };
    return quota.countReissue(name, daily, changeName(pass), dailyChanges, ahead);
  });
}

/** Counts a change of a pass for the partner's day, or returns a refusal. A revocation counts, but is never refused. */
export async function countChange(
  quotas: Env['QUOTAS'],
  { clientId, daily, ahead }: Quota & Today,
  pass: Pass,
): Promise<QuotaRefusal | undefined> {
  const isRevocation = pass.wanted.state === 'REVOKED';
  const bound = isRevocation ? NO_BOUND : daily;
  const refusal = await count(clientId, 'change_quota_reached', async () => ({
    retryAfter: await quotas.getByName(clientId).countChange(changeName(pass), bound, ahead),
  }));
  return isRevocation ? undefined : refusal;
}

const changeName = ({ key, version }: Pass) => `${passName(key)}#${version}`;

async function count(
  clientId: string,
  reason: QuotaRefusal['reason'],
  ask: () => Promise<{ readonly reached?: 'count' | 'changes'; readonly retryAfter: number }>,
): Promise<QuotaRefusal | undefined> {
  try {
    const { reached, retryAfter } = await within(COUNT_TIMEOUT_MS, ask(), 'the quota object');
    if (retryAfter === 0) return undefined;
    return { type: 'refused', reason: reached === 'changes' ? 'change_quota_reached' : reason, retryAfter };
  } catch (fault) {
    logFault('quota.unreachable', fault, { client: clientId });
    return { type: 'refused', reason: 'temporarily_unavailable', retryAfter: COUNT_TIMEOUT_MS / 1000 };
  }
}

/**
 * Returns how often the pass was changed today, including this change, or a refusal beyond `daily` changes. A revocation
 * counts, but is never refused. `now` in Unix seconds.
 */
export function countChangeOfPass(
  before: StoredPass,
  after: Pass,
  daily: number,
  now: number,
): DayOfChanges | QuotaRefusal {
  const day = Math.floor(now / DAY_SECONDS);
  const changed = before.changes?.day === day ? before.changes.count : 0;
  if (changed < daily || after.wanted.state === 'REVOKED') return { day, count: changed + 1 };
  return { type: 'refused', reason: 'pass_change_limit_reached', retryAfter: (day + 1) * DAY_SECONDS - now };
}
