import { changePass, takesAccessAway } from '../pass/change-pass.ts';
import { refusePastExpiry } from '../pass/future-expiry.ts';
import { passReply } from '../pass/pass-reply.ts';
import { passTargetOf } from '../pass/pass-target.ts';
import { refuseWaitingWork } from '../pass/waiting-limit.ts';
import { isRefusal } from '../protocol/reply.ts';
import { route } from '../route.ts';
import { UpdateBody, WalletPath } from '../schemas/requests.ts';

export const updatePass = route({
  operationId: 'updatePass',
  method: 'PATCH',
  path: '/pass/:chain/:chainNetwork/:wallet',
  scope: 'update',
  summary: 'Freeze, unfreeze or revoke a pass, or change its expiry',
  description:
    'The service stores the change, and the record shows it at once. The chain follows, and an event shows when the change is confirmed. A repeated request changes nothing. A change of a new pass waits until the issuance is final. On an Ethereum-type chain, a frozen pass gets a new expiry on chain only when it is unfrozen; until then, the pass counts as settled.',
  params: WalletPath,
  body: UpdateBody,
  waits: true,
  replies: {
    200: { description: 'The record of the pass with `status`.', body: 'UpdatedPass', headers: ['Gatepass-Bookmark'] },
  },
  refuses: [
    'unknown_network',
    'invalid_wallet',
    'pass_not_found',
    'pass_revoked',
    'pass_rejected',
    'issued_by_another_gatekeeper',
    'change_quota_reached',
    'pass_change_limit_reached',
    'waiting_limit_reached',
  ],
  async handle({ params, body, partner, waitSeconds, config, ...backend }) {
    const target = passTargetOf(params, partner, config);
    if (isRefusal(target)) return target;
    const { state, expiryTimestamp: expiry } = body;
    const pastExpiry = refusePastExpiry(expiry);
    if (pastExpiry !== undefined) return pastExpiry;
    if (!takesAccessAway({ state }) && (await backend.waitingWork.isFull(partner, target.network, config, backend)))
      return refuseWaitingWork();
    const changed = await changePass({ ...target, partner }, { state, expiry }, waitSeconds, backend);
    if (isRefusal(changed)) return changed;
    // Clients of the hosted service read `status`.
    return passReply(200, changed, { body: JSON.stringify({ ...JSON.parse(changed.record), status: 'ok' }) });
  },
});
