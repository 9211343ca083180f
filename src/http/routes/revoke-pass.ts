import { changePass } from '../change-pass.ts';
import { subjectOf } from '../pass-path.ts';
import { reply, route } from '../route.ts';
import { WalletPath } from '../schemas.ts';

export const revokePass = route({
  method: 'DELETE',
  path: '/pass/:chain/:chainNetwork/:wallet',
  scope: 'update',
  summary: 'Revoke a pass for good',
  params: WalletPath,
  async handle({ params, partner, config, env }) {
    const subject = subjectOf({ ...params, walletAt: '/wallet' }, partner, config);
    if ('code' in subject) return subject;
    const revoked = await changePass(subject.key, { state: 'REVOKED' }, env);
    return 'code' in revoked ? revoked : reply(200, revoked.record, revoked.id, revoked.bookmark);
  },
});
