import { answerItems } from '../bulk/answer-items.ts';
import { ordersBeyondLimit } from '../bulk/limit-waiting.ts';
import { readItems } from '../bulk/read-items.ts';
import { requestChange, takesAccessAway } from '../pass/change-pass.ts';
import { refusePastExpiry } from '../pass/future-expiry.ts';
import { IN_ITEM, namesInItem, passTargetOf } from '../pass/pass-target.ts';
import { refuseWaitingWork } from '../pass/waiting-limit.ts';
import { isRefusal } from '../protocol/reply.ts';
import { route } from '../route.ts';
import { UpdateItem, UpdateManyBody } from '../schemas/bulk-requests.ts';
import { NoParams } from '../schemas/requests.ts';
import { updatePass } from './update-pass.ts';

export const updatePasses = route({
  operationId: 'updatePasses',
  method: 'PATCH',
  path: '/passes',
  scope: 'update',
  bulk: true,
  summary: 'Change up to 100 passes',
  description:
    'Each item is like a single PATCH, and its result is the response that the single request would get. A refused item stops no other item. One pass listed twice is changed once. Freezing and revoking go first, as in single requests.',
  params: NoParams,
  body: UpdateManyBody,
  replies: {
    200: {
      description: 'The results, in the order of the items.',
      body: 'ItemResults',
      headers: ['Gatepass-Bookmark'],
    },
  },
  itemRefuses: updatePass.refuses,
  async handle({ body: { items: inputs }, partner, config, requestId, ...backend }) {
    const read = readItems(
      inputs,
      UpdateItem,
      (item) => {
        const target = passTargetOf(namesInItem(item), partner, config, IN_ITEM);
        return isRefusal(target) ? target : (refusePastExpiry(item.expiryTimestamp) ?? target);
      },
      ({ state, expiryTimestamp: expiry }) => ({ state, expiry }),
    );
    if (isRefusal(read)) return read;
    const limited = [...read.orders].filter(([, { wish }]) => !takesAccessAway(wish));
    const beyondLimit = await ordersBeyondLimit(limited, partner, config, backend);
    return answerItems(
      read,
      async ({ key, wish }, name) =>
        beyondLimit.has(name) ? refuseWaitingWork() : requestChange({ key, partner }, wish, false, backend),
      200,
      requestId,
      backend,
    );
  },
});
