import type { WebhookView } from '../webhook-object/webhook.ts';

/**
 * Whether the operator has disabled a webhook with the host of the URL. Otherwise a partner could undo the stop with another
 * webhook.
 */
export function hasStoppedHost(url: string, webhooks: readonly WebhookView[]): boolean {
  const host = URL.parse(url)?.host;
  return webhooks.some((webhook) => webhook.disabledReason === 'operator' && URL.parse(webhook.url)?.host === host);
}
