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

export const updatePasses = route({
  operationId: 'updatePasses',
  method: 'PATCH',
  path: '/passes',
  scope: 'update',
  bulk: true,
  params: NoParams,
  body: UpdateManyBody,
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
