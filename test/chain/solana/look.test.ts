import type { Address } from '@solana/kit';
import { describe, expect, it, vi } from 'vitest';
import type { JsonRpc } from '../../../src/chain/json-rpc.ts';
import { solanaRpc } from '../../../src/chain/solana/calls.ts';
import { issue } from '../../../src/chain/solana/gateway.ts';
import { look } from '../../../src/chain/solana/look.ts';
import { secret } from '../../../src/lib/secret.ts';
import type { Step } from '../../../src/pass/step.ts';
import { chain, issued, open, sightingOf, signed, tokenOf } from './issuing.ts';
import {
  acting,
  addressOf,
  aStep,
  byGatekeeper,
  chainOf,
  change,
  devnet,
  freshWallet,
  node,
  untilConfirmed,
  untilFinal,
} from './node.ts';

/** What a look finds, on the world's node. */

describe('adoption', () => {
  it.each`
    deed         | code | state
    ${'froze'}   | ${1} | ${'FROZEN'}
    ${'revoked'} | ${2} | ${'REVOKED'}
  `('finds a token that somebody $deed, when that is final', async ({ code, state }) => {
    const step = aStep();
    await issued(step);
    await byGatekeeper(await change(step, code));
    expect((await chain.look([step], 0)).findings).toMatchObject([{ is: 'not-now', keeps: 'step' }]);
    await untilFinal();
    const { findings } = await chain.look([step], 0);
    expect(findings).toEqual([{ is: 'found', onChain: { state, expiry: undefined } }]);
  });

  it.each([1, 4])('finds a token at index %d, as the client of dApps does', async (index) => {
    const step = aStep();
    await byGatekeeper(
      issue(await acting(step), step.key.wallet as Address, await addressOf(step, index), 1_900_000_000),
    );
    await untilFinal();
    const { findings } = await chain.look([step], 0);
    expect(findings).toEqual([{ is: 'found', onChain: { state: 'ACTIVE', expiry: 1_900_000_000 } }]);
  });

  it('prefers the active one of several tokens', async () => {
    const step = aStep();
    await issued(step);
    await byGatekeeper(await change(step, 2));
    await byGatekeeper(issue(await acting(step), step.key.wallet as Address, await addressOf(step, 1), undefined));
    await untilFinal();
    const { findings } = await chain.look([step], 0);
    expect(findings).toEqual([{ is: 'found', onChain: { state: 'ACTIVE', expiry: undefined } }]);
  });
});

describe('a cluster that stands still, or a node that is behind', () => {
  it('is believed nothing that no transaction of ours brought about, and is sent to all the same', async () => {
    const known = aStep();
    await issued(known);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    try {
      const { findings } = await chain.look([known, aStep()], 0);
      expect(findings).toMatchObject([{ is: 'not-now', keeps: 'step' }, { is: 'ready' }]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a new expiry', () => {
  it('is set on a final token', async () => {
    const step = aStep({ expiry: 1_900_000_000 });
    const sent = await signed(step);
    await chain.broadcast([sent]);
    await untilConfirmed();
    const renewal: Step = { ...step, id: `${step.id}1`, kind: 'set-expiry', expiry: 2_100_000_000 };
    const early = await chain.look([renewal], 0);
    expect(early.findings).toEqual([{ is: 'not-now', why: 'what the chain shows is not final', keeps: 'step' }]);
    await untilFinal();
    const renewed = await signed(renewal);
    await chain.broadcast([renewed]);
    await untilConfirmed();
    expect(await sightingOf(renewal, renewed)).toMatchObject({
      is: 'confirmed',
      onChain: { state: 'ACTIVE', expiry: 2_100_000_000 },
    });
    expect(await tokenOf(step)).toMatchObject({ expiry: 2_100_000_000 });
    const never = await chain.look([{ ...renewal, expiry: undefined }], 0);
    expect(never.findings).toMatchObject([{ is: 'not-now' }]);
    await untilFinal();
    expect((await chain.look([{ ...renewal, expiry: undefined }], 0)).findings).toEqual([
      { is: 'refused', reason: 'an expiry cannot be cleared on this chain' },
    ]);
  });

  it('finds that the token was burned', async () => {
    const step = aStep();
    await issued(step);
    await byGatekeeper(await change(step, undefined));
    const renewal: Step = { ...step, kind: 'set-expiry', expiry: 2_100_000_000 };
    expect((await chain.look([renewal], 0)).findings).toMatchObject([{ is: 'not-now', keeps: 'step' }]);
    await untilFinal();
    expect((await chain.look([renewal], 0)).findings).toEqual([{ is: 'found', onChain: { state: 'NONE' } }]);
  });
});

it('waits where a token is not understood, and the others of the look go on', async () => {
  const odd = aStep();
  const { address } = await addressOf(odd);
  const { program } = devnet().network;
  await node('world_setAccount', address, { lamports: 1_649_520, owner: program, data: btoa('what is this?') });
  const { findings } = await chain.look([odd, aStep()], 0);
  expect(findings).toMatchObject([{ is: 'not-now', keeps: 'step' }, { is: 'ready' }]);
});

describe('an address that somebody sent lamports to', () => {
  const occupy = async (step: Step, index: number) => {
    const { address } = await addressOf(step, index);
    await node('world_setAccount', address, { lamports: 1_000_000, owner: '11111111111111111111111111111111' });
  };

  it('keeps nobody from a pass: the next one is taken', async () => {
    const step = aStep();
    await occupy(step, 0);
    const sent = await signed(step);
    await chain.broadcast([sent]);
    await untilConfirmed();
    expect(await sightingOf(step, sent)).toMatchObject({ is: 'confirmed' });
    expect(await tokenOf(step, 1)).toMatchObject({ state: 'ACTIVE' });
    await untilFinal();
    expect((await chain.look([step], 0)).findings).toMatchObject([{ is: 'found' }]);
  });

  it('does when all are taken', async () => {
    const step = aStep();
    for (const index of [0, 1, 2, 3, 4]) await occupy(step, index);
    expect((await chain.look([step], 0)).findings).toEqual([
      { is: 'refused', reason: 'the addresses of the pass are occupied by other accounts' },
    ]);
  });
});

describe('what keeps a step from being sent', () => {
  it('a gatekeeper network in which the gatekeeper is none', async () => {
    const { findings } = await chain.look([aStep({ gatekeeperNetwork: freshWallet() }), aStep()], 0);
    expect(findings).toMatchObject([
      { is: 'not-now', keeps: 'gatekeeper-network', why: 'the gatekeeper is not authorized on the gatekeeper network' },
      { is: 'ready' },
    ]);
  });

  it('a gatekeeper network that is no public key', async () => {
    const { findings } = await chain.look([aStep({ gatekeeperNetwork: 'acme' }), aStep()], 0);
    expect(findings).toMatchObject([{ is: 'not-now', keeps: 'gatekeeper-network' }, { is: 'ready' }]);
  });

  it('an address where no program is', async () => {
    const nowhere = open({ network: { ...devnet().network, program: freshWallet() } });
    const { findings } = await nowhere.look([aStep()], 0);
    expect(findings).toEqual([{ is: 'not-now', why: 'no program at the configured address', keeps: 'signer' }]);
  });

  it('an endpoint of another cluster', async () => {
    const other = open({ network: { ...devnet().network, genesisHash: freshWallet() } });
    await expect(other.look([aStep()], 0)).rejects.toThrow('another cluster');
  });

  it.each`
    why                             | lamports
    ${'has nothing'}                | ${undefined}
    ${'has less than its own rent'} | ${800_000}
    ${'cannot pay for one token'}   | ${890_880 + 1_649_520}
  `('a gatekeeper that $why', async ({ lamports }) => {
    const address = freshWallet();
    const owner = '11111111111111111111111111111111';
    await node('world_setAccount', address, lamports === undefined ? null : { lamports, owner });
    const poor = open({ gatekeeper: { address, key: secret(new Uint8Array(64)) } });
    // Registered nowhere: the funds come first.
    const { findings } = await poor.look([aStep()], 0);
    expect(findings).toMatchObject([{ is: 'not-now', keeps: 'signer', why: 'the gatekeeper has no funds' }]);
  });
});

describe('what happens between reading and trying', () => {
  /** Looks with something else going on before the trial. */
  async function lookAfter(happens: () => Promise<unknown>, step: Step) {
    const { send, ...rest } = chainOf(devnet());
    const disturbed: JsonRpc = async (calls) => {
      if (calls.some(({ method }) => method === 'simulateTransaction')) await happens();
      return send(calls);
    };
    return (await look({ ...rest, send: disturbed, rpc: solanaRpc(disturbed) }, [step], 0)).findings[0];
  }

  it('an address that is occupied meanwhile: another is taken with the next look', async () => {
    const step = aStep();
    const { address } = await addressOf(step);
    const owner = '11111111111111111111111111111111';
    const occupy = () => node('world_setAccount', address, { lamports: 1_000_000, owner });
    expect(await lookAfter(occupy, step)).toMatchObject({ is: 'not-now', keeps: 'step' });
    expect((await chain.look([step], 0)).findings).toMatchObject([{ is: 'ready' }]);
  });

  it('a token that is issued meanwhile: it is found with a later look', async () => {
    const step = aStep();
    const sent = await signed(step);
    const happens = async () => {
      await chain.broadcast([sent]);
      await untilConfirmed();
    };
    expect(await lookAfter(happens, step)).toMatchObject({
      is: 'not-now',
      keeps: 'step',
      why: 'the trial failed: AccountAlreadyInitialized',
    });
    await untilFinal();
    expect((await chain.look([step], 0)).findings).toMatchObject([{ is: 'found' }]);
  });
});
