import { describe, expect, it } from 'vitest';
import type { StepStatus } from '../../../src/pass/step.ts';
import { aPassOfWhich, holding } from './a-pass-of-which.ts';
import { type Api, partner } from './api.ts';
import { aPartner, newGatekeeperNetwork } from './issuer.ts';
import { transactionCount } from './node.ts';
import { aWallet } from './wallets.ts';

/** What a second issuance for the same wallet does. */

const SEPOLIA = 'ethereum/sepolia';
const acme = await partner('acme');

const untilActive = (api: Api, wallet: string) => api.watch(SEPOLIA, wallet, ({ state }) => state === 'ACTIVE');

it('answers a repeat with the same pass and sends nothing more', async () => {
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
  // A pass that comes after them: once it is there, the repeats have had their turn.
  const later = aWallet();
  await acme.issue(SEPOLIA, later);
  await untilActive(acme, later);
  expect(await transactionCount('sepolia')).toBe(sentBefore + 1);
});

it('makes one pass and one transaction of many requests at once', async () => {
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

/** A pass whose signer has said this of its issuance. */
const aPassWhere = (status: StepStatus) => aPassOfWhich({ gatekeeperNetwork }, status);

describe('a pass that is over', () => {
  it.each`
    state        | code
    ${'FROZEN'}  | ${'pass_frozen'}
    ${'REVOKED'} | ${'pass_revoked'}
  `('$state is not issued again', async ({ state, code }) => {
    const wallet = await aPassWhere(holding({ state }));
    const api = await aPartner({ gatekeeperNetwork });
    const { status, problem } = await api.issue(SEPOLIA, wallet);
    expect([status, problem.code]).toEqual([409, code]);
    expect((await api.fetch(SEPOLIA, wallet)).record).toMatchObject({ state, onChainState: state });
  });

  it('REJECTED is tried again', async () => {
    const wallet = await aPassWhere({ type: 'failed', reason: 'refused' });
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

describe('a pass that expires', () => {
  const expired = { state: 'ACTIVE', expiry: Math.floor(Date.now() / 1000) - 10 } as const;

  it('carries the lifetime of its partner, and a repeat does not prolong it', async () => {
    const api = await aPartner({ passLifetime: 3600 });
    const wallet = aWallet();
    const { record } = await api.issue(SEPOLIA, wallet);
    const created = record.events[0]?.timestamp as number;
    expect(record.expiryTimestamp).toBe(created + 3600);
    await scheduler.wait(1100);
    expect((await api.issue(SEPOLIA, wallet)).record.expiryTimestamp).toBe(created + 3600);
  });

  it('is renewed when it has expired', async () => {
    const wallet = await aPassWhere(holding(expired));
    const api = await aPartner({ gatekeeperNetwork, passLifetime: 3600 });
    const now = Math.floor(Date.now() / 1000);
    const { status, record } = await api.issue(SEPOLIA, wallet);
    expect([status, record.state]).toEqual([202, 'ACTIVE']);
    expect(record.expiryTimestamp).toBeGreaterThanOrEqual(now + 3600);
    expect(record.expiryTimestamp).toBeLessThanOrEqual(now + 3605);
  });

  it('is not renewed without a default lifetime: the problem names PATCH', async () => {
    const wallet = await aPassWhere(holding(expired));
    const api = await aPartner({ gatekeeperNetwork });
    const { status, problem } = await api.issue(SEPOLIA, wallet);
    expect([status, problem.code]).toEqual([409, 'pass_expired']);
    expect(problem.detail).toContain('PATCH');
  });

  it('never expires after the year 9999', async () => {
    const api = await aPartner({ passLifetime: 300_000_000_000 });
    expect((await api.issue(SEPOLIA, aWallet())).record.expiryTimestamp).toBe(253_402_300_799);
  });
});
