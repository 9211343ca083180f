import { publishAndAwait } from '../../operations/await-settlement.ts';
import { refuseForbidden } from '../access/forbidden.ts';
import { retryAfterOf } from '../pass/change-pass.ts';
import { refusePastExpiry } from '../pass/future-expiry.ts';
import { passReply } from '../pass/pass-reply.ts';
import { passTargetOf } from '../pass/pass-target.ts';
import { refuseWaitingWork } from '../pass/waiting-limit.ts';
import { refuse } from '../protocol/problem.ts';
import { isRefusal } from '../protocol/reply.ts';
import { refuseUnavailable } from '../protocol/transient-error.ts';
import { route } from '../route.ts';
import { IssueBody, NetworkPath } from '../schemas/requests.ts';

const SHARD_FULL_DETAIL =
  'The service accepts no new passes of this partner at the moment. Try again later. You can still change existing passes.';
/** The operator must make room first. */
const SHARD_FULL_RETRY_SECONDS = 600;

export const issuePass = route({
  operationId: 'issuePass',
  method: 'POST',
  path: '/pass/:chain/:chainNetwork',
  scope: 'issue',
  summary: 'Issue a pass to a wallet',
  description:
    'The service stores the request, responds, and sends the transaction afterwards. A repeated request returns the same pass and sends no second transaction. It changes only a `REJECTED` pass, which it tries again, and an expired pass, which it renews to `expiryTimestamp` or for the default lifetime of passes of the partner. An `expiryTimestamp` other than the one requested last is refused: change it with PATCH. If the wallet already has a gateway token, the pass adopts it; a given `expiryTimestamp` is then set on it.',
  params: NetworkPath,
  body: IssueBody,
  waits: true,
  replies: {
    202: { description: 'The record of the pass.', body: 'PassRecord', headers: ['Gatepass-Bookmark'] },
  },
  refuses: [
    'unknown_network',
    'invalid_wallet',
    'network_not_enabled',
    'network_not_allowed',
    'pass_frozen',
    'pass_revoked',
    'pass_expired',
    'expiry_differs',
    'issued_by_another_gatekeeper',
    'quota_reached',
    'change_quota_reached',
    'pass_change_limit_reached',
    'waiting_limit_reached',
  ],
  async handle({ params, body, partner, waitSeconds, config, ...backend }) {
    const names = { ...params, wallet: body.walletAddress };
    const target = passTargetOf(names, partner, config, '/walletAddress');
    if (isRefusal(target)) return target;
    const { expiryTimestamp: expiry } = body;
    const pastExpiry = refusePastExpiry(expiry);
    if (pastExpiry !== undefined) return pastExpiry;
    const { key, network } = target;
    if (partner.networks !== undefined && !partner.networks.includes(network.network)) {
      return refuseForbidden('network_not_allowed');
    }
    const { clientId, passLifetime: lifetime, dailyIssuances: daily, dailyChanges, shard } = partner;
    const hasBounds = daily !== undefined || dailyChanges !== undefined;
    const quota = hasBounds ? { clientId, daily, dailyChanges } : undefined;
    if (await backend.waitingWork.isFull(partner, network, config, backend)) return refuseWaitingWork();
    const hasRoom = await backend.store.hasRoom(partner);
    const order = { key, shard, lifetime, expiry, client: clientId, waits: waitSeconds > 0, hasRoom };
    const result = await backend.passObject(key).issue(order, quota);
    if (result.type === 'accepted') return passReply(202, await publishAndAwait(result, waitSeconds, backend));
    if (result.reason === 'shard_full') return refuseUnavailable(SHARD_FULL_RETRY_SECONDS, SHARD_FULL_DETAIL);
    return refuse(result.reason, { headers: retryAfterOf(result) });
  },
});
