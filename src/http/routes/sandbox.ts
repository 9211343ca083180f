import { nowSeconds } from '../../lib/units.ts';
import { CLOCK_MAX_DAYS, CLOCK_STEPS_PER_MINUTE } from '../../network/sandbox.ts';
import { networkOf } from '../pass/pass-requests.ts';
import { refuse, refuseField } from '../protocol/problem.ts';
import { isRefusal, type Reply, reply } from '../protocol/reply.ts';
import { route } from '../route.ts';
import { ClockBody, TriggerBody } from '../schemas/managing.ts';

const IN_CHAIN = { chain: '/chain/type', network: '/chain/network' };
const DEFAULT_CHAIN = { type: 'ethereum', network: 'sepolia' };

const getClock = route({
  operationId: 'getClock',
  method: 'GET',
  path: '/sandbox/clock',
  scope: 'search',
  sandbox: true,
  handle: async ({ partner, backend }) => clockReply(await backend.timeOf(partner.gatekeeperNetwork)),
});

const advanceClock = route({
  operationId: 'advanceClock',
  method: 'POST',
  path: '/sandbox/clock',
  scope: 'update',
  sandbox: true,
  body: ClockBody,
  async handle({ body: { advanceSeconds }, partner: { gatekeeperNetwork }, backend }) {
    const ahead = await backend.sandboxObject(gatekeeperNetwork).advance(advanceSeconds);
    if (ahead === undefined) {
      const detail = `must not set the clock more than ${CLOCK_MAX_DAYS} days ahead. It only goes forward: a new sandbox begins with the present time`;
      return refuseField('/advanceSeconds', detail);
    }
    if (typeof ahead === 'object') {
      const detail = `The clock moves at most ${CLOCK_STEPS_PER_MINUTE} times a minute. Advance it by more at once.`;
      return refuse('rate_limited', { detail, headers: { 'retry-after': String(ahead.retryAfter) } });
    }
    return clockReply(nowSeconds() + ahead);
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
  async handle({ body: { type, chain = DEFAULT_CHAIN }, partner, actor, requestId, config, backend }) {
    const network = networkOf(chain.type, chain.network, config, IN_CHAIN);
    if (isRefusal(network)) return network;
    const { triggerEvent } = await import('../pass/trigger-event.ts');
    const asked = { partner, network, config, by: { actor, requestId } };
    const pass = await triggerEvent(type, asked, backend);
    if (pass !== undefined && isRefusal(pass)) return pass;
    return reply(202, JSON.stringify({ type, pass }));
  },
});

export const sandboxRoutes = [getClock, advanceClock, triggerSandboxEvent];
