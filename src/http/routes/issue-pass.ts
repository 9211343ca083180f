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
  params: NetworkPath,
  body: IssueBody,
  waits: true,
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
