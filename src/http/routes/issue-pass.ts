import { publishAndAwait } from '../../operations/await-settlement.ts';
import { issuanceTargetOf, requestIssuance } from '../pass/issue-request.ts';
import { passReply } from '../pass/pass-reply.ts';
import { WALLET_IN_BODY } from '../pass/pass-target.ts';
import { refuseWaitingWork } from '../pass/waiting-limit.ts';
import { isRefusal } from '../protocol/reply.ts';
import { route } from '../route.ts';
import { IssueBody, NetworkPath } from '../schemas/requests.ts';

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
    const { expiryTimestamp: expiry } = body;
    const target = issuanceTargetOf(names, expiry, partner, config, WALLET_IN_BODY);
    if (isRefusal(target)) return target;
    if (await backend.waitingWork.isFull(partner, target.network, config, backend)) return refuseWaitingWork();
    const wish = { expiry, isBulk: false, waits: waitSeconds > 0, hasRoom: await backend.store.hasRoom(partner) };
    const result = await requestIssuance(target.key, partner, wish, backend);
    return isRefusal(result) ? result : passReply(202, await publishAndAwait(result, waitSeconds, backend));
  },
});
