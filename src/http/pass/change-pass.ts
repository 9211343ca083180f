import { publishAndAwait } from '../../operations/await-settlement.ts';
import type { Backend } from '../../operations/backend.ts';
import type { PassView } from '../../operations/read-from-object.ts';
import type { PassKey } from '../../pass/pass.ts';
import type { UpdateRequest } from '../../pass/request-update.ts';
import { type Refusal, refuse } from '../protocol/problem.ts';

/**
 * Changes an existing pass for its partner and returns it, after so many seconds of waiting for it to settle. Does not ask
 * whether the partner may still issue on the network: a partner that may not must still be able to freeze and revoke.
 */
export async function changePass(
  key: PassKey,
  request: UpdateRequest,
  waitSeconds: number,
  backend: Backend,
): Promise<PassView | Refusal> {
  const result = await backend.passObject(key).update(request, waitSeconds > 0);
  if (result === undefined) return refuse('pass_not_found');
  return result.type === 'refused' ? refuse(result.reason) : publishAndAwait(result, waitSeconds, backend);
}
