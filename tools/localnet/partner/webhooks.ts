import type { LocalnetPartner } from './localnet-partner.ts';

/** A new webhook. The service shows its secret once. */
export interface NewWebhook {
  readonly id: string;
  readonly secret: string;
}

/** Creates a webhook for the partner's gatekeeper network. Deletes an earlier one with the same description first. */
export async function replaceWebhook(partner: LocalnetPartner, url: string, description: string): Promise<NewWebhook> {
  const { webhooks } = await partner.call<{ webhooks: { id: string; description?: string }[] }>('GET', '/webhooks');
  for (const earlier of webhooks.filter((each) => each.description === description)) {
    await partner.call('DELETE', `/webhooks/${earlier.id}`);
  }
  return partner.call('POST', '/webhooks', { url, description });
}

/** Makes the webhook deliver the events after this sequence again. */
export async function replayWebhook(partner: LocalnetPartner, id: string, after: number): Promise<void> {
  await partner.call('POST', `/webhooks/${id}/replay`, { after });
}
