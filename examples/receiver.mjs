#!/usr/bin/env node
// Receives the webhooks of Gatepass, and reads the event feed for the events that they have missed. Handles each event once.
// Needs Node 20 or newer and no packages; README.md in this folder names the variables.
// The feed is the source of truth: it has every event, in order. A delivery only makes an event known sooner. So the program stores how
// far it has read the feed, and which later events a delivery has brought. At its start and once a minute, it reads on from there.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { GATEPASS_URL, GATEPASS_TOKEN_URL, GATEPASS_CLIENT_ID, GATEPASS_CLIENT_SECRET } = process.env;
const { GATEPASS_AUDIENCE, GATEPASS_SCOPE, WEBHOOK_SECRET, EVENTS_FILE = 'events.jsonl', PORT = '8080' } = process.env;
/** A recorded delivery is refused after this time. */
const MAX_AGE_SECONDS = 300;
const BODY_MAX_BYTES = 65_536;
const ANSWER_MAX_BYTES = 8_388_608;
const ANSWER_MAX_LEVELS = 32;
const READ_INTERVAL_MS = 60_000;

for (const name of [
  'GATEPASS_URL',
  'GATEPASS_TOKEN_URL',
  'GATEPASS_CLIENT_ID',
  'GATEPASS_CLIENT_SECRET',
  'WEBHOOK_SECRET',
]) {
  if (!process.env[name]) {
    console.error(`set ${name}`);
    process.exit(2);
  }
}

/** Two secrets, separated by a space, while you rotate them. */
const secrets = WEBHOOK_SECRET.trim().split(/\s+/);
// Demand whole secrets: anybody can sign with the key of an empty one.
if (!secrets.every((secret) => /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/.test(secret))) {
  console.error('WEBHOOK_SECRET must be whsec_ and base64, or two such secrets separated by a space');
  process.exit(2);
}

/** The last sequence up to which every event is handled. */
let cursor = 0;
/** Ids of the handled events. A program that runs for long forgets those up to the cursor. */
const handled = new Set();

// The file takes the place of your database. Each line is an event that is handled, or a position in the feed.
if (existsSync(EVENTS_FILE)) {
  for (const line of readFileSync(EVENTS_FILE, 'utf8').split('\n').filter(Boolean)) {
    const stored = JSON.parse(line);
    if (stored.id !== undefined) handled.add(stored.id);
    cursor = stored.cursor ?? cursor;
  }
}

const store = (line) => appendFileSync(EVENTS_FILE, `${JSON.stringify(line)}\n`, { flush: true });

/** Handles an event unless it is handled already. Your own work belongs here, in the transaction that stores the id. */
function handle({ id, sequence, type, data }) {
  if (handled.has(id)) return;
  store({ id, sequence, type, wallet: data?.pass.walletAddress, state: data?.pass.state });
  handled.add(id);
  console.log(`${sequence} ${type} ${data?.pass.walletAddress ?? ''}`);
  // The service restored its database, and some events may be lost.
  if (type === 'feed.restored' || type === 'feed.events_deleted') console.log('read all passes again');
}

/** Returns whether a signature is the HMAC-SHA-256 of `id.timestamp.body` (Standard Webhooks 1.0), and the delivery is new. */
function isGenuine({ 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures = '' }, body) {
  if (!(Math.abs(Date.now() / 1000 - Number(seconds)) <= MAX_AGE_SECONDS)) return false;
  return secrets.some((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const expected = createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest();
    return signatures.split(' ').some((signature) => {
      const given = Buffer.from(signature.startsWith('v1,') ? signature.slice(3) : '', 'base64');
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  });
}

/** Returns the bytes of a request or an answer; undefined if there are more. */
async function readBody(stream, maxBytes) {
  const chunks = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Parses an answer. A gateway in between may answer anything, and a parser needs gigabytes for millions of levels. */
async function readJson(answer) {
  const json = (await readBody(answer.body ?? [], ANSWER_MAX_BYTES))?.toString('utf8');
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

async function receive(request) {
  if (request.method !== 'POST') return 405;
  const body = await readBody(request, BODY_MAX_BYTES);
  if (body === undefined) return 413;
  if (!isGenuine(request.headers, body)) return 401;
  const event = JSON.parse(body.toString('utf8'));
  if (event.type !== 'webhook.test') handle(event);
  return 204;
}

let token = { value: '', renewAt: 0 };

async function readToken() {
  if (Date.now() < token.renewAt) return token.value;
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: GATEPASS_CLIENT_ID,
    client_secret: GATEPASS_CLIENT_SECRET,
    ...(GATEPASS_AUDIENCE && { audience: GATEPASS_AUDIENCE }),
    ...(GATEPASS_SCOPE && { scope: GATEPASS_SCOPE }),
  });
  const answer = await fetch(GATEPASS_TOKEN_URL, { method: 'POST', body });
  const { access_token, expires_in = 300 } = await readJson(answer);
  if (!access_token) throw new Error(`no access token: ${answer.status}`);
  token = { value: access_token, renewAt: Date.now() + (expires_in - 60) * 1000 };
  return access_token;
}

/** Reads the feed to its end, and handles the events that no delivery has brought. */
async function catchUp() {
  for (let more = true; more; ) {
    const url = `${GATEPASS_URL.replace(/\/$/, '')}/events?after=${cursor}&limit=1000`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${await readToken()}` } });
    const page = await readJson(answer);
    if (answer.status === 410) {
      console.log('events are deleted: read all passes again');
      page.next = page.oldest - 1;
      page.events = [];
      page.more = true;
    } else if (!answer.ok) throw new Error(`the service answers ${answer.status} ${page.code}`);
    // A cache in between would otherwise make this loop endless.
    if (page.more && page.next <= cursor) throw new Error(`the page after ${cursor} has nothing new`);
    for (const event of page.events) handle(event);
    if (page.next !== cursor) store({ cursor: page.next });
    cursor = page.next;
    more = page.more;
  }
}

async function catchUpForever() {
  // The next interval reads what a fault left.
  await catchUp().catch((fault) => console.error(`the feed was not read: ${fault.message}`));
  setTimeout(catchUpForever, READ_INTERVAL_MS);
}

const server = createServer(async (request, response) => {
  const status = await receive(request).catch((fault) => {
    console.error(`a delivery failed: ${fault.message}`);
    return 500;
  });
  response.writeHead(status).end();
});
server.listen(Number(PORT), () => {
  console.log(`listens on port ${server.address().port}`);
  void catchUpForever();
});
