import { changePass } from '../change-pass.ts';
import { subjectOf } from '../pass-path.ts';
import { refuse } from '../problem.ts';
import { reply, route } from '../route.ts';
import { UpdateBody, WalletPath } from '../schemas.ts';

export const updatePass = route({
  method: 'PATCH',
  path: '/pass/:chain/:chainNetwork/:wallet',
  scope: 'update',
  summary: 'Freeze, unfreeze or revoke a pass, or change when it expires',
  params: WalletPath,
  body: UpdateBody,
  async handle({ params, body, partner, config, env }) {
    const subject = subjectOf({ ...params, walletAt: '/wallet' }, partner, config);
    if ('code' in subject) return subject;
    const { state, expiryTimestamp: expiry } = body;
    if (expiry !== undefined && expiry * 1000 <= Date.now()) return EXPIRY_PASSED;
    const changed = await changePass(subject.key, { state, expiry }, env);
    if ('code' in changed) return changed;
    // Clients of the hosted service look for it.
    return reply(200, JSON.stringify({ ...JSON.parse(changed.record), status: 'ok' }), changed.id, changed.bookmark);
  },
});

const EXPIRY_PASSED = refuse('invalid_request', {
  errors: [{ pointer: '/expiryTimestamp', detail: 'must be in the future, in Unix seconds' }],
});
