/**
 * `node tools/print-first-pass.ts PID` has the Worker of a bare `npx wrangler dev` print the lines to paste as soon as it answers. So they
 * follow everything that wrangler prints at its start. It ends with the process PID, which is wrangler; 0: nobody knows its id.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clone } from '../src/development/clone.ts';

/** The paths of `src/development/issuer.ts`. */
const [TOKEN_PATH, PRINT_PATH] = ['/development/token', '/development/print'];
const INTERVAL_MS = 100;
/** Five minutes. */
const TRIES_MAX = 3000;
const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const CLONE = join(import.meta.dirname, '../.wrangler/development.txt');

const wrangler = Number(process.argv[2]);
const { client, port } = JSON.parse(readFileSync(CLONE, 'utf8')) as Clone;
const url = `http://localhost:${port}`;
const asPartner = `-H "Authorization: Bearer $TOKEN"`;

/**
 * The settings of the command `gatepass`, a token, a pass in the sandbox, and its record. No comments, which an interactive zsh would run.
 * All lines are visible in a terminal of 24 rows.
 */
const LINES = [
  'Gatepass runs with a sandbox: all its chains are simulated. Paste these lines into another terminal:',
  '',
  `export GATEPASS_URL=${url} GATEPASS_TOKEN_URL=${url}${TOKEN_PATH} GATEPASS_CLIENT_ID=${client.id} GATEPASS_CLIENT_SECRET=${client.secret}`,
  `TOKEN=$(curl -s $GATEPASS_TOKEN_URL -u $GATEPASS_CLIENT_ID:$GATEPASS_CLIENT_SECRET -d grant_type=client_credentials | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
  `curl -s -w '\\n' $GATEPASS_URL/pass/ethereum/sepolia ${asPartner} -H 'Prefer: wait=20' -H 'Content-Type: application/json' -d '{"walletAddress":"${WALLET}"}'`,
  `curl -s -w '\\n' $GATEPASS_URL/pass/ethereum/sepolia/${WALLET} ${asPartner}`,
  '',
  `API reference to read and try in a browser: ${url}/docs/reference`,
];

const isPrinted = () =>
  fetch(url + PRINT_PATH, { method: 'POST', body: LINES.join('\n') }).then(
    () => true,
    () => false,
  );

/** For the id 0, Node looks for this process itself. */
function isRunning(): boolean {
  try {
    return process.kill(wrangler, 0);
  } catch {
    return false;
  }
}

for (let tries = 1; tries < TRIES_MAX && isRunning() && !(await isPrinted()); tries += 1) await sleep(INTERVAL_MS);
