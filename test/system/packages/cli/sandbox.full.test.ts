import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { TRIGGER_TYPES } from '../../../../src/http/schemas/managing.ts';
import type { FeedEvent } from '../../../../tools/localnet/partner/feed.ts';
import { freshWallet } from '../../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../../tools/localnet/partner/localnet-partner.ts';
import { pollUntil } from '../../poll-until.ts';
import { gatepass, settingsOf, spawnGatepass } from './gatepass-command.ts';

/** `gatepass trigger` and `gatepass clock` with the service. */

const facts = inject('gatepass');
const settings = settingsOf(facts, 'sandbox');
const partner = new LocalnetPartner(facts, 'sandbox');

const folder = mkdtempSync(join(tmpdir(), 'gatepass-sandbox-'));
afterAll(() => rmSync(folder, { recursive: true }));

const DAYS_8 = 8 * 86_400;
const secondsIn = (stdout: string) => Date.parse(stdout.trim()) / 1000;

/** Reads the feed from a sequence to its end. */
async function feedAfter(after: number): Promise<FeedEvent[]> {
  const page = await partner.call<{ events: FeedEvent[]; next: number; more: boolean }>(
    'GET',
    `/events?after=${after}&limit=100`,
  );
  return page.more ? [...page.events, ...(await feedAfter(page.next))] : page.events;
}

describe('gatepass trigger', () => {
  it.each([
    { network: 'sepolia', chain: 'ethereum' },
    { network: 'devnet', chain: 'solana' },
  ])('causes every event of the catalog on $network', async ({ network, chain }) => {
    const { next } = await partner.call<{ next: number }>('GET', '/events?after=newest');
    const wallets = new Map<string, string>();
    for (const type of TRIGGER_TYPES) {
      const ran = await gatepass(['trigger', type, '--network', network, '--json'], settings);
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      const { pass, ...rest } = JSON.parse(ran.stdout);
      expect(rest).toEqual({ type });
      if (!type.startsWith('feed.')) {
        expect(pass).toMatchObject({ chain: { type: chain, network } });
        wallets.set(type, pass.walletAddress);
      }
    }
    const isThere = (events: readonly FeedEvent[]) => (type: string) =>
      events.some((each) => each.type === type && each.data?.pass.walletAddress === wallets.get(type));
    // `feed.events_deleted` is a notice of webhooks, which the feed does not have.
    const expected = TRIGGER_TYPES.filter((type) => type !== 'feed.events_deleted');
    await pollUntil(
      () => feedAfter(next),
      (events) => expected.every(isThere(events)),
    );
  });

  it('says in a line what follows', async () => {
    const ran = await spawnGatepass(['trigger', 'pass.frozen', '--network', 'baseSepolia'], settings);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^pass\.frozen follows for 0x[0-9a-fA-F]{40} on baseSepolia\n$/);
    expect(await gatepass(['trigger', 'feed.restored'], settings)).toMatchObject({
      code: 0,
      stdout: 'feed.restored follows\n',
    });
  });

  it('says which events exist', async () => {
    const ran = await gatepass(['trigger', 'pass.eaten'], settings);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(/^400 invalid_request: [\s\S]*must be one of pass\.issued, .*feed\.events_deleted/);
    expect(await gatepass(['trigger', 'pass.issued', '--network', 'nowhere'], settings)).toMatchObject({ code: 2 });
  });
});

describe('gatepass clock', () => {
  it('shows the time, and moves it by days, hours, minutes and seconds', async () => {
    const before = secondsIn((await spawnGatepass(['clock'], settings)).stdout);
    const after = secondsIn((await spawnGatepass(['clock', '+8d'], settings)).stdout);
    expect(after - before).toBeGreaterThanOrEqual(DAYS_8);
    const parts = await gatepass(['clock', '+1d2h3m4s', '--json'], settings);
    expect(JSON.parse(parts.stdout).now - after).toBeGreaterThanOrEqual(93_784);
  });

  it('expires a pass', async () => {
    const wallet = freshWallet('sepolia');
    const about = [wallet, '--network', 'sepolia'];
    const { now: before } = JSON.parse((await gatepass(['clock', '--json'], settings)).stdout);
    const expires = new Date((before + 3_600) * 1000).toISOString();
    const issued = await gatepass(['issue', ...about, '--expires', expires, '--json'], settings);
    expect(issued).toMatchObject({ code: 0 });
    const { now } = JSON.parse((await gatepass(['clock', '--json'], settings)).stdout);
    const { expiryTimestamp = now } = JSON.parse(issued.stdout);
    expect(expiryTimestamp).toBeGreaterThan(now);
    expect(await gatepass(['clock', `+${expiryTimestamp - now + 1}s`], settings)).toMatchObject({ code: 0 });
    await pollUntil(
      () => feedAfter(0),
      (events) => events.some(({ type, data }) => type === 'pass.expired' && data?.pass.walletAddress === wallet),
    );
  });

  it('is the clock from which durations count, and that says what has expired', async () => {
    await gatepass(['clock', '+20d'], settings);
    const wallet = freshWallet('devnet');
    const about = [wallet, '--network', 'devnet'];
    const timeOf = async () => JSON.parse((await gatepass(['clock', '--json'], settings)).stdout).now as number;
    const before = await timeOf();
    const issued = await gatepass(['issue', ...about, '--expires', '30d', '--json'], settings);
    const { expiryTimestamp } = JSON.parse(issued.stdout);
    expect(expiryTimestamp - 30 * 86_400).toBeGreaterThanOrEqual(before);
    expect(expiryTimestamp - 30 * 86_400).toBeLessThanOrEqual(await timeOf());
    const foundWithin = async (duration: string) => {
      const options = ['--expires-before', duration, '--network', 'devnet', '--json'];
      return (await gatepass(['search', ...options], settings)).stdout.includes(wallet);
    };
    expect([await foundWithin('29d'), await foundWithin('31d')]).toEqual([false, true]);

    const changed = await gatepass(['set-expiry', ...about, '--expires', '2h', '--json'], settings);
    expect(JSON.parse(changed.stdout).expiryTimestamp).toBeLessThan((await timeOf()) + 7_201);
    await gatepass(['clock', '+3h'], settings);
    // On this machine, the expiry is days away.
    expect((await gatepass(['get', ...about], settings)).stdout).toMatch(/ACTIVE +ACTIVE +no: expired +20/);
    expect((await gatepass(['search', '--wallet', wallet], settings)).stdout).toMatch(/ no: expired /);
    const row = `walletAddress,network,expiryTimestamp\n${wallet},devnet,${(await timeOf()) - 60}\n`;
    writeFileSync(join(folder, 'rows.csv'), row);
    const csv = ['--csv', join(folder, 'rows.csv'), '--dry-run'];
    expect((await gatepass(['issue', ...csv], settings)).stdout).toBe('skipped, expired: 1\n');
    expect((await gatepass(['set-expiry', ...csv], settings)).stderr).toContain(': is in the past');
  });

  it.each(['-8d', '8d', '+8', '+8w', '+0s', '+', 'tomorrow', '+1d-1h'])(
    'refuses %s before any request',
    async (advance) => {
      const ran = await gatepass(['clock', '--', advance], { ...settings, GATEPASS_URL: 'http://127.0.0.1:9' });
      expect(ran).toMatchObject({ code: 2, stdout: '' });
      expect(ran.stderr).toContain('It must be a duration after a plus: +90s, +30m, +12h, +8d.');
    },
  );

  it('goes no further than 400 days', async () => {
    const far = await gatepass(['clock', '+401d'], settings);
    expect(far).toMatchObject({ code: 2, stdout: '' });
    expect(far.stderr).toMatch(/^400 invalid_request: /);
    // The days before count too.
    const further = await gatepass(['clock', '+400d'], settings);
    expect(further).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^400 invalid_request: /) });
  });
});

it('gatepass usage prints the passes of the sandbox by state', async () => {
  await gatepass(['issue', freshWallet('sepolia'), '--network', 'polygonAmoy'], settings);
  const frozen = freshWallet('sepolia');
  await gatepass(['issue', frozen, '--network', 'polygonAmoy'], settings);
  await gatepass(['freeze', frozen, '--network', 'polygonAmoy'], settings);
  const ran = await gatepass(['usage'], settings);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toMatch(/^in this sandbox +requested +active +frozen +revoked +rejected\n/);
  expect(ran.stdout).toMatch(/^polygonAmoy +0 +1 +1 +0 +0$/m);
  const lines = (await gatepass(['usage', '--json'], settings)).stdout.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toContainEqual({
    chain: { type: 'ethereum', network: 'polygonAmoy' },
    counts: { REQUESTED: 0, ACTIVE: 1, FROZEN: 1, REVOKED: 0, REJECTED: 0 },
  });
  // Events that other tests have caused may still give a pass a subject.
  const subjects = async () =>
    JSON.parse((await gatepass(['usage', '--subjects', '--json'], settings)).stdout.trim().split('\n').at(-1) ?? '')
      .subjects;
  const { count, passes } = await subjects();
  await gatepass(['issue', freshWallet('sepolia'), '--network', 'polygonAmoy', '--subject', 'p-7f3c'], settings);
  const later = await subjects();
  expect(later.count).toBeGreaterThan(count);
  expect(later.passes).toBeGreaterThan(passes);
  expect((await gatepass(['usage', '--subjects'], settings)).stdout).toMatch(
    /\n\nsubjects with an active pass: [1-9]\d*, with [1-9]\d* of these passes\n/,
  );
});

it.each(['trigger pass.issued', 'clock', 'clock +8d'])(
  'a client of real passes reads in words that `gatepass %s` is for sandboxes',
  async (line) => {
    const ran = await gatepass(line.split(' '), settingsOf(facts, 'acme'));
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toBe(
      `the client acme is in no sandbox of ${facts.baseUrl}: there, nobody can move time or cause events\n`,
    );
  },
);
