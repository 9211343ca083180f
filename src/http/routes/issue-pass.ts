import { publishAndAwait } from '../../operations/await-settlement.ts';
import { refuseForbidden } from '../access/forbidden.ts';
import { retryAfterOf } from '../pass/change-pass.ts';
import { passReply } from '../pass/pass-reply.ts';
import { passTargetOf } from '../pass/pass-target.ts';
import { refuseWaitingWork } from '../pass/waiting-limit.ts';
import { refuse } from '../protocol/problem.ts';
import { isRefusal } from '../protocol/reply.ts';
import { refuseUnavailable } from '../protocol/transient-error.ts';
import { route } from '../route.ts';
import { IssueBody, NetworkPath } from '../schemas/requests.ts';

const SHARD_FULL_DETAIL = 'The service takes no new passes of this partner at present. Existing passes can be changed.';
/** The operator has to make room first. */
const SHARD_FULL_RETRY_SECONDS = 600;

export const issuePass = route({
  operationId: 'issuePass',
  method: 'POST',
  path: '/pass/:chain/:chainNetwork',
  scope: 'issue',
  summary: 'Start the issuance of a pass for a wallet',
  description:
    'The pass is stored, and issued on the chain behind the answer. Asking again changes nothing and never sends a second transaction; it tries a `REJECTED` pass again, and renews an expired one where passes of the partner have a default lifetime. A token that the wallet has already is adopted as it is.',
  params: NetworkPath,
  body: IssueBody,
  waits: true,
  replies: {
    202: { description: 'The pass as it stands.', body: 'PassRecord', headers: ['Gatepass-Bookmark'] },
  },
  refuses: [
    'unknown_network',
    'invalid_wallet',
    'network_not_enabled',
    'network_not_allowed',
    'pass_frozen',
    'pass_revoked',
    'pass_expired',
    'quota_reached',
    'change_quota_reached',
    'pass_change_limit_reached',
    'waiting_limit_reached',
  ],
  async handle({ params, body, partner, waitSeconds, config, ...backend }) {
    const names = { ...params, wallet: body.walletAddress };
    const target = passTargetOf(names, partner, config, '/walletAddress');
    if (isRefusal(target)) return target;
    const { key, network } = target;
    if (partner.networks !== undefined && !partner.networks.includes(network.network)) {
      return refuseForbidden('network_not_allowed');
    }
    const { clientId, passLifetime: lifetime, dailyIssuances: daily, dailyChanges, shard } = partner;
    const hasBounds = daily !== undefined || dailyChanges !== undefined;
    const quota = hasBounds ? { clientId, daily, dailyChanges } : undefined;
    if (await backend.waitingWork.isFull(partner, network, config, backend)) return refuseWaitingWork();
    const hasRoom = await backend.store.hasRoom(partner);
    const order = { key, shard, lifetime, client: clientId, waits: waitSeconds > 0, hasRoom };
    const result = await backend.passObject(key).issue(order, quota);
    if (result.type === 'accepted') return passReply(202, await publishAndAwait(result, waitSeconds, backend));
    if (result.reason === 'shard_full') return refuseUnavailable(SHARD_FULL_RETRY_SECONDS, SHARD_FULL_DETAIL);
    return refuse(result.reason, { headers: retryAfterOf(result) });
  },
});
