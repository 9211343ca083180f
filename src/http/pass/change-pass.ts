import { publishAndAwait } from '../../operations/await-settlement.ts';
import type { Backend } from '../../operations/backend.ts';
import type { PassView } from '../../operations/read-from-object.ts';
import type { PassKey } from '../../pass/pass.ts';
import type { UpdateRequest } from '../../pass/request-update.ts';
import type { Accepted } from '../../pass-object/results.ts';
import type { Partner } from '../../store/partners.ts';
import { type Refusal, refuse } from '../protocol/problem.ts';
import { isRefusal } from '../protocol/reply.ts';

/** A pass, and the partner that changes it. */
interface ChangedPass {
  readonly key: PassKey;
  readonly partner: Partner;
}

/**
 * Asks the pass object for a change. Does not check whether the partner may still issue on the network: a partner that may not must
 * still be able to freeze and revoke.
 */
export async function requestChange(
  { key, partner: { clientId, dailyChanges: daily } }: ChangedPass,
  request: UpdateRequest,
  waits: boolean,
  backend: Backend,
): Promise<Accepted | Refusal> {
  const quota = daily === undefined ? undefined : { clientId, daily };
  const result = await backend.passObject(key).update({ ...request, client: clientId }, waits, quota);
  if (result === undefined) return refuse('pass_not_found');
  return result.type === 'accepted' ? result : refuse(result.reason, { headers: retryAfterOf(result) });
}

/** Changes an existing pass for its partner. Returns the pass once it is settled, or as it is after `waitSeconds`. */
export async function changePass(
  changed: ChangedPass,
  request: UpdateRequest,
  waitSeconds: number,
  backend: Backend,
): Promise<PassView | Refusal> {
  const result = await requestChange(changed, request, waitSeconds > 0, backend);
  return isRefusal(result) ? result : publishAndAwait(result, waitSeconds, backend);
}

/** Whether the change only takes access away. The limit of waiting work does not stop it. */
export function takesAccessAway({ state }: UpdateRequest): boolean {
  return state === 'FROZEN' || state === 'REVOKED';
}

/** Returns the header `Retry-After` if the refusal has a time. */
export function retryAfterOf(refusal: object): { readonly 'retry-after': string } | undefined {
  return 'retryAfter' in refusal ? { 'retry-after': String(refusal.retryAfter) } : undefined;
}
