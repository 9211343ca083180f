import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, it } from 'vitest';
import { chainOf } from '../../../localnet/partner/chain-of.ts';
import { freshWallet } from '../../../localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../localnet/partner/localnet-partner.ts';
import { ChainWitness } from '../chain-witness.ts';
import { type FaultProxy, startFaultProxy } from '../fault-proxy.ts';
import { runProgram } from '../run-program.ts';

/** Runs the example that issues passes again for the tokens of another gatekeeper network. */

const facts = inject('gatepass');
const acme = new LocalnetPartner(facts, 'acme');
const witness = new ChainWitness(
  () => facts,
  () => acme.gatekeeperNetwork,
);
const folder = mkdtempSync(join(tmpdir(), 'gatepass-reissue-'));
const proxies: FaultProxy[] = [];

afterAll(() => {
  for (const proxy of proxies) proxy.stop();
  rmSync(folder, { recursive: true });
});

const HEAD = 'chain,network,walletAddress,state,expiryTimestamp,issuedBy,token,block';

interface Token {
  readonly network?: string;
  readonly wallet: string;
  readonly state?: string;
  readonly expiry?: number;
}

const lineOf = ({ network = 'sepolia', wallet, state = 'ACTIVE', expiry }: Token) =>
  [chainOf(network), network, wallet, state, expiry ?? '', '0x00', '7', '12'].join();

let files = 0;

function writeScan(tokens: readonly Token[], head = HEAD): string {
  files += 1;
  const file = join(folder, `${files}.csv`);
  writeFileSync(file, `${[head, ...tokens.map(lineOf)].join('\n')}\n`);
  return file;
}

const run = (args: readonly string[], changes: Readonly<Record<string, string>> = {}) =>
  runProgram([process.execPath, 'examples/reissue.mjs', ...args], {
    GATEPASS_URL: facts.baseUrl,
    GATEPASS_TOKEN_URL: facts.tokenUrl,
    GATEPASS_CLIENT_ID: 'acme',
    GATEPASS_CLIENT_SECRET: 'acme-secret',
    ...changes,
  });

const linesOf = (text: string) => text.trim().split('\n').sort();
const PAST = 1_600_000_000;

it.concurrent('issues a pass for each wallet with a valid token, and for no other one', async () => {
  const [onEthereum, onSolana, frozen, revoked, expired] = [
    freshWallet('sepolia'),
    freshWallet('devnet'),
    freshWallet('sepolia'),
    freshWallet('sepolia'),
    freshWallet('sepolia'),
  ];
  const file = writeScan([
    { wallet: onEthereum, expiry: 4_000_000_000 },
    { wallet: onEthereum },
    { wallet: onEthereum, expiry: 3_900_000_000 },
    { wallet: onSolana, network: 'devnet' },
    { wallet: frozen, state: 'FROZEN' },
    { wallet: revoked, state: 'REVOKED' },
    { wallet: expired, expiry: PAST },
  ]);
  const counts = [
    'left out, FROZEN: 1',
    'left out, REVOKED: 1',
    'left out, a further token of a wallet: 2',
    'left out, expired: 1',
    'to issue, devnet: 1',
    'to issue, sepolia: 1',
  ];

  const dry = await run([file]);
  expect(dry).toMatchObject({ code: 0, stderr: '' });
  expect(linesOf(dry.stdout)).toEqual(['Nothing was sent. Add --send to issue these passes.', ...counts]);
  await expect(acme.fetch('sepolia', onEthereum)).rejects.toThrow('404');

  // The second run repeats every request.
  for (const attempt of ['first', 'second']) {
    const sent = await run([file, '--send']);
    expect(sent, attempt).toMatchObject({ code: 0, stderr: '' });
    expect(linesOf(sent.stdout)).toEqual(['accepted: 2, refused: 0', ...counts]);
    const passes = await Promise.all([acme.untilSettled('sepolia', onEthereum), acme.untilSettled('devnet', onSolana)]);
    // The longest-living token has no expiry.
    expect(passes.map(({ state, expiryTimestamp }) => ({ state, expiryTimestamp }))).toEqual([
      { state: 'ACTIVE' },
      { state: 'ACTIVE' },
    ]);
  }
  expect(await witness.transactionsAbout('sepolia', onEthereum)).toHaveLength(1);
  for (const wallet of [frozen, revoked, expired]) await expect(acme.fetch('sepolia', wallet)).rejects.toThrow('404');
});

it.concurrent('sends the expiry of the token that lives longest', async () => {
  const wallet = freshWallet('sepolia');
  const bodies: string[] = [];
  const service = await startFaultProxy(facts.baseUrl, ({ body }) => {
    bodies.push(body);
    return { status: 202, body: '{}' };
  });
  proxies.push(service);
  const file = writeScan([
    { wallet, expiry: 3_900_000_000 },
    { wallet, expiry: 4_000_000_000 },
  ]);
  expect(await run([file, '--send'], { GATEPASS_URL: service.url })).toMatchObject({ code: 0, stderr: '' });
  expect(bodies.map((body) => JSON.parse(body))).toEqual([{ walletAddress: wallet, expiryTimestamp: 4_000_000_000 }]);
});

it.concurrent('names each wallet that the service refuses, and continues with the others', async () => {
  const [revoked, other] = [freshWallet('sepolia'), freshWallet('sepolia')];
  await acme.issue('sepolia', revoked);
  await acme.untilSettled('sepolia', revoked);
  await acme.revoke('sepolia', revoked);
  const ran = await run([writeScan([{ wallet: revoked }, { wallet: other }]), '--send']);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(RegExp(`^sepolia ${revoked}: 409 pass_revoked .*\\n$`));
  expect(ran.stdout).toContain('accepted: 1, refused: 1\n');
});

it.concurrent('waits while the service is busy, and stops at a used-up quota', async () => {
  const statuses: number[] = [];
  const service = await startFaultProxy(facts.baseUrl, () => {
    statuses.push(statuses.length === 0 ? 503 : 429);
    const [status = 0] = statuses.slice(-1);
    const retryAfter = status === 503 ? '1' : '40000';
    return { status, headers: { 'retry-after': retryAfter }, body: JSON.stringify({ code: 'quota_reached' }) };
  });
  proxies.push(service);
  const ran = await run([writeScan([{ wallet: freshWallet('sepolia') }]), '--send'], { GATEPASS_URL: service.url });
  expect(ran).toEqual({
    code: 1,
    stdout: 'to issue, sepolia: 1\naccepted: 0, refused: 0\n',
    stderr: '429 quota_reached: run this program again later\n',
  });
  expect(statuses).toEqual([503, 429]);
});

it.concurrent('sends nothing from a file that is not a complete scan', async () => {
  const cut = join(folder, 'cut.csv');
  writeFileSync(cut, `${HEAD}\n${lineOf({ wallet: freshWallet('sepolia') }).slice(0, -3)}`);
  expect(await run([cut, '--send'])).toEqual({
    code: 1,
    stdout: '',
    stderr: `${cut}: line 2 is not complete: let the scan finish first\n`,
  });
  const other = writeScan([], 'chain,network,walletAddress,state');
  expect((await run([other, '--send'])).stderr).toBe(`${other} has no column expiryTimestamp\n`);
  expect(await run(['--send'])).toMatchObject({ code: 2, stderr: expect.stringContaining('usage') });
});
