import { describe, expect, it, vi } from 'vitest';
import { RpcFault } from '../../../../src/chain/port.ts';
import { readAll } from '../ask.ts';
import { chain, type Deed, issued, mintAnother, open, tokenData, tokenIdOf } from './issuing.ts';
import { aStep, byGatekeeper, callSepolia, makeBlocksByHand, mine, sepolia } from './node.ts';

/** Readings of the real contract. The test makes the blocks. */

makeBlocksByHand();

const headNumber = async () => Number(await callSepolia<string>('eth_blockNumber'));

describe('reading a pass on Ethereum', () => {
  it.each`
    deeds         | onChain
    ${[]}         | ${{ state: 'ACTIVE', expiry: 2_000_000_000 }}
    ${['freeze']} | ${{ state: 'FROZEN', expiry: 2_000_000_000 }}
    ${['burn']}   | ${{ state: 'NONE' }}
  `('reads $onChain after $deeds, as of the newest confirmed block', async ({ deeds, onChain }) => {
    const step = aStep({ expiry: 2_000_000_000 });
    await issued(step);
    for (const deed of deeds as Deed[]) await byGatekeeper(tokenData(deed, await tokenIdOf(step)));
    const head = await headNumber();
    expect(await readAll(chain, [step])).toEqual([{ type: 'read', onChain: { ...onChain, asOf: head } }]);
  });

  it('reads a revocation that is not known only as of a final block', async () => {
    const step = aStep({ expiry: 2_000_000_000 });
    await issued(step);
    await byGatekeeper(tokenData('revoke', await tokenIdOf(step)));
    expect(await readAll(chain, [step])).toEqual([{ type: 'not-final' }]);
    await mine(4);
    const onChain = { state: 'REVOKED', expiry: 2_000_000_000 };
    expect(await readAll(chain, [step])).toMatchObject([{ type: 'read', onChain }]);
  });

  it('reads no expiry of a token that never expires, and answers in the order of the questions', async () => {
    const [one, none] = [aStep(), aStep()];
    await issued(one);
    const readings = await readAll(chain, [none, one]);
    expect(readings).toMatchObject([
      { onChain: { state: 'NONE' } },
      { onChain: { state: 'ACTIVE', expiry: undefined } },
    ]);
  });

  it('reads the active token when the wallet has several', async () => {
    const step = aStep();
    await issued(step);
    await byGatekeeper(tokenData('freeze', await tokenIdOf(step)));
    await mintAnother(step, 2_000_000_000);
    expect(await readAll(chain, [step])).toMatchObject([{ onChain: { state: 'ACTIVE', expiry: 2_000_000_000 } }]);
  });

  it('reads a change only at the confirmation depth of the network', async () => {
    const patient = open({ network: { ...sepolia().network, confirmations: 3 } });
    const step = aStep();
    await issued(step);
    await byGatekeeper(tokenData('freeze', await tokenIdOf(step)));
    await mine();
    const head = await headNumber();
    expect(await readAll(patient, [step])).toMatchObject([{ onChain: { state: 'ACTIVE', asOf: head - 2 } }]);
    await mine();
    expect(await readAll(patient, [step])).toMatchObject([{ onChain: { state: 'FROZEN', asOf: head - 1 } }]);
  });
});

describe('a pass on Ethereum that cannot be read', () => {
  it('cannot read a pass of a gatekeeper network without a slot, and reads the other passes', async () => {
    const readings = await readAll(chain, [aStep({ gatekeeperNetwork: 'acme' }), aStep()]);
    expect(readings).toMatchObject([
      { type: 'unreadable', why: 'not a gatekeeper network' },
      { type: 'read', onChain: { state: 'NONE' } },
    ]);
  });

  it('cannot read a pass when no contract is at its address', async () => {
    const nowhere = aStep({ contract: '0x000000000000000000000000000000000000dEaD' });
    expect(await readAll(chain, [nowhere])).toEqual([
      { type: 'unreadable', why: 'no contract exists at the address of its contract', isUnanswered: true },
    ]);
  });

  it('cannot read a pass from an endpoint with another chain id', async () => {
    const other = open({ network: { ...sepolia().network, chainId: 1 } });
    await expect(readAll(other, [aStep()])).rejects.toThrow(RpcFault);
  });

  it('cannot read a pass from nodes that may be behind the chain', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    try {
      expect(await readAll(chain, [aStep()])).toEqual([
        { type: 'unreadable', why: 'the nodes may be behind the chain' },
      ]);
    } finally {
      vi.useRealTimers();
    }
  });
});
