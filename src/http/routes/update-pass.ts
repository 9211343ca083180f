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
  params: WalletPath,
  body: UpdateBody,
  waits: true,
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
