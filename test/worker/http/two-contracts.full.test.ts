import { describe, expect, inject, it } from 'vitest';
import { slotOf } from '../../../src/network/slot.ts';
import { CIVIC_CONTRACT, defaultContract } from '../../default-contract.ts';
import { installSecondContract } from '../second-contract.ts';
import type { PassRecord } from './answer.ts';
import { Api, partner, register, seededPartner, tokenOf } from './api.ts';
import { callNodeOf, withoutBlocks } from './node.ts';
import { tokensOf, untilFinal } from './sepolia-contract.ts';
import { aWallet } from './wallets.ts';

/** A move: the passes of one gatekeeper network are in the first contract of a network, those of another in the second one. */

const SEPOLIA = 'ethereum/sepolia';
const EXPIRY = 2_000_000_000;
const LATER = 2_100_000_000;

await installSecondContract();
await register({ ...seededPartner('globex'), contracts: { sepolia: CIVIC_CONTRACT } });
const acme = await partner('acme');
const globex = new Api(await tokenOf('globex'));
const [ofAcme, ofGlobex] = (['acme', 'globex'] as const).map((name) => slotOf(seededPartner(name).gatekeeperNetwork));
const OURS = defaultContract({ network: 'sepolia' });

const both = <T>(run: (api: Api) => Promise<T>): Promise<[T, T]> => Promise.all([run(acme), run(globex)]);
const has =
  (eventType: string, times = 1) =>
  ({ events }: PassRecord) =>
    events.filter((event) => event.eventType === eventType).length >= times;

/** Returns the wallet's tokens of acme in its contract, and of globex in its own. Neither has one in the other's contract. */
async function tokensOfBoth(wallet: string) {
  expect(await tokensOf(wallet, CIVIC_CONTRACT, ofAcme as bigint)).toEqual([]);
  expect(await tokensOf(wallet, OURS, ofGlobex as bigint)).toEqual([]);
  const tokens = [
    ...(await tokensOf(wallet, OURS, ofAcme as bigint)),
    ...(await tokensOf(wallet, CIVIC_CONTRACT, ofGlobex as bigint)),
  ];
  return tokens.map(({ state, expiry }) => [state, expiry]);
}

describe('a deployment with gatekeeper networks in two contracts of one network', () => {
  it('takes a pass of the same wallet in each contract through its whole life with one key', async () => {
    const wallet = aWallet();
    const issued = await both((api) => api.issue(SEPOLIA, wallet, { expiryTimestamp: EXPIRY }));
    expect(issued.map(({ record }) => record.contract)).toEqual([OURS, CIVIC_CONTRACT]);
    await both((api) => api.watch(SEPOLIA, wallet, has('TOKEN_ISSUED')));
    await untilFinal();
    expect(await tokensOfBoth(wallet)).toEqual([
      ['ACTIVE', EXPIRY],
      ['ACTIVE', EXPIRY],
    ]);

    await acme.update(SEPOLIA, wallet, { state: 'FROZEN' });
    await globex.update(SEPOLIA, wallet, { expiryTimestamp: LATER });
    await acme.watch(SEPOLIA, wallet, has('TOKEN_FROZEN'));
    await globex.watch(SEPOLIA, wallet, has('TOKEN_EXPIRY_CHANGED'));
    expect(await tokensOfBoth(wallet)).toEqual([
      ['FROZEN', EXPIRY],
      ['ACTIVE', LATER],
    ]);

    await acme.update(SEPOLIA, wallet, { state: 'ACTIVE' });
    await globex.update(SEPOLIA, wallet, { state: 'FROZEN' });
    await acme.watch(SEPOLIA, wallet, has('TOKEN_UNFROZEN'));
    await globex.watch(SEPOLIA, wallet, has('TOKEN_FROZEN'));
    expect(await tokensOfBoth(wallet)).toEqual([
      ['ACTIVE', EXPIRY],
      ['FROZEN', LATER],
    ]);
    await untilFinal();
    const synced = await both((api) => api.sync(SEPOLIA, wallet));
    expect(synced.map(({ record }) => record.onChainState)).toEqual(['ACTIVE', 'FROZEN']);

    await both((api) => api.revoke(SEPOLIA, wallet));
    const revoked = await both((api) => api.watch(SEPOLIA, wallet, has('TOKEN_REVOKED')));
    expect(await tokensOfBoth(wallet)).toEqual([
      ['REVOKED', EXPIRY],
      ['REVOKED', LATER],
    ]);
    const records = revoked.map((seen) => seen.at(-1) as PassRecord);
    expect(records.map(({ contract }) => contract)).toEqual([OURS, CIVIC_CONTRACT]);
    for (const { contract, events } of records)
      for (const { transaction } of events) {
        const sent = await callNodeOf<{ from: string; to: string }>(
          'sepolia',
          'eth_getTransactionByHash',
          transaction?.identifier,
        );
        expect(sent).toMatchObject({
          from: inject('localnet').gatekeeper.ethereum.toLowerCase(),
          to: contract.toLowerCase(),
        });
      }
  });

  it('signs issuances for both contracts in one run, with consecutive nonces', async () => {
    const wallets = Array.from({ length: 10 }, aWallet);
    const items = wallets.map((walletAddress) => ({ chain: { type: 'ethereum', network: 'sepolia' }, walletAddress }));
    await withoutBlocks('sepolia', async () => {
      for (const { status } of await both((api) => api.post('/passes', { items }))) expect(status).toBe(200);
    });
    await both((api) => Promise.all(wallets.map((wallet) => api.watch(SEPOLIA, wallet, has('TOKEN_ISSUED')))));
    for (const wallet of wallets)
      expect(await tokensOfBoth(wallet)).toEqual([
        ['ACTIVE', 0],
        ['ACTIVE', 0],
      ]);
  });
});
