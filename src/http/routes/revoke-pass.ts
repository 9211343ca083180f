import { changePass } from '../pass/change-pass.ts';
import { passReply } from '../pass/pass-reply.ts';
import { passTargetOf } from '../pass/pass-target.ts';
import { route } from '../route.ts';
import { PassRecord } from '../schemas/replies.ts';
import { WalletPath } from '../schemas/requests.ts';

export const revokePass = route({
  operationId: 'revokePass',
  method: 'DELETE',
  path: '/pass/:chain/:chainNetwork/:wallet',
  scope: 'update',
  summary: 'Revoke a pass for good',
  description: 'The same as `PATCH` with the state `REVOKED`. It is final; asking again changes nothing.',
  params: WalletPath,
  waits: true,
  replies: { 200: { description: 'The pass as it stands.', body: PassRecord, headers: ['Gatepass-Bookmark'] } },
  refuses: ['unknown_network', 'invalid_wallet', 'pass_not_found', 'pass_rejected'],
  async handle({ params, partner, wait, config, env }) {
    const subject = passTargetOf({ ...params, walletAt: '/wallet' }, partner, config);
    if ('code' in subject) return subject;
    const revoked = await changePass(subject.key, { state: 'REVOKED' }, wait, env);
    return 'code' in revoked ? revoked : passReply(200, revoked);
  },
});
