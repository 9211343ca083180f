import type { Address } from '@solana/kit';
import { describe, expect, it, vi } from 'vitest';
import { RpcFault } from '../../../../src/chain/port.ts';
import { chain, issueAnother, issued, open } from './issuing.ts';
import { addressOf, aStep, byGatekeeper, change, devnet, freshWallet, node, rpc, untilConfirmed } from './node.ts';

/** What the chain is read to hold, on the localnet's node. */

const slot = async () => Number(await rpc().getSlot({ commitment: 'confirmed' }).send());

describe('a pass is read as the confirmed chain shows it', () => {
  it.each`
    deed         | code         | onChain
    ${'nothing'} | ${'none'}    | ${{ state: 'ACTIVE', expiry: 2_000_000_000 }}
    ${'freeze'}  | ${1}         | ${{ state: 'FROZEN', expiry: 2_000_000_000 }}
    ${'revoke'}  | ${2}         | ${{ state: 'REVOKED', expiry: 2_000_000_000 }}
    ${'burn'}    | ${undefined} | ${{ state: 'NONE' }}
  `('after $deed: $onChain', async ({ code, onChain }) => {
    const step = aStep({ expiry: 2_000_000_000 });
    await issued(step);
    if (code !== 'none') await byGatekeeper(await change(step, code));
    const before = await slot();
    const [reading] = await chain.read([{ key: step.key }]);
    const after = await slot();
    expect(reading).toEqual({ type: 'read', onChain: { ...onChain, asOf: expect.any(Number) } });
    if (reading?.type !== 'read') throw new Error('not read');
    const { asOf = 0 } = reading.onChain;
    expect(asOf >= before && asOf <= after).toBe(true);
  });

  it('without an expiry where it never ends, and each in its place', async () => {
    const [one, none] = [aStep(), aStep()];
    await issueAnother(one, 0);
    await untilConfirmed();
    const readings = await chain.read([{ key: none.key }, { key: one.key }]);
    expect(readings).toMatchObject([
      { onChain: { state: 'NONE' } },
      { onChain: { state: 'ACTIVE', expiry: undefined, foreign: undefined } },
    ]);
  });

  it('by the active one of several tokens', async () => {
    const step = aStep();
    await issued(step);
    await byGatekeeper(await change(step, 1));
    await issueAnother(step, 1, 2_000_000_000);
    expect(await chain.read([{ key: step.key }])).toMatchObject([
      { onChain: { state: 'ACTIVE', expiry: 2_000_000_000 } },
    ]);
  });
});

describe('nothing is read', () => {
  it('of a gatekeeper network that is no public key; of the others it is', async () => {
    const readings = await chain.read([{ key: aStep({ gatekeeperNetwork: 'acme' }).key }, { key: aStep().key }]);
    expect(readings).toMatchObject([
      { type: 'unreadable', why: 'not a gatekeeper network' },
      { type: 'read', onChain: { state: 'NONE' } },
    ]);
  });

  it('of a token that is not understood; of the others it is', async () => {
    const odd = aStep();
    const { address } = await addressOf(odd);
    const owner = devnet().network.program as Address;
    await node('localnet_setAccount', address, { lamports: 1_649_520, owner, data: btoa('what is this?') });
    expect(await chain.read([{ key: odd.key }, { key: aStep().key }])).toMatchObject([
      { type: 'unreadable', why: 'the account of a token cannot be read' },
      { type: 'read' },
    ]);
  });

  it('where no program is: that is not the same as no token', async () => {
    const step = aStep();
    await issued(step);
    const nowhere = open({ network: { ...devnet().network, program: freshWallet() } });
    const why = 'no program at the configured address';
    expect(await nowhere.read([{ key: step.key }])).toEqual([{ type: 'unreadable', why }]);
    const { results } = await nowhere.prepare([{ ...step, kind: 'freeze' }], 0);
    expect(results).toEqual([{ type: 'not-now', why, keeps: 'signer' }]);
  });

  it('from an endpoint of another cluster', async () => {
    const other = open({ network: { ...devnet().network, genesisHash: freshWallet() } });
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
