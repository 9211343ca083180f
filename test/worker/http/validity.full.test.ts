import { describe, expect, it } from 'vitest';
import type { Chain } from '../../../src/network/network.ts';
import { newSandbox } from '../../../src/network/sandbox.ts';
import { unusedWallet } from '../../../src/network/wallet.ts';
import type { Api } from './api.ts';
import { aPartner } from './issuer.ts';
import { jsonOf } from './webhook-calls.ts';

/** Whether a pass is valid now, as its partner reads it. `test/worker/http/verify.test.ts` has the same rule for everybody. */

const NETWORKS: Readonly<Record<Chain, string>> = { ethereum: 'sepolia', solana: 'devnet' };

const aSandbox = () => aPartner({ gatekeeperNetwork: newSandbox() });
const nowIn = async (api: Api): Promise<number> => jsonOf(await api.call('GET', '/sandbox/clock')).now;

interface Shown {
  readonly valid: boolean;
  readonly validUntil?: number;
}

describe.each(Object.keys(NETWORKS) as Chain[])('a pass on %s', (chain) => {
  const network = NETWORKS[chain];
  const path = (wallet: string) => `/pass/${chain}/${network}/${wallet}`;

  /** Returns what GET and search show, which must be the same. */
  async function shownOf(api: Api, wallet: string): Promise<Shown> {
    const { valid, validUntil } = jsonOf(await api.call('GET', path(wallet))) as Shown;
    const { records } = jsonOf(await api.search({ filter: { walletAddress: wallet } })) as { records: Shown[] };
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({ valid });
    expect(records[0]?.validUntil).toBe(validUntil);
    return { valid, ...(validUntil !== undefined && { validUntil }) };
  }

  it('is valid from its confirmation until the second of its expiry, and its entity tag changes with that', async () => {
    const api = await aSandbox();
    const wallet = unusedWallet(chain);
    const expiryTimestamp = (await nowIn(api)) + 3_600;
    await api.issue(network, wallet, { expiryTimestamp });
    expect(jsonOf(await api.call('GET', path(wallet)))).toMatchObject({ valid: false });
    await api.watch(network, wallet, ({ onChainState }) => onChainState === 'ACTIVE');
    expect(await shownOf(api, wallet)).toEqual({ valid: true, validUntil: expiryTimestamp });
    await api.post('/sandbox/clock', { advanceSeconds: 3_000 });
    const known = { 'if-none-match': (await api.call('GET', path(wallet))).headers.get('etag') ?? '' };
    expect((await api.call('GET', path(wallet), { headers: known })).status).toBe(304);
    await api.post('/sandbox/clock', { advanceSeconds: 700 });
    expect((await api.call('GET', path(wallet), { headers: known })).status).toBe(200);
    expect(await shownOf(api, wallet)).toEqual({ valid: false, validUntil: expiryTimestamp });
  });

  it('without an expiry is valid until it is frozen, and never names a time', async () => {
    const api = await aSandbox();
    const wallet = unusedWallet(chain);
    await api.issue(network, wallet);
    await api.watch(network, wallet, ({ onChainState }) => onChainState === 'ACTIVE');
    expect(await shownOf(api, wallet)).toEqual({ valid: true });
    for (const [state, valid] of [
      ['FROZEN', false],
      ['ACTIVE', true],
      ['REVOKED', false],
    ] as const) {
      await api.update(network, wallet, { state });
      await api.watch(network, wallet, ({ onChainState }) => onChainState === state);
      expect(await shownOf(api, wallet)).toEqual({ valid });
    }
  });

  it('is not valid from the request to freeze it, and the events show no more than its last second', async () => {
    const api = await aSandbox();
    const wallet = unusedWallet(chain);
    const expiryTimestamp = (await nowIn(api)) + 3_600;
    await api.issue(network, wallet, { expiryTimestamp });
    await api.watch(network, wallet, ({ onChainState }) => onChainState === 'ACTIVE');
    await api.update(network, wallet, { state: 'FROZEN' });
    expect(await shownOf(api, wallet)).toMatchObject({ valid: false });
    await api.watch(network, wallet, ({ onChainState }) => onChainState === 'FROZEN');
    const { events } = jsonOf(await api.call('GET', '/events')) as {
      events: { type: string; data: { pass: Shown } }[];
    };
    const shown = events.map(({ type, data }) => [type, data.pass.valid, data.pass.validUntil]);
    expect(shown).toEqual([
      ['pass.issued', undefined, expiryTimestamp],
      ['pass.frozen', undefined, undefined],
    ]);
  });
});
