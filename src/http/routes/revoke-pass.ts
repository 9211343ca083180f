import { passName } from '../../pass/pass.ts';
import { subjectOf } from '../pass-path.ts';
import { refuse } from '../problem.ts';
import { reply, route } from '../route.ts';
import { WalletPath } from '../schemas.ts';
import { spread } from '../spread.ts';

export const revokePass = route({
  method: 'DELETE',
  path: '/pass/:chain/:chainNetwork/:wallet',
  scope: 'update',
  summary: 'Revoke a pass for good',
  params: WalletPath,
  async handle({ params, partner, config, env }) {
    const subject = subjectOf({ ...params, walletAt: '/wallet' }, partner, config);
    if ('code' in subject) return subject;
    const revoked = await env.PASSES.getByName(passName(subject.key)).update({ state: 'REVOKED' });
    if (revoked === undefined) return refuse('pass_not_found');
    if ('refused' in revoked) return refuse(revoked.refused);
    await spread(revoked, env);
    return reply(200, revoked.projection.record);
  },
});
