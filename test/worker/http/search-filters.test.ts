import { describe, expect, it } from 'vitest';
import { newSandbox } from '../../../src/network/sandbox.ts';
import { unusedWallet } from '../../../src/network/wallet.ts';
import type { Answer } from './answer.ts';
import { aPartner, newGatekeeperNetwork } from './issuer.ts';
import { aWallet } from './wallets.ts';
import { jsonOf } from './webhook-calls.ts';

/** Searches by the beginning of a wallet, by validity and by expiry, with their orders, counts and costs. */

const walletsIn = ({ records }: Answer) => records.map(({ walletAddress }) => walletAddress);
const LIFETIME = 30 * 86_400;

/** Issues passes on the sandbox with these lifetimes in days; 0: they never expire. Returns the wallets. */
async function aSandboxWith(days: readonly number[]) {
  const api = await aPartner({ gatekeeperNetwork: newSandbox() });
  const now: number = jsonOf(await api.call('GET', '/sandbox/clock')).now;
  const wallets: string[] = [];
  for (const each of days) {
    const wallet = unusedWallet('ethereum');
    const expiry = each === 0 ? {} : { expiryTimestamp: now + each * 86_400 };
    const issued = await api.call('POST', '/pass/ethereum/sepolia', {
      body: JSON.stringify({ walletAddress: wallet, ...expiry }),
      headers: { 'content-type': 'application/json', prefer: 'wait=20' },
    });
    expect(issued.record.onChainState).toBe('ACTIVE');
    wallets.push(wallet);
  }
  return { api, now, wallets };
}

describe('validity and expiry', () => {
  it('finds valid, expired and soon expiring passes, soonest first, by the clock of the service', async () => {
    const { api, now, wallets } = await aSandboxWith([40, 0, 20, 30]);
    const [forty, never, twenty, thirty] = wallets;
    const find = async (filter: object) => walletsIn(await api.search({ filter }));
    expect(await find({ validity: 'valid' })).toEqual([twenty, thirty, forty, never]);
    expect(await find({ validity: 'expired' })).toEqual([]);
    expect(await find({ expiresBefore: now + LIFETIME })).toEqual([twenty]);
    expect(await find({ expiresBefore: now + LIFETIME + 1 })).toEqual([twenty, thirty]);

    const advanced = await api.post('/sandbox/clock', { advanceSeconds: LIFETIME - 10 });
    expect(advanced.status).toBe(200);
    await api.update('ethereum/sepolia', forty as string, { state: 'FROZEN' });
    expect(await find({ validity: 'expired' })).toEqual([twenty]);
    expect(await find({ validity: 'valid' })).toEqual([thirty, never]);
    expect(await find({ validity: 'valid', state: 'ACTIVE' })).toEqual([thirty, never]);
    expect(await find({ validity: 'valid', chain: { type: 'ethereum', network: 'mainnet' } })).toEqual([]);
    const answer = await api.search({ filter: { validity: 'expired' }, count: true });
    expect(jsonOf(answer)).toMatchObject({ records: [{ valid: false, state: 'ACTIVE' }], count: 1 });
  });

  it('has pages to the end, which a renewal does not repeat', async () => {
    const { api, now, wallets } = await aSandboxWith([1, 2, 3, 4, 5]);
    const first = await api.search({ filter: { validity: 'valid' }, limit: 2 });
    expect(walletsIn(first)).toEqual(wallets.slice(0, 2));
    await api.update('ethereum/sepolia', wallets[0] as string, { expiryTimestamp: now + 9 * 86_400 });
    const seen = walletsIn(first);
    for (let { next } = first.page; next !== undefined; ) {
      const page = await api.search({ filter: { validity: 'valid' }, limit: 2, after: next });
      seen.push(...walletsIn(page));
      ({ next } = page.page);
    }
    expect(new Set(seen)).toEqual(new Set(wallets));
  });
});

describe('the beginning of a wallet', () => {
  it('finds a wallet by six characters in any case, on each network, and of no other partner', async () => {
    const gatekeeperNetwork = newGatekeeperNetwork();
    const [api, other] = [await aPartner({ gatekeeperNetwork }), await aPartner()];
    const wallet = aWallet();
    for (const on of ['ethereum/sepolia', 'ethereum/baseSepolia']) await api.issue(on, wallet);
    await other.issue('ethereum/sepolia', wallet);
    const start = wallet.slice(0, 8);
    for (const walletPrefix of [
      start,
      start.toLowerCase(),
      `0X${start.slice(2).toUpperCase()}`,
      wallet.toLowerCase(),
    ]) {
      const found = await api.search({ filter: { walletPrefix }, count: true });
      expect(found.records.map(({ chain }) => chain.network)).toEqual(['baseSepolia', 'sepolia']);
      expect(found.records.every((record) => record.gatekeeperNetwork === gatekeeperNetwork)).toBe(true);
      expect(found.page).toEqual({ count: 2 });
    }
    const one = await api.search({ filter: { walletPrefix: start }, limit: 1 });
    const two = await api.search({ filter: { walletPrefix: start }, limit: 1, after: one.page.next });
    expect([one, two].map(({ records: [record] }) => record?.chain.network)).toEqual(['baseSepolia', 'sepolia']);
    expect((await api.search({ filter: { walletPrefix: start, state: 'FROZEN' } })).records).toEqual([]);
    const before = '0x0.0x0.ethereum.sepolia';
    expect((await api.search({ filter: { walletPrefix: wallet }, after: before })).records).toHaveLength(2);
    const further = { walletPrefix: `${wallet.slice(0, 20)}${wallet.at(20) === '0' ? '1' : '0'}` };
    expect((await api.search({ filter: further, after: before })).records).toEqual([]);
    expect(
      (await api.search({ filter: { walletPrefix: `${start}${wallet.slice(8, 9) === '0' ? '1' : '0'}` } })).records,
    ).toEqual([]);
  });
});

describe('the order and the count', () => {
  it('shows the oldest passes first, to the end', async () => {
    const api = await aPartner();
    const wallets = [aWallet(), aWallet(), aWallet()];
    for (const wallet of wallets) await api.issue('ethereum/sepolia', wallet);
    expect(walletsIn(await api.search({ order: 'oldest' }))).toEqual(wallets);
    const first = await api.search({ order: 'oldest', limit: 2, filter: { state: 'REQUESTED' } });
    const rest = await api.search({
      order: 'oldest',
      limit: 2,
      filter: { state: 'REQUESTED' },
      after: first.page.next,
    });
    expect([...walletsIn(first), ...walletsIn(rest)]).toEqual(wallets);
    expect(rest.page).toEqual({});
    expect((await api.search({ count: true, limit: 1 })).page).toMatchObject({ count: 3 });
    expect((await api.search({ count: true, filter: { state: 'FROZEN' } })).page).toEqual({ count: 0 });
  });
});
