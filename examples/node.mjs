#!/usr/bin/env node
// Issues a pass for a wallet, waits until it is on chain, fetches it, and searches for all passes of the wallet.
// Needs Node 20 or newer and no packages; README.md in this folder names the variables.
// Ends with 0 if the pass is ACTIVE, 1 if it is not, 2 if an argument or a variable is missing.
import { setTimeout as sleep } from 'node:timers/promises';

const { GATEPASS_URL, GATEPASS_TOKEN_URL, GATEPASS_CLIENT_ID, GATEPASS_CLIENT_SECRET } = process.env;

/** Fetches JSON. Retries after 429 and 503, as Retry-After says. A retry is safe, because a wallet gets one pass. */
async function ask(what, url, init) {
  for (let retries = 5; ; retries--) {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(40_000) }).catch(({ message, cause }) => {
      throw new Error(`${what}: no answer from ${url} (${cause?.code ?? message})`);
    });
    const body = await response.json().catch(() => undefined);
    if (response.ok && body) return { body, headers: response.headers };

    // Seconds. After a used-up quota the time is that until midnight, which is too long for this program.
    const wait = Number(response.headers.get('retry-after') ?? Number.NaN);
    const isWorthWaiting = [429, 503].includes(response.status) && wait <= 60;
    if (!isWorthWaiting || retries === 0)
      throw refusal(what, response, body ?? { detail: `${url} does not answer with JSON` });
    await sleep(wait * 1000);
  }
}

/** Either a problem document of the service (RFC 9457) or an error of the authorization server (RFC 6749). */
function refusal(what, { status }, { code, requestId, detail, errors = [], error, error_description }) {
  const details = [detail ?? error_description ?? '', ...errors.map((each) => `${each.pointer} ${each.detail}`)];
  return new Error([`${what}: ${status} ${code ?? error ?? ''} ${requestId ?? ''}`, ...details].join('\n'));
}

/** A token is valid for `expires_in` seconds: use one for many requests. */
async function fetchToken() {
  const { GATEPASS_AUDIENCE, GATEPASS_SCOPE } = process.env;
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: GATEPASS_CLIENT_ID,
    client_secret: GATEPASS_CLIENT_SECRET,
    ...(GATEPASS_AUDIENCE && { audience: GATEPASS_AUDIENCE }),
    ...(GATEPASS_SCOPE && { scope: GATEPASS_SCOPE }),
  });
  const { body } = await ask('token', GATEPASS_TOKEN_URL, { method: 'POST', body: form });
  if (!body.access_token) throw new Error(`token: ${GATEPASS_TOKEN_URL} answers without one`);
  return body.access_token;
}

async function main([chain, network, wallet]) {
  const authorization = `Bearer ${await fetchToken()}`;
  let bookmark = '';

  async function gatepass(what, path, json) {
    const headers = {
      authorization,
      // The answer arrives when the pass is settled, or after 20 seconds with the pass as it is.
      prefer: 'wait=20',
      // With the bookmark, this answer is at least as new as the last one, from any copy of the database.
      'gatepass-bookmark': bookmark,
    };
    const post = {
      method: 'POST',
      body: JSON.stringify(json),
      headers: { ...headers, 'content-type': 'application/json' },
    };
    const answer = await ask(what, GATEPASS_URL.replace(/\/$/, '') + path, json === undefined ? { headers } : post);
    bookmark = answer.headers.get('gatepass-bookmark') ?? bookmark;
    return answer.body;
  }

  const passes = `/pass/${encodeURIComponent(chain)}/${encodeURIComponent(network)}`;
  await gatepass('issue', passes, { walletAddress: wallet });
  const look = () => gatepass('process-pass', `${passes}/${encodeURIComponent(wallet)}`);
  let pass = await look();
  for (let looks = 1; pass.state === 'REQUESTED' && looks < 15; looks++) {
    console.error('requested, not on chain yet');
    await sleep(1000);
    pass = await look();
  }
  console.log(JSON.stringify(pass));

  console.log(JSON.stringify(await gatepass('search', '/pass', { filter: { walletAddress: wallet } })));
  if (pass.state !== 'ACTIVE') throw new Error(`the pass is ${pass.state}`);
}

function misuse(message) {
  console.error(message);
  process.exit(2);
}

if (process.argv.length !== 5) {
  misuse(
    'usage: node.mjs CHAIN NETWORK WALLET, for example: node.mjs ethereum sepolia 0x52908400098527886E0F7030069857D2E4169EE7',
  );
}
for (const name of ['GATEPASS_URL', 'GATEPASS_TOKEN_URL', 'GATEPASS_CLIENT_ID', 'GATEPASS_CLIENT_SECRET']) {
  if (!process.env[name]) misuse(`${name} is not set`);
}
await main(process.argv.slice(2)).catch(({ message }) => {
  console.error(message);
  process.exitCode = 1;
});
