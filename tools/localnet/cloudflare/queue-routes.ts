import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { type Account, now, type Queue } from './account.ts';
import { ApiRefusal } from './refusal.ts';
import { type ApiRoute, pageOf } from './route.ts';

/** https://developers.cloudflare.com/api/resources/queues/ */

const Created = v.strictObject({ queue_name: v.pipe(v.string(), v.minLength(1)), settings: v.optional(v.unknown()) });
const Consumed = v.strictObject({
  type: v.literal('worker'),
  script_name: v.string(),
  environment_name: v.optional(v.string()),
  dead_letter_queue: v.optional(v.string()),
  settings: v.record(v.string(), v.unknown()),
});

const shown = ({ consumers, ...queue }: Queue) => ({
  ...queue,
  modified_on: queue.created_on,
  producers_total_count: 0,
  producers: [],
  consumers_total_count: consumers.length,
  consumers,
});

export const QUEUE_ROUTES: readonly ApiRoute[] = [
  {
    method: 'GET',
    path: '/queues',
    permission: 'Queues',
    query: ['page', 'name'],
    handle: ({ account, query }) => {
      const names = query.getAll('name');
      const found = account.queues.filter(({ queue_name: name }) => names.length === 0 || names.includes(name));
      return pageOf(found.map(shown), query);
    },
  },
  {
    method: 'POST',
    path: '/queues',
    permission: 'Queues',
    handle: ({ account, json }) => {
      const { queue_name } = v.parse(Created, json);
      if (account.queues.some((each) => each.queue_name === queue_name))
        throw new ApiRefusal(409, 11009, `Queue name '${queue_name}' is already taken`);
      const queue = { queue_id: randomUUID().replaceAll('-', ''), queue_name, created_on: now(), consumers: [] };
      account.queues.push(queue);
      return { result: shown(queue) };
    },
  },
  {
    method: 'GET',
    path: '/queues/:id/consumers',
    permission: 'Queues',
    handle: ({ account, params }) => ({ result: queueOf(account, params.id).consumers }),
  },
  {
    method: 'POST',
    path: '/queues/:id/consumers',
    permission: 'Queues',
    handle: ({ account, params, json }) => {
      const queue = queueOf(account, params.id);
      if (queue.consumers.length > 0) throw new ApiRefusal(409, 11004, 'Queue already has a consumer');
      const consumer = { consumer_id: randomUUID().replaceAll('-', ''), ...consumerIn(json) };
      queue.consumers.push(consumer);
      return { result: consumer };
    },
  },
  {
    method: 'PUT',
    path: '/queues/:id/consumers/:consumer',
    permission: 'Queues',
    handle: ({ account, params, json }) => {
      const { consumers } = queueOf(account, params.id);
      const at = consumers.findIndex(({ consumer_id: id }) => id === params.consumer);
      if (at < 0) throw new ApiRefusal(404, 11002, 'Consumer not found');
      const consumer = { consumer_id: params.consumer ?? '', ...consumerIn(json) };
      consumers.splice(at, 1, consumer);
      return { result: consumer };
    },
  },
];

function consumerIn(json: unknown) {
  const { script_name: script, type, settings, dead_letter_queue } = v.parse(Consumed, json);
  return { script, type, settings, dead_letter_queue };
}

function queueOf({ queues }: Account, id = ''): Queue {
  const found = queues.find(({ queue_id }) => queue_id === id);
  if (!found) throw new ApiRefusal(404, 11000, 'Queue not found');
  return found;
}
