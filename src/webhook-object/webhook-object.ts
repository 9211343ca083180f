import { DurableObject } from 'cloudflare:workers';

/** Delivers the events of a feed to one URL of a partner, in order per pass, and retries each delivery for days. */
export class WebhookObject extends DurableObject<Env> {
  /** Looks for new events in the feed soon. Best effort: the alarm of the object does the same once a minute. */
  async wake(): Promise<void> {}
}
