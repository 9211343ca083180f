// The receiver as a Cloudflare Worker: it verifies the webhooks of Gatepass, and reads the event feed for the events that they have missed.
// Variables and secrets: README.md in this folder. Bind the class `Receiver` as RECEIVER (SQLite Durable Object).
// The feed is the source of truth. A delivery only makes an event known sooner, so the object stores how far it has read the feed, and
// reads on once a minute.
import { DurableObject } from 'cloudflare:workers';

const MAX_AGE_SECONDS = 300;
const READ_INTERVAL_MS = 60_000;

export default {
  async fetch(request, env) {
    if (request.method !== 'POST') return new Response(null, { status: 405 });
    const body = await request.text();
    if (!(await isGenuine(request.headers, body, env.WEBHOOK_SECRET))) return new Response(null, { status: 401 });
    await env.RECEIVER.getByName('only').receive(JSON.parse(body));
    return new Response(null, { status: 204 });
  },
};

/** Returns whether a signature is the HMAC-SHA-256 of `id.timestamp.body` (Standard Webhooks 1.0), and the delivery is new. */
async function isGenuine(headers, body, secrets) {
  const [id, seconds] = [headers.get('webhook-id'), headers.get('webhook-timestamp')];
  if (!(Math.abs(Date.now() / 1000 - Number(seconds)) <= MAX_AGE_SECONDS)) return false;
  const signed = new TextEncoder().encode(`${id}.${seconds}.${body}`);
  const signatures = (headers.get('webhook-signature') ?? '').split(' ').filter((each) => each.startsWith('v1,'));
  // Two secrets, separated by a space, while you rotate them.
  for (const secret of secrets.trim().split(/\s+/)) {
    // An empty key throws: the answer is 500, and Gatepass repeats the delivery.
    const key = await crypto.subtle.importKey('raw', bytesOf(secret.replace(/^whsec_/, '')), HMAC, false, ['verify']);
    for (const signature of signatures) {
      if (await crypto.subtle.verify('HMAC', key, bytesOf(signature.slice(3)), signed)) return true;
    }
  }
  return false;
}

const HMAC = { name: 'HMAC', hash: 'SHA-256' };

function bytesOf(base64) {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

/** Stores the handled events and the position in the feed. */
export class Receiver extends DurableObject {
  async receive(event) {
    if (event.type !== 'webhook.test') this.#handle(event);
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now());
  }

  /** Reads the feed to its end, and handles the events that no delivery has brought. */
  async alarm() {
    await this.ctx.storage.setAlarm(Date.now() + READ_INTERVAL_MS);
    for (let more = true; more; ) {
      const cursor = this.ctx.storage.kv.get('cursor') ?? 0;
      const answer = await fetch(`${this.env.GATEPASS_URL}/events?after=${cursor}&limit=1000`, {
        headers: { authorization: `Bearer ${await this.#readToken()}` },
      });
      const page = await answer.json();
      if (answer.status === 410) {
        console.log('events are deleted: read all passes again');
        Object.assign(page, { events: [], next: page.oldest - 1, more: true });
      } else if (!answer.ok) throw new Error(`the service answers ${answer.status} ${page.code}`);
      // A cache in between would otherwise make this loop endless.
      if (page.more && page.next <= cursor) throw new Error(`the page after ${cursor} has nothing new`);
      for (const event of page.events) this.#handle(event);
      this.ctx.storage.kv.put('cursor', page.next);
      more = page.more;
    }
  }

  /** Handles an event unless it is handled already. Your own work belongs here, before the event is stored. */
  #handle(event) {
    // By id: after a restore, the feed may have the event again under another sequence.
    const key = `event:${event.id}`;
    if (this.ctx.storage.kv.get(key) !== undefined) return;
    this.ctx.storage.kv.put(key, { sequence: event.sequence, type: event.type, pass: event.data?.pass });
    console.log(`${event.sequence} ${event.type} ${event.data?.pass.walletAddress ?? ''}`);
    // The service restored its database, and some events may be lost.
    if (event.type === 'feed.restored' || event.type === 'feed.events_deleted') console.log('read all passes again');
  }

  async #readToken() {
    const { GATEPASS_TOKEN_URL, GATEPASS_CLIENT_ID, GATEPASS_CLIENT_SECRET, GATEPASS_SCOPE, GATEPASS_AUDIENCE } =
      this.env;
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: GATEPASS_CLIENT_ID,
      client_secret: GATEPASS_CLIENT_SECRET,
      ...(GATEPASS_AUDIENCE && { audience: GATEPASS_AUDIENCE }),
      ...(GATEPASS_SCOPE && { scope: GATEPASS_SCOPE }),
    });
    const answer = await fetch(GATEPASS_TOKEN_URL, { method: 'POST', body });
    const { access_token } = await answer.json();
    if (!access_token) throw new Error(`no access token: ${answer.status}`);
    return access_token;
  }
}
