import type { Operations } from '../operation.ts';
import { ClockRequest, SandboxClock, TriggeredEvent, TriggerRequest } from '../schemas/sandbox.ts';

/** The clock and the events of a sandbox. */

const ONLY_THERE = 'It exists only for clients of a sandbox: all others get 404.';

export const sandboxOperations: Operations = {
  getClock: {
    summary: 'Read the clock of the sandbox',
    description: `Returns the time that all clients of the sandbox see. ${ONLY_THERE}`,
    replies: { 200: { description: 'The clock.', body: SandboxClock } },
  },
  advanceClock: {
    summary: 'Advance the clock of the sandbox',
    description: `Advances the time for all clients of the sandbox. Expiries and their notices follow. Daily quotas, webhooks and all limits have the real time. The clock only goes forward, at most ten times in a real minute, and is at most 400 days ahead. ${ONLY_THERE}`,
    request: {
      body: ClockRequest,
      examples: { days: { summary: 'Eight days', value: { advanceSeconds: 691_200 } } },
    },
    replies: { 200: { description: 'The clock, advanced.', body: SandboxClock } },
  },
  triggerEvent: {
    summary: 'Cause an event in the sandbox',
    description: `Issues a pass to a new wallet, and has the pass get to the event by real requests and changes on the simulated chain. The event follows within seconds, in the feed and in webhooks. The notices \`feed.restored\` and \`feed.events_deleted\` come at once and have no pass. ${ONLY_THERE}`,
    request: {
      body: TriggerRequest,
      examples: { rejected: { summary: 'A rejected pass', value: { type: 'pass.rejected' } } },
    },
    replies: { 202: { description: 'The event follows.', body: TriggeredEvent } },
    refuses: [
      'unknown_network',
      'network_ended',
      'network_not_allowed',
      'quota_reached',
      'room_quota_reached',
      'waiting_limit_reached',
      'sandbox_full',
    ],
  },
};
