import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RpcFault } from '../../../../src/chain/port.ts';
import { chain, type Deed, issued, mintAnother, open, tokenData, tokenIdOf } from './issuing.ts';
import { aStep, byGatekeeper, mine, node, sepolia } from './node.ts';

/** What the chain is read to hold, on the real contract. Blocks are made by hand. */

beforeAll(() => node('evm_setIntervalMining', 0));
afterAll(() => node('evm_setIntervalMining', 1));

const headNumber = async () => Number(await node<string>('eth_blockNumber'));

describe('a pass is read as the newest confirmed block shows it', () => {
  it.each`
    deeds         | onChain
    ${[]}         | ${{ state: 'ACTIVE', expiry: 2_000_000_000 }}
    ${['freeze']} | ${{ state: 'FROZEN', expiry: 2_000_000_000 }}
    ${['revoke']} | ${{ state: 'REVOKED', expiry: 2_000_000_000 }}
    ${['burn']}   | ${{ state: 'NONE' }}
  `('after $deeds: $onChain', async ({ deeds, onChain }) => {
    const step = aStep({ expiry: 2_000_000_000 });
    await issued(step);
    for (const deed of deeds as Deed[]) await byGatekeeper(tokenData(deed, await tokenIdOf(step)));
    const head = await headNumber();
    expect(await chain.read([{ key: step.key }])).toEqual([{ type: 'read', onChain: { ...onChain, asOf: head } }]);
  });

  it('without an expiry where it never ends, and each in its place', async () => {
    const [one, none] = [aStep(), aStep()];
    await issued(one);
    const readings = await chain.read([{ key: none.key }, { key: one.key }]);
    expect(readings).toMatchObject([
      { onChain: { state: 'NONE' } },
      { onChain: { state: 'ACTIVE', expiry: undefined } },
    ]);
  });

  it('by the active one of several tokens', async () => {
    const step = aStep();
    await issued(step);
    await byGatekeeper(tokenData('freeze', await tokenIdOf(step)));
    await mintAnother(step, 2_000_000_000);
    expect(await chain.read([{ key: step.key }])).toMatchObject([
      { onChain: { state: 'ACTIVE', expiry: 2_000_000_000 } },
    ]);
  });

  it('no newer than transactions are confirmed', async () => {
    const patient = open({ network: { ...sepolia().network, confirmations: 3 } });
    const step = aStep();
    await issued(step);
    await byGatekeeper(tokenData('freeze', await tokenIdOf(step)));
    await mine();
    const head = await headNumber();
    expect(await patient.read([{ key: step.key }])).toMatchObject([{ onChain: { state: 'ACTIVE', asOf: head - 2 } }]);
    await mine();
    expect(await patient.read([{ key: step.key }])).toMatchObject([{ onChain: { state: 'FROZEN', asOf: head - 1 } }]);
  });
});

describe('nothing is read', () => {
  it('of a gatekeeper network without a slot; of the others it is', async () => {
    const readings = await chain.read([{ key: aStep({ gatekeeperNetwork: 'acme' }).key }, { key: aStep().key }]);
    expect(readings).toMatchObject([
      { type: 'unreadable', why: 'not a gatekeeper network' },
      { type: 'read', onChain: { state: 'NONE' } },
    ]);
  });

  it('where no contract is', async () => {
    const nowhere = open({ network: { ...sepolia().network, gateway: '0x000000000000000000000000000000000000dEaD' } });
    expect(await nowhere.read([{ key: aStep().key }])).toEqual([
      { type: 'unreadable', why: 'no contract at the configured address' },
    ]);
  });

  it('from an endpoint of another chain', async () => {
    const other = open({ network: { ...sepolia().network, chainId: 1 } });
    await expect(other.read([{ key: aStep().key }])).rejects.toThrow(RpcFault);
  });

  it('from a node that may be behind', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    try {
      expect(await chain.read([{ key: aStep().key }])).toEqual([
        { type: 'unreadable', why: 'the nodes may be behind the chain' },
      ]);
    } finally {
      vi.useRealTimers();
    }
  });
});
