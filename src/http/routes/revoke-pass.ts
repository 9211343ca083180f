import { changePass } from '../pass/change-pass.ts';
import { passReply } from '../pass/pass-reply.ts';
import { passTargetOf } from '../pass/pass-target.ts';
import { isRefusal } from '../protocol/reply.ts';
import { route } from '../route.ts';
import { WalletPath } from '../schemas/requests.ts';

export const revokePass = route({
  operationId: 'revokePass',
  method: 'DELETE',
  path: '/pass/:chain/:chainNetwork/:wallet',
  scope: 'update',
  params: WalletPath,
  waits: true,
  async handle({ params, partner, waitSeconds, config, ...backend }) {
    const target = passTargetOf(params, partner, config);
    if (isRefusal(target)) return target;
    const revoked = await changePass({ ...target, partner }, { state: 'REVOKED' }, waitSeconds, backend);
    return isRefusal(revoked) ? revoked : passReply(200, revoked);
  },
});
