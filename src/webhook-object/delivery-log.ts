import { logFault } from '../log/log.ts';
import type { DisabledReason, Webhook } from './webhook.ts';

/** Logs what the operator must know about the deliveries of a webhook. */
export const deliveryLog = {
  onDisabled: (webhook: Webhook, reason: DisabledReason) => logFault('webhook.disabled', reason, factsOf(webhook)),
  onExpired: (webhook: Webhook, oldest: number) =>
    logFault('webhook.events_expired', 'the feed has deleted them', {
      ...factsOf(webhook),
      after: webhook.cursor,
      oldest,
    }),
  onGivenUp: (webhook: Webhook, events: number) =>
    logFault('webhook.events_given_up', 'too many events wait', { ...factsOf(webhook), events }),
};

export function factsOf({ id, gatekeeperNetwork }: Webhook) {
  return { webhook: id, gatekeeper_network: gatekeeperNetwork };
}
