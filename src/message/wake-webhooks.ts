import { waitUntil } from 'cloudflare:workers';
import { logFault } from '../log/log.ts';
import { openStore, type Store } from '../store/store.ts';

/** A feed with new events. */
interface GrownFeed {
  readonly gatekeeperNetwork: string;
  /** Ids of its webhooks. */
  readonly webhooks: readonly string[];
}

/** Returns the name of a webhook's object. */
export function webhookName(gatekeeperNetwork: string, id: string): string {
  return `${gatekeeperNetwork}/${id}`;
}

/** Wakes the webhooks of these feeds. Best effort: each webhook looks for new events once a minute. */
export function wakeWebhooks(feeds: readonly GrownFeed[], { WEBHOOKS }: Pick<Env, 'WEBHOOKS'>): void {
  for (const { gatekeeperNetwork, webhooks } of feeds) {
    for (const id of webhooks) {
      const woken = WEBHOOKS.getByName(webhookName(gatekeeperNetwork, id)).wake();
      waitUntil(woken.catch((fault) => logFault('webhook.unreachable', fault, { webhook: id })));
    }
  }
}

const stores = new WeakMap<Env, Store>();

/** Returns the store to which objects publish. All objects of an isolate share it, because a store costs time and memory. */
export function publishingStoreOf(env: Env): Store {
  const store = stores.get(env) ?? openStore(env, { onGrown: (feeds) => wakeWebhooks(feeds, env) });
  stores.set(env, store);
  return store;
}
