import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { Webhook as Verifier } from 'standardwebhooks';
import { inject, vi } from 'vitest';
import { webhookName } from '../../../src/message/hand-over.ts';
import type { FeedType } from '../../../src/pass/vocabulary.ts';
import { openStore } from '../../../src/store/store.ts';
import type { WebhookObject } from '../../../src/webhook-object/webhook-object.ts';
import type { ReceivedRequest, ReceiverAnswer } from '../../webhook-receiver.ts';
import { newGatekeeperNetwork } from '../http/issuer.ts';
import { aProjection } from '../store/rows.ts';

/** A webhook with its real object, its feed in D1, and a channel of the receiver. */

const bindings = env as Env;
const store = openStore(bindings);

/** A gatekeeper network with an active partner and an empty feed. */
export async function aFeed() {
  const gatekeeperNetwork = newGatekeeperNetwork();
  await bindings.DB.batch([
    bindings.DB.prepare('INSERT INTO gatekeeper_networks (key) VALUES (?)').bind(gatekeeperNetwork),
    bindings.DB.prepare("INSERT INTO partners (client_id, name, gatekeeper_network) VALUES (?1, 'a', ?2)").bind(
      `of ${gatekeeperNetwork}`,
      gatekeeperNetwork,
    ),
  ]);
  const counts = new Map<number, number>();
  /** Publishes one event for each of the passes, in one batch. */
  const publish = async (...passes: number[]) => {
    for (const pass of passes) {
      const n = (counts.get(pass) ?? 0) + 1;
      counts.set(pass, n);
      const projection = aProjection(pass, { gatekeeperNetwork, version: n });
      const body = JSON.stringify({ id: `${projection.id}.${n}`, timestamp: '2026-11-20T00:00:00.000Z', data: { n } });
      const type: FeedType = n === 1 ? 'pass.issued' : 'pass.frozen';
      await store.publishPasses([{ ...projection, events: [{ n, type, body }], eventsInFeed: n }]);
    }
  };
  return { gatekeeperNetwork, publish, setStatus: (status: string) => setStatus(gatekeeperNetwork, status) };
}

async function setStatus(gatekeeperNetwork: string, status: string): Promise<void> {
  const update = 'UPDATE partners SET status = ? WHERE gatekeeper_network = ?';
  await bindings.DB.prepare(update).bind(status, gatekeeperNetwork).run();
}

/** Creates a listed webhook of the feed. */
export async function aWebhook(
  { gatekeeperNetwork }: { readonly gatekeeperNetwork: string },
  overrides: { url?: string; types?: FeedType[] } = {},
) {
  const id = crypto.randomUUID();
  const url = `${inject('webhookReceiver')}/${id}`;
  const object: DurableObjectStub<WebhookObject> = bindings.WEBHOOKS.getByName(webhookName(gatekeeperNetwork, id));
  const settings = { id, gatekeeperNetwork, url, createdAt: 1, cursor: 0, ...overrides };
  const { secret } = await object.create(settings);
  await store.addWebhook(gatekeeperNetwork, id);
  const received = async () => (await (await fetch(url)).json()) as ReceivedRequest[];
  return {
    id,
    url,
    object,
    secret,
    received,
    /** Returns the ids of the received events, in order. */
    receivedIds: async () => (await received()).map(({ headers }) => headers['webhook-id'] ?? ''),
    /** Sets how the URL answers: first these answers, then the usual one. */
    answers: (usual: ReceiverAnswer, ...answers: ReceiverAnswer[]) =>
      fetch(url, { method: 'PUT', body: JSON.stringify({ usual, answers }) }),
    /** Makes the URL answer 503 to these events. */
    refuses: (...refused: string[]) => fetch(url, { method: 'PUT', body: JSON.stringify({ refused }) }),
    /**
     * Fires the alarm, which delivers everything that is due. An alarm that has just begun by itself is no longer set, and is joined:
     * there is one run at a time.
     */
    deliver: async () => {
      if (!(await runDurableObjectAlarm(object))) await runInDurableObject(object, (webhook) => webhook.alarm());
    },
    alarm: () => runInDurableObject(object, (_, { storage }) => storage.getAlarm()),
    outcomes: async () => (await object.deliveriesAfter(0, 2_000))?.map(({ outcome }) => outcome),
  };
}

/** Shortens the fifteen seconds that a delivery waits for a response. */
export function shortenResponseTimeout(): void {
  const { setTimeout: start } = globalThis;
  const shortened = (work: () => void, ms?: number) => start(work, ms === 15_000 ? 300 : ms);
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(shortened as typeof setTimeout);
}

/** Returns the event of a request. Throws if the signature is not valid. */
export function verify({ headers, body }: Pick<ReceivedRequest, 'headers' | 'body'>, secret: string): unknown {
  return new Verifier(secret).verify(body, headers);
}

/** Returns the numbers of the events of each pass, in the order of the ids, by the first arrival of each event. */
export function orderPerPass(ids: readonly string[]): number[][] {
  const byPass = Map.groupBy(new Set(ids), (id) => id.slice(0, id.lastIndexOf('.')));
  return [...byPass.values()].map((list) => list.map((id) => Number(id.slice(id.lastIndexOf('.') + 1))));
}
