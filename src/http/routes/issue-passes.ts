import { answerItems } from '../bulk/answer-items.ts';
import { ordersBeyondLimit } from '../bulk/limit-waiting.ts';
import { readItems } from '../bulk/read-items.ts';
import { issuanceTargetOf, requestIssuance } from '../pass/issue-request.ts';
import { IN_ITEM, namesInItem } from '../pass/pass-target.ts';
import { refuseWaitingWork } from '../pass/waiting-limit.ts';
import { isRefusal } from '../protocol/reply.ts';
import { route } from '../route.ts';
import { IssueItem, IssueManyBody } from '../schemas/bulk-requests.ts';
import { NoParams } from '../schemas/requests.ts';

export const issuePasses = route({
  operationId: 'issuePasses',
  method: 'POST',
  path: '/passes',
  scope: 'issue',
  bulk: true,
  params: NoParams,
  body: IssueManyBody,
  async handle({ body: { items: inputs }, partner, config, requestId, ...backend }) {
    const read = readItems(
      inputs,
      IssueItem,
      (item) => issuanceTargetOf(namesInItem(item), item.expiryTimestamp, partner, config, IN_ITEM),
      ({ expiryTimestamp: expiry }) => ({ expiry }),
    );
    if (isRefusal(read)) return read;
    const beyondLimit = await ordersBeyondLimit(read.orders, partner, config, backend);
    const hasRoom = await backend.store.hasRoom(partner);
    return answerItems(
      read,
      async ({ key, wish: { expiry } }, name) =>
        beyondLimit.has(name)
          ? refuseWaitingWork()
          : requestIssuance(key, partner, { expiry, isBulk: true, waits: false, hasRoom }, backend),
      202,
      requestId,
      backend,
    );
  },
});
