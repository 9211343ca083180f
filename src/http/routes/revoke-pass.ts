import { changePass } from '../change-pass.ts';
import { subjectOf } from '../pass-path.ts';
import { PassRecord } from '../reply-schemas.ts';
import { route } from '../route.ts';
import { WalletPath } from '../schemas.ts';
import { showing } from '../shown.ts';

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
    const subject = subjectOf({ ...params, walletAt: '/wallet' }, partner, config);
    if ('code' in subject) return subject;
    const revoked = await changePass(subject.key, { state: 'REVOKED' }, wait, env);
    return 'code' in revoked ? revoked : showing(200, revoked);
  },
});
