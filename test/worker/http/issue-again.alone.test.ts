import { describe, expect, it } from 'vitest';
import { expectProblem } from '../../problem.ts';
import { aPass, UNSENT } from './a-pass.ts';
import { type Api, partner } from './api.ts';
import { aPartner, newGatekeeperNetwork } from './issuer.ts';
import { transactionCount } from './node.ts';
import { aWallet } from './wallets.ts';

/** A second issuance for the same wallet. */

const SEPOLIA = 'ethereum/sepolia';
const acme = await partner('acme');

const untilActive = (api: Api, wallet: string) => api.watch(SEPOLIA, wallet, ({ state }) => state === 'ACTIVE');

it('returns the same pass for a repeated issuance, and sends no further transaction', async () => {
  const wallet = aWallet();
  const first = await acme.issue(SEPOLIA, wallet);
  await untilActive(acme, wallet);
  const sentBefore = await transactionCount('sepolia');

  for (const form of [wallet, wallet.toLowerCase(), wallet]) {
    const again = await acme.issue(SEPOLIA, form);
    expect(again.status).toBe(202);
    expect(again.record).toMatchObject({ id: first.record.id, state: 'ACTIVE' });
    expect(again.record.events).toHaveLength(2);
  }
  // This pass is later. When it is on chain, the repeated requests have been processed.
  const later = aWallet();
  await acme.issue(SEPOLIA, later);
  await untilActive(acme, later);
  expect(await transactionCount('sepolia')).toBe(sentBefore + 1);
});

it('makes one pass and one transaction from many simultaneous issuances', async () => {
  const wallet = aWallet();
  const sentBefore = await transactionCount('sepolia');
  const answers = await Promise.all(Array.from({ length: 20 }, () => acme.issue(SEPOLIA, wallet)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
  expect(new Set(answers.map(({ record }) => record.id)).size).toBe(1);
  const active = (await untilActive(acme, wallet)).at(-1);
  expect(active?.events.map(({ eventType }) => eventType)).toEqual(['TOKEN_ISSUED_INITIATED', 'TOKEN_ISSUED']);
  expect(await transactionCount('sepolia')).toBe(sentBefore + 1);
});

const gatekeeperNetwork = newGatekeeperNetwork();

/** Returns the wallet of a new pass without transactions. */
const aWalletWith = async (overrides: Partial<Parameters<typeof aPass>[0]>) =>
  (await aPass({ gatekeeperNetwork, ...UNSENT, ...overrides })).wallet;

describe('issuing a pass again', () => {
  it.each`
    state        | code
    ${'FROZEN'}  | ${'pass_frozen'}
    ${'REVOKED'} | ${'pass_revoked'}
  `('refuses to issue a $state pass again', async ({ state, code }) => {
    const wallet = await aWalletWith({ state });
    const api = await aPartner({ gatekeeperNetwork });
    expectProblem(await api.issue(SEPOLIA, wallet), code);
    expect((await api.fetch(SEPOLIA, wallet)).record).toMatchObject({ state, onChainState: state });
  });

  it('tries to issue a REJECTED pass again', async () => {
    const wallet = await aWalletWith({ state: 'REJECTED', reason: 'refused' });
    const api = await aPartner({ gatekeeperNetwork });
    const rejected = (await api.fetch(SEPOLIA, wallet)).record;
    expect(rejected).toMatchObject({ state: 'REJECTED', onChainState: 'NONE' });
    expect(rejected.events.at(-1)).toMatchObject({ eventType: 'TOKEN_ISSUED_FAILED', reason: 'refused' });

    const { status, record } = await api.issue(SEPOLIA, wallet);
    expect(status).toBe(202);
    expect(record).toMatchObject({ id: rejected.id, state: 'REQUESTED' });
    expect(record.events).toEqual([
      ...rejected.events,
      { eventType: 'TOKEN_ISSUED_INITIATED', timestamp: expect.any(Number) },
    ]);
  });
});

describe('the expiry of a pass', () => {
  const expired = { state: 'ACTIVE', expiry: Math.floor(Date.now() / 1000) - 10 } as const;

  it('sets the default lifetime of the partner, and a repeated issuance does not extend it', async () => {
    const api = await aPartner({ passLifetime: 3600 });
    const wallet = aWallet();
    const { record } = await api.issue(SEPOLIA, wallet);
    const created = record.events[0]?.timestamp as number;
    expect(record.expiryTimestamp).toBe(created + 3600);
    await scheduler.wait(1100);
    expect((await api.issue(SEPOLIA, wallet)).record.expiryTimestamp).toBe(created + 3600);
  });

  it('renews an expired pass', async () => {
    const wallet = await aWalletWith(expired);
    const api = await aPartner({ gatekeeperNetwork, passLifetime: 3600 });
    const now = Math.floor(Date.now() / 1000);
    const { status, record } = await api.issue(SEPOLIA, wallet);
    expect([status, record.state]).toEqual([202, 'ACTIVE']);
    expect(record.expiryTimestamp).toBeGreaterThanOrEqual(now + 3600);
    expect(record.expiryTimestamp).toBeLessThanOrEqual(Math.floor(Date.now() / 1000) + 3600);
  });

  it('refuses to renew an expired pass without a default lifetime, and suggests PATCH', async () => {
    const wallet = await aWalletWith(expired);
    const api = await aPartner({ gatekeeperNetwork });
    expectProblem(await api.issue(SEPOLIA, wallet), 'pass_expired', { detail: 'PATCH' });
  });

  it('limits the expiry to the year 9999', async () => {
    const api = await aPartner({ passLifetime: 300_000_000_000 });
    expect((await api.issue(SEPOLIA, aWallet())).record.expiryTimestamp).toBe(253_402_300_799);
  });
});
