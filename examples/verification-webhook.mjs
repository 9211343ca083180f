#!/usr/bin/env node
// Receives the webhook of an identity-verification vendor, and issues a pass when the vendor approves an applicant.
// Needs Node 20 or newer and no packages; README.md in this folder names the variables.
// It answers 2xx only if the service accepted the pass, so the vendor repeats the webhook otherwise. A repeated webhook is
// harmless, because a wallet gets one pass. It stores nothing, and reads only the type and the applicant of a webhook.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { GATEPASS_URL, GATEPASS_TOKEN_URL, GATEPASS_CLIENT_ID, GATEPASS_CLIENT_SECRET } = process.env;
const { GATEPASS_AUDIENCE, GATEPASS_SCOPE, WEBHOOK_SECRET, APPLICANTS_FILE, PORT = '8080' } = process.env;
/** A recorded webhook is refused after this time. The vendor must sign each attempt with its own time. */
const MAX_AGE_SECONDS = 300;
const BODY_MAX_BYTES = 65_536;
/** The vendor waits for the answer. */
const TIMEOUT_MS = 8_000;

/** A reason to answer with that status. Its text goes to the log, and never contains a part of the webhook. */
class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * Checks the header `webhook-signature: t=SECONDS,v1=HEX`: the HMAC-SHA-256 of `SECONDS.BODY` with the shared secret. Vendors name
 * and form it differently: adapt this function. It takes the bytes of the body, because parsed and printed JSON differs from them.
 */
function demandSignature(header = '', body) {
  const fields = header.split(',').map((field) => field.trim().split('='));
  const [, seconds = ''] = fields.find(([name]) => name === 't') ?? [];
  const expected = createHmac('sha256', WEBHOOK_SECRET).update(`${seconds}.`).update(body).digest();
  // Several signatures, while the vendor changes the secret.
  const isGenuine = fields.some(([name, hex = '']) => {
    const given = Buffer.from(name === 'v1' ? hex : '', 'hex');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isGenuine) throw new Refusal(401, 'the signature is wrong');
  const age = Math.abs(Date.now() / 1000 - Number(seconds));
  if (!(age <= MAX_AGE_SECONDS)) throw new Refusal(401, `the webhook is ${Math.round(age)} seconds old`);
}

async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > BODY_MAX_BYTES) throw new Refusal(413, 'the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseEvent(body) {
  try {
    const { type, applicantId } = JSON.parse(body.toString('utf8'));
    if (typeof type === 'string' && typeof applicantId === 'string') return { type, applicantId };
  } catch {
    // The same refusal.
  }
  throw new Refusal(400, 'the body is not a webhook');
}

/**
 * Returns the pass that the applicant asked for: `{ chain, network, walletAddress }`. The file takes the place of your database.
 * Your back end stores the wallet when it creates the applicant, after the wallet has proved its owner with a signature. Do not
 * take the wallet from the webhook or from the browser.
 */
function findPass(applicantId) {
  const passes = JSON.parse(readFileSync(APPLICANTS_FILE, 'utf8'));
  if (!Object.hasOwn(passes, applicantId)) throw new Refusal(404, 'no such applicant');
  return passes[applicantId];
}

let token = { value: '', renewAt: 0 };

/** An access token is valid for `expires_in` seconds: use one for many webhooks. */
async function readToken(signal) {
  if (Date.now() < token.renewAt) return token.value;
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: GATEPASS_CLIENT_ID,
    client_secret: GATEPASS_CLIENT_SECRET,
    ...(GATEPASS_AUDIENCE && { audience: GATEPASS_AUDIENCE }),
    ...(GATEPASS_SCOPE && { scope: GATEPASS_SCOPE }),
  });
  const answer = await fetch(GATEPASS_TOKEN_URL, { method: 'POST', body, signal });
  const { access_token, expires_in = 300 } = await answer.json();
  if (!access_token) throw new Refusal(503, `no access token: ${answer.status}`);
  token = { value: access_token, renewAt: Date.now() + (expires_in - 60) * 1000 };
  return access_token;
}

async function issue({ chain, network, walletAddress }) {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await fetch(`${GATEPASS_URL.replace(/\/$/, '')}/pass/${chain}/${network}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await readToken(signal)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ walletAddress }),
    signal,
  });
  const { code } = await answer.json();
  if (answer.status === 401) token = { value: '', renewAt: 0 };
  // 503 for refusals too: the vendor repeats the webhook, and then shows you that it could not deliver it.
  if (!answer.ok) throw new Refusal(503, `the service answers ${answer.status} ${code}`);
}

/** Returns the status of the answer. */
async function receive(request) {
  if (request.method !== 'POST') throw new Refusal(405, 'not a POST');
  const body = await readBody(request);
  demandSignature(request.headers['webhook-signature'], body);
  const { type, applicantId } = parseEvent(body);
  // Other events need no pass.
  if (type === 'verification.approved') await issue(findPass(applicantId));
  return 204;
}

for (const name of [
  'GATEPASS_URL',
  'GATEPASS_TOKEN_URL',
  'GATEPASS_CLIENT_ID',
  'GATEPASS_CLIENT_SECRET',
  'WEBHOOK_SECRET',
  'APPLICANTS_FILE',
]) {
  if (process.env[name]) continue;
  console.error(`${name} is not set`);
  process.exit(2);
}

const server = createServer(async (request, response) => {
  try {
    response.writeHead(await receive(request)).end();
  } catch (error) {
    // The vendor repeats a webhook after a fault of the network, too.
    const status = error instanceof Refusal ? error.status : 503;
    console.error(
      `${status}: ${error instanceof Refusal ? error.message : (error.code ?? error.cause?.code ?? error.name)}`,
    );
    response.writeHead(status, { connection: 'close' }).end();
  }
});
server.listen(Number(PORT), () => console.log(`listens on port ${server.address().port}`));
