import { publishAndAwait } from '../../operations/await-settlement.ts';
import type { Backend } from '../../operations/backend.ts';
import type { PassView } from '../../operations/read-from-object.ts';
import type { PassKey } from '../../pass/pass.ts';
import type { UpdateRequest } from '../../pass/request-update.ts';
import type { Partner } from '../../store/partners.ts';
import { type Refusal, refuse } from '../protocol/problem.ts';

/** A pass, and the partner that changes it. */
interface ChangedPass {
  readonly key: PassKey;
  readonly partner: Partner;
}

/**
 * Changes an existing pass for its partner. Returns the pass once it is settled, or as it is after `waitSeconds`. Does not check
 * whether the partner may still issue on the network: a partner that may not must still be able to freeze and revoke.
 */
export async function changePass(
  { key, partner: { clientId, dailyChanges: daily } }: ChangedPass,
  request: UpdateRequest,
  waitSeconds: number,
  backend: Backend,
): Promise<PassView | Refusal> {
  const quota = daily === undefined ? undefined : { clientId, daily };
  const result = await backend.passObject(key).update({ ...request, client: clientId }, waitSeconds > 0, quota);
  if (result === undefined) return refuse('pass_not_found');
  if (result.type === 'accepted') return publishAndAwait(result, waitSeconds, backend);
  return refuse(result.reason, { headers: retryAfterOf(result) });
}

/** Returns the header `Retry-After` if the refusal has a time. */
export function retryAfterOf(refusal: object): { readonly 'retry-after': string } | undefined {
  return 'retryAfter' in refusal ? { 'retry-after': String(refusal.retryAfter) } : undefined;
}
