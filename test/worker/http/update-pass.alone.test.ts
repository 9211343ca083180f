import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { PassRecord } from './answer.ts';
import { partner } from './api.ts';
import { transactionCount, withoutBlocks } from './node.ts';
import { anActivePass, tokensOf } from './sepolia-contract.ts';
import { aWallet } from './wallets.ts';

/** Freezes, unfreezes and expiry changes, from the request to the contract. */

const SEPOLIA = 'ethereum/sepolia';
const acme = await partner('acme');
const inAnHour = Math.floor(Date.now() / 1000) + 3600;
const inADay = inAnHour + 23 * 3600;

const typesOf = ({ events }: PassRecord) => events.map(({ eventType }) => eventType);

async function last(wallet: string, until: (record: PassRecord) => boolean): Promise<PassRecord> {
  return (await acme.watch(SEPOLIA, wallet, until)).at(-1) as PassRecord;
}

const until = (eventType: string) => (record: PassRecord) => typesOf(record).at(-1) === eventType;

describe('a change of a pass', () => {
  it('returns the changed record at once, and confirms the change on chain soon after', async () => {
    const wallet = await anActivePass(acme);
    for (const { request, change, shows, holds } of [
      { request: { state: 'FROZEN' }, change: 'TOKEN_FROZEN', shows: { state: 'FROZEN' }, holds: { state: 'FROZEN' } },
      {
        request: { state: 'ACTIVE' },
        change: 'TOKEN_UNFROZEN',
        shows: { state: 'ACTIVE' },
        holds: { state: 'ACTIVE' },
      },
      {
        request: { expiryTimestamp: inAnHour },
        change: 'TOKEN_EXPIRY_CHANGED',
        shows: { state: 'ACTIVE', expiryTimestamp: inAnHour },
        holds: { state: 'ACTIVE', expiry: inAnHour },
      },
    ]) {
      const before = (await acme.fetch(SEPOLIA, wallet)).record;
      const { status, updated } = await acme.update(SEPOLIA, wallet, request);
      expect([status, updated]).toMatchObject([200, { ...shows, id: before.id, onChainState: before.onChainState }]);
      expect((await acme.fetch(SEPOLIA, wallet)).record).toMatchObject(shows);

      const { events, onChainState } = await last(wallet, until(change));
      expect(onChainState).toBe(shows.state);
      const transaction = { identifier: expect.stringMatching(/^0x[\da-f]{64}$/), status: 'confirmed' };
      expect(events.slice(before.events.length)).toEqual([
        { eventType: `${change}_INITIATED`, timestamp: expect.any(Number), transaction },
        { eventType: change, timestamp: expect.any(Number), transaction: events.at(-2)?.transaction },
      ]);
      expect(await tokensOf(wallet)).toMatchObject([holds]);
    }
  });

  it('applies a change of both fields as one change, and sets the expiry first', async () => {
    const wallet = await anActivePass(acme);
    const { updated } = await acme.update(SEPOLIA, wallet, { state: 'FROZEN', expiryTimestamp: inADay });
    expect(updated).toMatchObject({ state: 'FROZEN', expiryTimestamp: inADay, onChainState: 'ACTIVE' });
    const frozen = await last(wallet, until('TOKEN_FROZEN'));
    expect(typesOf(frozen).slice(2)).toEqual([
      'TOKEN_EXPIRY_CHANGED_INITIATED',
      'TOKEN_EXPIRY_CHANGED',
      'TOKEN_FROZEN_INITIATED',
      'TOKEN_FROZEN',
    ]);
    expect(await tokensOf(wallet)).toMatchObject([{ state: 'FROZEN', expiry: inADay }]);
  });

  it('changes the expiry of a frozen pass only after it is unfrozen', async () => {
    const wallet = await anActivePass(acme);
    await acme.update(SEPOLIA, wallet, { state: 'FROZEN' });
    await last(wallet, until('TOKEN_FROZEN'));
    const sent = await transactionCount('sepolia');
    const { status, updated } = await acme.update(SEPOLIA, wallet, { expiryTimestamp: inADay });
    expect([status, updated]).toMatchObject([200, { state: 'FROZEN', expiryTimestamp: inADay }]);
    // This pass is later. When it is on chain, the change of the first pass has been processed.
    await anActivePass(acme);
    expect(await transactionCount('sepolia')).toBe(sent + 1);
    expect(await tokensOf(wallet)).toMatchObject([{ state: 'FROZEN', expiry: 0 }]);

    await acme.update(SEPOLIA, wallet, { state: 'ACTIVE' });
    await last(wallet, until('TOKEN_EXPIRY_CHANGED'));
    expect(await tokensOf(wallet)).toMatchObject([{ state: 'ACTIVE', expiry: inADay }]);
  });

  it('keeps the request to freeze a pass until its token is on chain', async () => {
    const wallet = aWallet();
    await withoutBlocks('sepolia', async () => {
      await acme.issue(SEPOLIA, wallet);
      await last(wallet, ({ events }) => events[0]?.transaction?.status === 'sent');
      const { status, updated } = await acme.update(SEPOLIA, wallet, { state: 'FROZEN' });
      expect([status, updated]).toMatchObject([200, { state: 'FROZEN', onChainState: 'NONE' }]);
      expect((await acme.fetch(SEPOLIA, wallet)).record).toMatchObject({ state: 'FROZEN', onChainState: 'NONE' });
    });
    const frozen = await last(wallet, until('TOKEN_FROZEN'));
    expect(frozen).toMatchObject({ state: 'FROZEN', onChainState: 'FROZEN' });
    expect(typesOf(frozen)).toEqual([
      'TOKEN_ISSUED_INITIATED',
      'TOKEN_ISSUED',
      'TOKEN_FROZEN_INITIATED',
      'TOKEN_FROZEN',
    ]);
    expect(await tokensOf(wallet)).toMatchObject([{ state: 'FROZEN' }]);
  });
});

describe('a repeated change', () => {
  const rowOf = (wallet: string) => env.DB.prepare('SELECT * FROM passes WHERE wallet = ?').bind(wallet).first();

  it('accepts a change to the current wanted state, and changes nothing', async () => {
    const wallet = await anActivePass(acme);
    await acme.update(SEPOLIA, wallet, { expiryTimestamp: inAnHour });
    const settled = await last(wallet, until('TOKEN_EXPIRY_CHANGED'));
    const row = await rowOf(wallet);
    const sent = await transactionCount('sepolia');
    for (const request of [
      { state: 'ACTIVE' },
      { expiryTimestamp: inAnHour },
      { state: 'ACTIVE', expiryTimestamp: inAnHour },
    ]) {
      const { status, updated } = await acme.update(SEPOLIA, wallet, request);
      expect([status, updated]).toEqual([200, settled]);
    }
    await anActivePass(acme);
    expect(await rowOf(wallet)).toEqual(row);
    expect(await transactionCount('sepolia')).toBe(sent + 1);
  });

  it('freezes a pass once for many simultaneous requests', async () => {
    const wallet = await anActivePass(acme);
    const sent = await transactionCount('sepolia');
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => acme.update(SEPOLIA, wallet, { state: 'FROZEN' })),
    );
    expect(answers.map(({ status, updated }) => `${status} ${updated.state}`)).toEqual(Array(20).fill('200 FROZEN'));
    const frozen = await last(wallet, until('TOKEN_FROZEN'));
    expect(typesOf(frozen).slice(2)).toEqual(['TOKEN_FROZEN_INITIATED', 'TOKEN_FROZEN']);
    expect(await transactionCount('sepolia')).toBe(sent + 1);
  });
});

it('accepts the wallet in any form, and returns its EIP-55 form', async () => {
  const wallet = await anActivePass(acme);
  const { updated } = await acme.update(SEPOLIA, wallet.toLowerCase(), { state: 'FROZEN' });
  expect(updated).toMatchObject({ walletAddress: wallet, state: 'FROZEN' });
  await last(wallet, until('TOKEN_FROZEN'));
});
