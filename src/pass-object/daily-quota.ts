import { withTimeout } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';

/** How many passes a client may issue in a day (UTC). */
export interface Quota {
  readonly clientId: string;
  readonly daily: number;
}

/** Why an issuance is not counted: the day's quota is used up, or nobody knows. */
export interface QuotaRefusal {
  readonly type: 'refused';
  readonly reason: 'quota_reached' | 'temporarily_unavailable';
  /** Seconds until asking again makes sense. */
  readonly retryAfter: number;
}

/** How long the count is waited for, and how soon it is worth asking again when it did not come. */
const COUNT_TIMEOUT_MS = 5_000;

/** Counts the pass for its client's day, or says why not. */
export async function countIssuance(
  quotas: Env['QUOTAS'],
  { clientId, daily }: Quota,
  pass: string,
): Promise<QuotaRefusal | undefined> {
  try {
    const retryAfter = await withTimeout(
      COUNT_TIMEOUT_MS,
      quotas.getByName(clientId).countPass(pass, daily),
      undefined,
    );
    if (retryAfter === undefined) throw new Error(`no answer within ${COUNT_TIMEOUT_MS} ms`);
    return retryAfter === 0 ? undefined : { type: 'refused', reason: 'quota_reached', retryAfter };
  } catch (fault) {
    logFault('quota-unreachable', fault, { client: clientId });
    return { type: 'refused', reason: 'temporarily_unavailable', retryAfter: COUNT_TIMEOUT_MS / 1000 };
  }
}
