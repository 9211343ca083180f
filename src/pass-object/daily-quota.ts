import { DAY_SECONDS } from '../lib/units.ts';
import { within } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import { rulesFor } from '../network/sandbox.ts';
import { type Pass, passName } from '../pass/pass.ts';
import { takesAccessAway } from '../pass/step-kinds.ts';
import type { DayOfChanges, StoredPass } from './stored-pass.ts';

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
  readonly reason:
    | 'quota_reached'
    | 'change_quota_reached'
    | 'room_quota_reached'
    | 'sync_quota_reached'
    | 'pass_change_limit_reached'
    | 'temporarily_unavailable';
  /** Seconds until asking again makes sense. */
  readonly retryAfter: number;
}

/**
 * How many changes without a transaction the requests of a gatekeeper network may store per day (UTC). Each adds an event to the feed of
 * its database, about 1.5 kB for 30 days.
 */
export const DAILY_ROOM = 20_000;
/** Changes of webhooks store entries of the audit trail. They may go beyond, so that a secret can be rotated on such a day too. */
export const DAILY_ROOM_OF_WEBHOOKS = DAILY_ROOM + 5_000;
/** A gatekeeper network gets no new pass today after this number of its passes have ended without a transaction. */
export const DAILY_ROOM_OF_PASSES = 2 * DAILY_ROOM;
/** How many passes the requests of a gatekeeper network may read from the chain per day (UTC). Each asks the nodes about three times. */
export const DAILY_SYNCS = 10_000;

/** How long to wait for the count, and how soon the partner should try again if it does not come. */
const COUNT_TIMEOUT_MS = 5_000;
export const NO_BOUND = Number.MAX_SAFE_INTEGER;
/** The operator must make room in the database first. */
const FULL_RETRY_SECONDS = 600;

/**
 * Counts the issuance of a pass for the partner's day, or returns a refusal. A pass counts once a day as issued. Another
 * issuance of an existing pass also counts as a change, because each one costs a transaction.
 */
export async function countIssuance(
  quotas: Env['QUOTAS'],
  { clientId, daily, dailyChanges }: IssuanceQuota,
  pass: Pass,
  isNew: boolean,
): Promise<QuotaRefusal | undefined> {
  const isChange = !isNew && dailyChanges !== undefined;
  if (daily === undefined)
    return isChange ? countChange(quotas, { clientId, daily: dailyChanges }, undefined, pass) : undefined;
  const name = passName(pass.key);
  return count(clientId, 'quota_reached', async () => {
    const quota = quotas.getByName(clientId);
    if (!isChange) return { retryAfter: await quota.countPass(name, daily) };
    return quota.countReissue(name, daily, changeName(pass), dailyChanges);
  });
}

/** Counts a change of a pass for the partner's day, or returns a refusal. A revocation counts, but is never refused. */
export async function countChange(
  quotas: Env['QUOTAS'],
  { clientId, daily }: Quota,
  before: Pass | undefined,
  after: Pass,
): Promise<QuotaRefusal | undefined> {
  const isFree = isRevocation(before, after);
  const bound = isFree ? NO_BOUND : daily;
  const refusal = await count(clientId, 'change_quota_reached', async () => ({
    retryAfter: await quotas.getByName(clientId).countChange(changeName(after), bound),
  }));
  return isFree ? undefined : refusal;
}

/** Whether a change revokes the pass, perhaps again. A change of the reference of a revoked pass does not. */
function isRevocation(before: Pass | undefined, after: Pass): boolean {
  const isNew = before?.wanted.state !== 'REVOKED' || before.revokedBy !== after.revokedBy;
  return after.wanted.state === 'REVOKED' && isNew;
}

/**
 * Counts a change that costs no transaction for the day of its gatekeeper network, or returns a refusal.
 * @param change Its unique name.
 */
export function countRoom(
  quotas: Env['QUOTAS'],
  gatekeeperNetwork: string,
  change: string,
  daily = DAILY_ROOM,
): Promise<QuotaRefusal | undefined> {
  return count(gatekeeperNetwork, 'room_quota_reached', async () => ({
    retryAfter: await quotas.getByName(gatekeeperNetwork).countChange(change, daily),
  }));
}

/** Counts the room of a pass that has ended without a transaction. */
export async function countEndedPass(quotas: Env['QUOTAS'], pass: Pass): Promise<void> {
  await countRoom(quotas, pass.key.gatekeeperNetwork, changeName(pass), NO_BOUND);
}

/** Counts a reading of a pass for the day of its gatekeeper network, or returns a refusal. */
export function countSync(
  quotas: Env['QUOTAS'],
  gatekeeperNetwork: string,
  reading: string,
): Promise<QuotaRefusal | undefined> {
  return count(gatekeeperNetwork, 'sync_quota_reached', async () => ({
    retryAfter: await quotas.getByName(gatekeeperNetwork).countPass(reading, DAILY_SYNCS),
  }));
}

/** Counts the room of a change of a pass in the same way. Taking access away counts, but is never refused. */
export async function countRoomOfChange(
  quotas: Env['QUOTAS'],
  before: Pass | undefined,
  after: Pass,
  hasRoom: () => Promise<boolean>,
): Promise<QuotaRefusal | undefined> {
  const { gatekeeperNetwork } = after.key;
  const hasOther = (name: 'reference' | 'subject') => before !== undefined && before[name] !== after[name];
  const isFree = rulesFor(gatekeeperNetwork).countsChanges || hasOther('reference') || hasOther('subject');
  if (!isFree) return undefined;
  if (before?.wanted.state !== after.wanted.state && takesAccessAway(after.wanted)) {
    await countRoom(quotas, gatekeeperNetwork, changeName(after), NO_BOUND);
    return undefined;
  }
  if (!(await hasRoom())) return { type: 'refused', reason: 'temporarily_unavailable', retryAfter: FULL_RETRY_SECONDS };
  return countRoom(quotas, gatekeeperNetwork, changeName(after));
}

const changeName = ({ key, version }: Pass) => `${passName(key)}#${version}`;

async function count(
  client: string,
  reason: QuotaRefusal['reason'],
  ask: () => Promise<{ readonly reached?: 'count' | 'changes'; readonly retryAfter: number }>,
): Promise<QuotaRefusal | undefined> {
  try {
    const { reached, retryAfter } = await within(COUNT_TIMEOUT_MS, ask(), 'the quota object');
    if (retryAfter === 0) return undefined;
    return { type: 'refused', reason: reached === 'changes' ? 'change_quota_reached' : reason, retryAfter };
  } catch (fault) {
    logFault('quota.unreachable', fault, { client });
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
  if (changed < daily || isRevocation(before.pass, after)) return { day, count: changed + 1 };
  return { type: 'refused', reason: 'pass_change_limit_reached', retryAfter: (day + 1) * DAY_SECONDS - now };
}
