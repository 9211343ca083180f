#!/usr/bin/env node
// Issues passes again for the wallets in a CSV file of gateway tokens, as the operator's scan of a gatekeeper network writes it.
// Without --send, it only counts them. Run it again after an interruption: a wallet that has its pass gets no second one.
// Needs Node 20 or newer and no packages; README.md in this folder names the variables.
// Ends with 0 if the service accepted every pass, 1 if not, 2 if an argument or a variable is wrong.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const { GATEPASS_URL, GATEPASS_TOKEN_URL, GATEPASS_CLIENT_ID, GATEPASS_CLIENT_SECRET } = process.env;
const { GATEPASS_AUDIENCE, GATEPASS_SCOPE } = process.env;
const COLUMNS = ['chain', 'network', 'walletAddress', 'state', 'expiryTimestamp'];
const PARALLEL = 8;
/** After a used-up quota, Retry-After is the time until midnight, which is too long for this program. */
const WAIT_MAX_SECONDS = 60;

/** Returns an object for each line of the file. No field is quoted, because none contains a comma. */
function readRows(file) {
  const [names = [], ...lines] = readFileSync(file, 'utf8')
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(','));
  const missing = COLUMNS.filter((name) => !names.includes(name));
  if (missing.length > 0) throw new Error(`${file} has no column ${missing.join(', ')}`);
  return lines.map((cells, index) => {
    const row = Object.fromEntries(names.map((name, column) => [name, cells[column]]));
    if (cells.length !== names.length || !/^\d*$/.test(row.expiryTimestamp))
      throw new Error(`${file}: line ${index + 2} is not complete: let the scan finish first`);
    return row;
  });
}

/** Unix seconds. A token without an expiry never expires. */
const expiryOf = ({ expiryTimestamp }) => (expiryTimestamp === '' ? Number.POSITIVE_INFINITY : Number(expiryTimestamp));
const isExpired = (row) => expiryOf(row) <= Date.now() / 1000;

/** Returns one row for each wallet with a valid token: its token that lives longest. Counts the rows that it leaves out. */
function chooseRows(rows) {
  const chosen = new Map();
  const leftOut = {};
  const leaveOut = (reason) => {
    leftOut[reason] = (leftOut[reason] ?? 0) + 1;
  };
  for (const row of rows) {
    if (row.state !== 'ACTIVE') leaveOut(row.state);
    else if (isExpired(row)) leaveOut('expired');
    else {
      const wallet = `${row.chain}/${row.network}/${row.walletAddress}`;
      const other = chosen.get(wallet);
      if (other !== undefined) leaveOut('a further token of a wallet');
      if (other === undefined || expiryOf(row) > expiryOf(other)) chosen.set(wallet, row);
    }
  }
  return { chosen: [...chosen.values()], leftOut };
}

let authorization;
let renewAt = 0;

/** An access token is valid for `expires_in` seconds. A large file takes longer than that. */
function readAuthorization() {
  if (Date.now() >= renewAt) {
    renewAt = Number.POSITIVE_INFINITY;
    authorization = fetchToken();
  }
  return authorization;
}

async function fetchToken() {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: GATEPASS_CLIENT_ID,
    client_secret: GATEPASS_CLIENT_SECRET,
    ...(GATEPASS_AUDIENCE && { audience: GATEPASS_AUDIENCE }),
    ...(GATEPASS_SCOPE && { scope: GATEPASS_SCOPE }),
  });
  const { response, body } = await send(GATEPASS_TOKEN_URL, () => ({ method: 'POST', body: form }));
  if (!body?.access_token) throw new Error(`no access token: ${response.status} ${body?.error ?? ''}`);
  renewAt = Date.now() + ((body.expires_in ?? 300) - 60) * 1000;
  return `Bearer ${body.access_token}`;
}

/** Repeats the request while the service or the network is busy. POST is safe to repeat, because a wallet gets one pass. */
async function send(url, init) {
  for (let retries = 20; ; retries--) {
    const response = await fetch(url, { ...(await init()), signal: AbortSignal.timeout(30_000) }).catch(
      () => undefined,
    );
    const body = await response?.json().catch(() => undefined);
    const wait = Number(response?.headers.get('retry-after') ?? 5);
    const isBusy = response === undefined || response.status === 429 || response.status >= 500;
    if (!isBusy) return { response, body };
    const why = response === undefined ? `no answer from ${url}` : `${response.status} ${body?.code ?? ''}`;
    if (wait > WAIT_MAX_SECONDS || retries === 0) throw new Error(`${why}: run this program again later`);
    await sleep(wait * 1000);
  }
}

/** Returns undefined, or why this wallet gets no pass. Throws if no further wallet can get one. */
async function issue({ chain, network, walletAddress, expiryTimestamp }) {
  const json = { walletAddress, ...(expiryTimestamp !== '' && { expiryTimestamp: Number(expiryTimestamp) }) };
  const { response, body } = await send(`${GATEPASS_URL.replace(/\/$/, '')}/pass/${chain}/${network}`, async () => ({
    method: 'POST',
    headers: { authorization: await readAuthorization(), 'content-type': 'application/json' },
    body: JSON.stringify(json),
  }));
  if (response.ok) return undefined;
  const why = `${response.status} ${body?.code ?? ''} ${body?.detail ?? ''}`;
  if ([401, 403, 404].includes(response.status) || body?.code === 'network_not_enabled') throw new Error(why);
  return why;
}

async function main(file, isSending) {
  const { chosen, leftOut } = chooseRows(readRows(file));
  for (const network of new Set(chosen.map((row) => row.network)))
    console.log(`to issue, ${network}: ${chosen.filter((row) => row.network === network).length}`);
  for (const [reason, count] of Object.entries(leftOut)) console.log(`left out, ${reason}: ${count}`);
  if (!isSending) return console.log('Nothing was sent. Add --send to issue these passes.');

  let accepted = 0;
  let refused = 0;
  const work = async () => {
    for (let row = chosen.shift(); row !== undefined; row = chosen.shift()) {
      // A token may expire while this program runs.
      const why = isExpired(row) ? 'expired meanwhile' : await issue(row);
      if (why === undefined) {
        accepted++;
        if (accepted % 1000 === 0) console.log(`accepted: ${accepted}`);
      } else {
        refused++;
        console.error(`${row.network} ${row.walletAddress}: ${why}`);
      }
    }
  };
  const stop = (error) => {
    chosen.length = 0;
    throw error;
  };
  const results = await Promise.allSettled(Array.from({ length: PARALLEL }, () => work().catch(stop)));
  console.log(`accepted: ${accepted}, refused: ${refused}`);
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
  if (refused > 0) process.exitCode = 1;
}

function misuse(message) {
  console.error(message);
  process.exit(2);
}

const files = process.argv.slice(2).filter((argument) => argument !== '--send');
if (files.length !== 1 || files[0].startsWith('-')) misuse('usage: reissue.mjs FILE.csv [--send]');
for (const name of ['GATEPASS_URL', 'GATEPASS_TOKEN_URL', 'GATEPASS_CLIENT_ID', 'GATEPASS_CLIENT_SECRET']) {
  if (!process.env[name]) misuse(`${name} is not set`);
}
await main(files[0], process.argv.includes('--send')).catch(({ message }) => {
  console.error(message);
  process.exitCode = 1;
});
