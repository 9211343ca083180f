import { type PassKey, passName } from '../../pass/pass.ts';
import type { UpdateRequest } from '../../pass/request-update.ts';
import { publishAndAwait } from '../await-settlement.ts';
import { type Refusal, refuse } from '../protocol/problem.ts';
import type { PassReply } from './pass-reply.ts';

/**
 * Grants a partner's wish for a pass that is there, and answers the pass as it is then, or when so many seconds were waited
 * for it to settle. Whether the partner may still issue on the network is not asked: who may not must be able to freeze and
 * revoke all the same.
 */
export async function changePass(
  key: PassKey,
  request: UpdateRequest,
  wait: number,
  env: Env,
): Promise<PassReply | Refusal> {
  const updated = await env.PASSES.getByName(passName(key)).update(request);
  if (updated === undefined) return refuse('pass_not_found');
  return 'refused' in updated ? refuse(updated.refused) : publishAndAwait(updated, wait, env);
}
