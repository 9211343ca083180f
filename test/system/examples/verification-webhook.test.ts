import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startChild, stopChildren } from '../../../terminal/child-process.ts';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { ChainWitness } from '../chain-witness.ts';
import { type FaultProxy, type ProxiedRequest, startFaultProxy } from '../fault-proxy.ts';
import { pollUntil } from '../poll-until.ts';

/** Runs the example that issues a pass when an identity-verification vendor approves an applicant. */

const SECRET = 'the secret that the vendor shares';
const facts = inject('gatepass');
const acme = new LocalnetPartner(facts, 'acme');
const witness = new ChainWitness(
  () => facts,
  () => acme.gatekeeperNetwork,
);
const folder = mkdtempSync(join(tmpdir(), 'gatepass-webhook-'));
const wallets = { 'applicant-1': freshWallet('sepolia'), 'applicant-2': freshWallet('sepolia') };
const printed: string[] = [];
const requests: ProxiedRequest[] = [];
let isDown = false;
let service: FaultProxy;
let url = '';

beforeAll(async () => {
  service = await startFaultProxy(facts.baseUrl, (request, { forward }) => {
    requests.push(request);
    return isDown ? { status: 503, body: '{"code":"temporarily_unavailable"}' } : forward(request);
  });
  const applicants = Object.entries(wallets).map(([applicant, walletAddress]) => [
    applicant,
    { chain: 'ethereum', network: 'sepolia', walletAddress },
  ]);
  const file = join(folder, 'applicants.json');
  writeFileSync(file, JSON.stringify(Object.fromEntries(applicants)));
  await startChild(process.execPath, ['examples/verification-webhook.mjs'], {
    cwd: PROJECT,
    onLine: (line) => printed.push(line),
    env: {
      GATEPASS_URL: service.url,
      GATEPASS_TOKEN_URL: facts.tokenUrl,
      GATEPASS_CLIENT_ID: 'acme',
      GATEPASS_CLIENT_SECRET: 'acme-secret',
      WEBHOOK_SECRET: SECRET,
      APPLICANTS_FILE: file,
      PORT: '0',
    },
  });
  const [, port] = await pollUntil(
    async () => /^listens on port (\d+)$/m.exec(printed.join('\n')) ?? [],
    ([it]) => Boolean(it),
  );
  url = `http://127.0.0.1:${port}/`;
});

afterAll(async () => {
  await stopChildren();
  service.stop();
  rmSync(folder, { recursive: true });
});

interface Webhook {
  readonly type?: string;
  readonly applicantId?: string;
  readonly ageSeconds?: number;
  readonly secret?: string;
  /** Changes the body after it is signed. */
  readonly alter?: (body: string) => string;
}

/** Sends a webhook as the vendor does, and resolves to the status of the answer. */
async function deliver({ type = 'verification.approved', applicantId = 'applicant-1', ...rest }: Webhook) {
  const { ageSeconds = 0, secret = SECRET, alter } = rest;
  const seconds = Math.floor(Date.now() / 1000) - ageSeconds;
  const body = JSON.stringify({ type, applicantId, person: { name: 'Erika Mustermann' } });
  const signature = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'webhook-signature': `t=${seconds},v1=${'00'.repeat(32)},v1=${signature}` },
    body: alter ? alter(body) : body,
  });
  return answer.status;
}

it('issues one pass for an approved applicant, however often the vendor repeats the webhook', async () => {
  expect(await Promise.all([deliver({}), deliver({})])).toEqual([204, 204]);
  const wallet = wallets['applicant-1'];
  expect(await acme.untilSettled('sepolia', wallet)).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE' });
  expect(await deliver({})).toBe(204);
  expect(await witness.accepts('sepolia', wallet)).toBe(true);
  expect(await witness.transactionsAbout('sepolia', wallet)).toHaveLength(1);
});

it.each<readonly [what: string, status: number, webhook: Webhook]>([
  ['with the signature of another secret', 401, { secret: 'another secret' }],
  ['whose body was changed', 401, { alter: (body) => body.replace('applicant-2', 'applicant-1') }],
  ['that is six minutes old', 401, { ageSeconds: 360 }],
  ['from the future', 401, { ageSeconds: -360 }],
  ['about an unknown applicant', 404, { applicantId: 'applicant-3' }],
  ['about a name that every object has', 404, { applicantId: 'constructor' }],
  ['that is too large', 413, { alter: (body) => body + ' '.repeat(70_000) }],
  ['about a rejected applicant', 204, { type: 'verification.rejected' }],
])('issues nothing for a webhook %s, and answers %i', async (_, status, webhook) => {
  const before = requests.length;
  expect(await deliver({ applicantId: 'applicant-2', ...webhook })).toBe(status);
  expect(requests).toHaveLength(before);
});

it('refuses a webhook without a signature, and a request that is none', async () => {
  const before = requests.length;
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
  expect((await fetch(url)).status).toBe(405);
  expect(requests).toHaveLength(before);
});

it('has the vendor repeat the webhook while the service does not accept the pass', async () => {
  isDown = true;
  expect(await deliver({ applicantId: 'applicant-2' })).toBe(503);
  isDown = false;
  expect(await deliver({ applicantId: 'applicant-2' })).toBe(204);
  expect(await acme.untilSettled('sepolia', wallets['applicant-2'])).toMatchObject({ state: 'ACTIVE' });

  await acme.revoke('sepolia', wallets['applicant-2']);
  expect(await deliver({ applicantId: 'applicant-2' })).toBe(503);
  // The line comes by another way than the answer.
  await expect.poll(() => printed).toContain('503: the service answers 409 pass_revoked');
});

it('prints nothing about a person, and no secret', () => {
  expect(printed.join('\n')).not.toMatch(/Mustermann|acme-secret|the secret that/);
  expect(requests.map(({ body }) => body).join()).not.toContain('Mustermann');
});
