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
import { issuePass } from './issue-pass.ts';

export const issuePasses = route({
  operationId: 'issuePasses',
  method: 'POST',
  path: '/passes',
  scope: 'issue',
  bulk: true,
  summary: 'Issue up to 100 passes',
  description:
    'Each item is like a single issuance, and its result is the response that the single request would get. A refused item stops no other item. One wallet listed twice is one pass. These issuances wait behind single ones, whose users may wait for their passes.',
  params: NoParams,
  body: IssueManyBody,
  replies: {
    200: {
      description: 'The results, in the order of the items.',
      body: 'ItemResults',
      headers: ['Gatepass-Bookmark'],
    },
  },
  itemRefuses: issuePass.refuses,
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
