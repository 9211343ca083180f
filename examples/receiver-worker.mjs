// The receiver as a Cloudflare Worker: it verifies the webhooks of Gatepass, and reads the event feed for the events that they have missed.
// Variables and secrets: README.md in this folder. Bind the class `Receiver` as RECEIVER (SQLite Durable Object).
// The feed is the source of truth. A delivery only makes an event known sooner, so the object stores how far it has read the feed, and
// reads on once a minute.
import { DurableObject } from 'cloudflare:workers';

const MAX_AGE_SECONDS = 300;
const BODY_MAX_BYTES = 65_536;
const ANSWER_MAX_BYTES = 8_388_608;
const ANSWER_MAX_LEVELS = 32;
/** Gatepass sends two while you rotate the secret. Each costs a hash of the body, before anybody knows the sender. */
const SIGNATURES_MAX = 10;
const READ_INTERVAL_MS = 60_000;

export default {
  async fetch(request, env) {
    if (request.method !== 'POST') return new Response(null, { status: 405 });
    const body = await readText(request, BODY_MAX_BYTES);
    if (body === undefined) return new Response(null, { status: 413 });
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
  const given = (headers.get('webhook-signature') ?? '').split(' ', SIGNATURES_MAX);
  const signatures = given.filter((each) => each.startsWith('v1,'));
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

/** Returns the text of a request or an answer; undefined if it has more bytes. */
async function readText({ body }, maxBytes) {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Parses an answer. A gateway in between may answer anything, and a parser needs gigabytes for millions of levels. */
async function readJson(answer) {
  const json = await readText(answer, ANSWER_MAX_BYTES);
  if (json === undefined || levelsOf(json) > ANSWER_MAX_LEVELS) throw new Error('the answer is too large or too deep');
  return JSON.parse(json);
}

/** Returns the number of lists and objects inside each other in JSON. */
function levelsOf(json) {
  let [levels, most, isText] = [0, 0, false];
  for (let at = 0; at < json.length; at++) {
    if (json[at] === '"') isText = !isText;
    else if (isText && json[at] === '\\') at += 1;
    else if (!isText && '[{'.includes(json[at])) levels += 1;
    else if (!isText && ']}'.includes(json[at])) levels -= 1;
    most = Math.max(most, levels);
  }
  return most;
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
      const page = await readJson(answer);
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
    const { access_token } = await readJson(answer);
    if (!access_token) throw new Error(`no access token: ${answer.status}`);
    return access_token;
  }
}
