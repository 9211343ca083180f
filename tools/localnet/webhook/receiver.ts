import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { PARTNER_SCOPES } from '../../../src/config/config.ts';
import type { FeedEvent } from '../partner/feed.ts';
import { LocalnetPartner } from '../partner/localnet-partner.ts';
import { replaceWebhook } from '../partner/webhooks.ts';
import type { LocalnetFacts } from '../state/localnet-facts.ts';

/** A receiver of webhooks on this machine. */
export interface Receiver {
  /**
   * Registers the receiver for each gatekeeper network of the localnet's partners, in place of the receiver of an earlier run.
   * Throws Refused if the service refuses.
   */
  register(localnet: LocalnetFacts): Promise<void>;
  stop(): void;
}

/** The receiver of a later run recognizes its webhooks by it. */
const DESCRIPTION = 'the receiver of the localnet';

/** Starts a receiver on a free port. It calls `onEvent` once for each event with a valid signature, however often it arrives. */
export async function startReceiver(onEvent: (event: FeedEvent) => void): Promise<Receiver> {
  /** By path. A delivery may arrive before the reply that has its secret. */
  const secrets = new Map<string, Promise<string | undefined>>();
  const received = new Set<string>();

  async function receive(request: IncomingMessage): Promise<number> {
    const body = await text(request);
    const secret = await secrets.get(request.url ?? '');
    if (secret === undefined) return 404;
    const event = verifyDelivery(secret, request, body);
    if (event === undefined) return 401;
    if (!received.has(event.id)) onEvent(event);
    received.add(event.id);
    return 204;
  }

  const server = createServer((request, response) => {
    receive(request).then(
      (status) => response.writeHead(status).end(),
      () => request.socket.destroy(),
    );
  });
  // The local Workers runtime fails on an idle connection that the server closes, which Node does after 5 s by default.
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    async register(localnet) {
      const managers = localnet.partners.filter(({ scopes }) => scopes.includes(PARTNER_SCOPES.webhook));
      for (const [gatekeeperNetwork, [partner]] of Map.groupBy(managers, (each) => each.gatekeeperNetwork)) {
        const path = `/${gatekeeperNetwork}`;
        const client = new LocalnetPartner(localnet, partner?.name ?? '');
        const created = replaceWebhook(client, origin + path, DESCRIPTION);
        secrets.set(
          path,
          created.then(
            ({ secret }) => secret,
            () => undefined,
          ),
        );
        await created;
      }
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Returns the delivered event; undefined if its signature or its time is invalid (Standard Webhooks 1.0). */
export function verifyDelivery(
  secret: string,
  { headers }: Pick<IncomingMessage, 'headers'>,
  body: string,
): FeedEvent | undefined {
  try {
    return new Webhook(secret).verify(body, headers as Record<string, string>) as FeedEvent;
  } catch {
    return undefined;
  }
}
