import { CLOCK_MAX_DAYS } from '../../network/sandbox.ts';
import { networkOf } from '../pass/pass-target.ts';
import { triggerEvent } from '../pass/trigger-event.ts';
import { refuse } from '../protocol/problem.ts';
import { isRefusal, type Reply, reply } from '../protocol/reply.ts';
import { route } from '../route.ts';
import { ClockBody, TriggerBody } from '../schemas/sandbox-requests.ts';

const IN_CHAIN = { chain: '/chain/type', network: '/chain/network' };
const DEFAULT_CHAIN = { type: 'ethereum', network: 'sepolia' };

const getClock = route({
  operationId: 'getClock',
  method: 'GET',
  path: '/sandbox/clock',
  scope: 'search',
  sandbox: true,
  handle: async ({ partner, timeOf }) => clockReply(await timeOf(partner.gatekeeperNetwork)),
});

const advanceClock = route({
  operationId: 'advanceClock',
  method: 'POST',
  path: '/sandbox/clock',
  scope: 'update',
  sandbox: true,
  body: ClockBody,
  async handle({ body: { advanceSeconds }, partner, ...backend }) {
    const { gatekeeperNetwork } = partner;
    // First, because a caller that gets an error advances the clock again.
    const webhooks = await backend.store.webhooksOf(partner, gatekeeperNetwork);
    if (!(await backend.sandboxObject(gatekeeperNetwork).advance(advanceSeconds))) {
      const detail = `must not set the clock more than ${CLOCK_MAX_DAYS} days ahead. It only goes forward: a new sandbox begins with the present time`;
      return refuse('invalid_request', { errors: [{ pointer: '/advanceSeconds', detail }] });
    }
    backend.wakeWebhooks(gatekeeperNetwork, webhooks);
    return clockReply(await backend.timeOf(gatekeeperNetwork));
  },
});

const clockReply = (now: number): Reply => reply(200, JSON.stringify({ now }));

const triggerSandboxEvent = route({
  operationId: 'triggerEvent',
  method: 'POST',
  path: '/sandbox/trigger',
  scope: 'issue',
  sandbox: true,
  body: TriggerBody,
  async handle({ body: { type, chain = DEFAULT_CHAIN }, partner, actor, requestId, config, ...backend }) {
    const network = networkOf(chain.type, chain.network, config, IN_CHAIN);
    if (isRefusal(network)) return network;
    const asked = { partner, network, config, by: { actor, requestId } };
    const pass = await triggerEvent(type, asked, backend);
    if (pass !== undefined && isRefusal(pass)) return pass;
    return reply(202, JSON.stringify({ type, pass }));
  },
});

export const sandboxRoutes = [getClock, advanceClock, triggerSandboxEvent];
