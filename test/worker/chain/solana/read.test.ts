import type { Address } from '@solana/kit';
import { describe, expect, it, vi } from 'vitest';
import { RpcFault } from '../../../../src/chain/port.ts';
import { prepareAll, readAll } from '../ask.ts';
import { chain, issueAnother, issued, open } from './issuing.ts';
import {
  addressOf,
  aStep,
  byGatekeeper,
  callDevnet,
  change,
  devnet,
  freshWallet,
  makeSlotsByHand,
  rpc,
  untilConfirmed,
  untilFinal,
} from './node.ts';

/** Readings of the localnet's node. */

makeSlotsByHand();

const slot = async () => Number(await rpc().getSlot({ commitment: 'confirmed' }).send());

describe('reading a pass on Solana', () => {
  it.each`
    deed         | code         | onChain
    ${'nothing'} | ${'none'}    | ${{ state: 'ACTIVE', expiry: 2_000_000_000 }}
    ${'freeze'}  | ${1}         | ${{ state: 'FROZEN', expiry: 2_000_000_000 }}
    ${'burn'}    | ${undefined} | ${{ state: 'NONE' }}
  `('reads $onChain after $deed, as of a confirmed slot', async ({ code, onChain }) => {
    const step = aStep({ expiry: 2_000_000_000 });
    await issued(step);
    if (code !== 'none') await byGatekeeper(await change(step, code));
    const before = await slot();
    const [reading] = await readAll(chain, [step]);
    const after = await slot();
    expect(reading).toEqual({ type: 'read', onChain: { ...onChain, asOf: expect.any(Number) } });
    if (reading?.type !== 'read') throw new Error('not read');
    const { asOf = 0 } = reading.onChain;
    expect(asOf >= before && asOf <= after).toBe(true);
  });

  it('reads a revocation that is not known only as of a finalized slot', async () => {
    const step = aStep({ expiry: 2_000_000_000 });
    await issued(step);
    await byGatekeeper(await change(step, 2));
    expect(await readAll(chain, [step])).toEqual([{ type: 'not-final' }]);
    const onChain = { state: 'REVOKED', expiry: 2_000_000_000 };
    await untilFinal();
    expect(await readAll(chain, [step])).toMatchObject([{ type: 'read', onChain }]);
  });

  it('reads no expiry of a token that never expires, and answers in the order of the questions', async () => {
    const [one, none] = [aStep(), aStep()];
    await issueAnother(one, 0);
    await untilConfirmed();
    const readings = await readAll(chain, [none, one]);
    expect(readings).toMatchObject([
      { onChain: { state: 'NONE' } },
      { onChain: { state: 'ACTIVE', expiry: undefined, foreign: undefined } },
    ]);
  });

  it('reads the active token when the wallet has several', async () => {
    const step = aStep();
    await issued(step);
    await byGatekeeper(await change(step, 1));
    await issueAnother(step, 1, 2_000_000_000);
    expect(await readAll(chain, [step])).toMatchObject([{ onChain: { state: 'ACTIVE', expiry: 2_000_000_000 } }]);
  });
});

describe('a pass on Solana that cannot be read', () => {
  it('cannot read a pass of a gatekeeper network that is no public key, and reads the other passes', async () => {
    const readings = await readAll(chain, [aStep({ gatekeeperNetwork: 'acme' }), aStep()]);
    expect(readings).toMatchObject([
      { type: 'unreadable', why: 'not a gatekeeper network' },
      { type: 'read', onChain: { state: 'NONE' } },
    ]);
  });

  it('cannot read a pass whose token cannot be parsed, and reads the other passes', async () => {
    const odd = aStep();
    const { address } = await addressOf(odd);
    const owner = devnet().network.program as Address;
    await callDevnet('localnet_setAccount', address, { lamports: 1_649_520, owner, data: btoa('what is this?') });
    expect(await readAll(chain, [odd, aStep()])).toMatchObject([
      { type: 'unreadable', why: 'the account of a token cannot be read' },
      { type: 'read' },
    ]);
  });

  it('cannot read a pass when no program is at the configured address, which also makes the signer wait', async () => {
    const step = aStep();
    await issued(step);
    const nowhere = open({ network: { ...devnet().network, program: freshWallet() } });
    const why = 'no program at the configured address';
    expect(await readAll(nowhere, [step])).toEqual([{ type: 'unreadable', why, isUnanswered: true }]);
    const results = await prepareAll(nowhere, [{ ...step, kind: 'freeze' }], 0);
    expect(results).toEqual([{ type: 'not-now', code: 'no-program', why, blocks: 'signer', isUnanswered: true }]);
  });

  it('cannot read a pass from an endpoint of another cluster', async () => {
    const other = open({ network: { ...devnet().network, genesisHash: freshWallet() } });
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
