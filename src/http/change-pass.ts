import { type PassKey, passName } from '../pass/pass.ts';
import type { UpdateRequest } from '../pass/update.ts';
import type { Projection } from '../store/passes.ts';
import { type Refusal, refuse } from './problem.ts';
import { spread } from './spread.ts';

/**
 * Grants a partner's wish for a pass that is there, and answers the pass as it is then. Whether the partner may still
 * issue on the network is not asked: who may not must be able to freeze and revoke all the same.
 */
export async function changePass(
  key: PassKey,
  request: UpdateRequest,
  env: Env,
): Promise<(Projection & { readonly bookmark: string }) | Refusal> {
  const updated = await env.PASSES.getByName(passName(key)).update(request);
  if (updated === undefined) return refuse('pass_not_found');
  if ('refused' in updated) return refuse(updated.refused);
  return { ...updated.projection, bookmark: await spread(updated, env) };
}
