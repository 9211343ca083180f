import { describe, expect, it, vi } from 'vitest';
import type { JsonRpc } from '../../../../src/chain/json-rpc.ts';
import { solanaRpc } from '../../../../src/chain/solana/calls.ts';
import { prepare } from '../../../../src/chain/solana/prepare.ts';
import { secret } from '../../../../src/lib/secret.ts';
import type { OnChain } from '../../../../src/pass/pass.ts';
import type { Step } from '../../../../src/pass/step.ts';
import { chain, findingOf, flown, issueAnother, issued, open, sightingOf, signed, tokenOf } from './issuing.ts';
import {
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

/** What a look finds, on the localnet's node. */

const found = (onChain: OnChain) => ({ type: 'found', onChain: { ...onChain, asOf: expect.any(Number) } });

describe('adoption', () => {
  it.each`
    deed         | code | state
    ${'froze'}   | ${1} | ${'FROZEN'}
    ${'revoked'} | ${2} | ${'REVOKED'}
  `('finds a token that somebody $deed, when that is final', async ({ code, state }) => {
    const step = aStep();
    await issued(step);
    await byGatekeeper(await change(step, code));
    expect(await findingOf(step)).toMatchObject({ type: 'not-now', keeps: 'step' });
    await untilFinal();
    expect(await findingOf(step)).toEqual(found({ state }));
  });

  it.each([1, 4])('finds a token at index %d, as the client of dApps does', async (index) => {
    const step = aStep();
    await issueAnother(step, index, 1_900_000_000);
    await untilFinal();
    expect(await findingOf(step)).toEqual(found({ state: 'ACTIVE', expiry: 1_900_000_000 }));
  });

  it('prefers the active one of several tokens', async () => {
    const step = aStep();
    await issued(step);
    await byGatekeeper(await change(step, 2));
    await issueAnother(step, 1);
    await untilFinal();
    expect(await findingOf(step)).toEqual(found({ state: 'ACTIVE' }));
  });
});

describe('a cluster that stands still, or a node that is behind', () => {
  it('is believed nothing that no transaction of ours brought about, and is sent to all the same', async () => {
    const known = aStep();
    await issued(known);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    try {
      const { results } = await chain.prepare([known, aStep()], 0);
      expect(results).toMatchObject([{ type: 'not-now', keeps: 'step' }, { type: 'ready' }]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a new expiry', () => {
  it('is set on a confirmed token', async () => {
    const step = aStep({ expiry: 1_900_000_000 });
    await flown(step);
    const renewal: Step = { ...step, id: `${step.id}1`, kind: 'set-expiry', expiry: 2_100_000_000 };
    await flown(renewal);
    expect(await tokenOf(step)).toMatchObject({ state: 'ACTIVE', expiry: 2_100_000_000 });
  });

  it('finds that the token was burned', async () => {
    const step = aStep();
    await issued(step);
    await byGatekeeper(await change(step, undefined));
    const renewal: Step = { ...step, kind: 'set-expiry', expiry: 2_100_000_000 };
    expect(await findingOf(renewal)).toMatchObject({ type: 'not-now', keeps: 'step' });
    await untilFinal();
    expect(await findingOf(renewal)).toEqual(found({ state: 'NONE' }));
  });
});

it('waits where a token is not understood, and the others of the look go on', async () => {
  const odd = aStep();
  const { address } = await addressOf(odd);
  const { program } = devnet().network;
  await node('localnet_setAccount', address, { lamports: 1_649_520, owner: program, data: btoa('what is this?') });
  const { results } = await chain.prepare([odd, aStep()], 0);
  expect(results).toMatchObject([{ type: 'not-now', keeps: 'step' }, { type: 'ready' }]);
});

describe('an address that somebody sent lamports to', () => {
  const occupy = async (step: Step, index: number) => {
    const { address } = await addressOf(step, index);
    await node('localnet_setAccount', address, { lamports: 1_000_000, owner: '11111111111111111111111111111111' });
  };

  it('keeps nobody from a pass: the next one is taken', async () => {
    const step = aStep();
    await occupy(step, 0);
    const sent = await signed(step);
    await chain.broadcast([sent]);
    await untilConfirmed();
    expect(await sightingOf(step, sent)).toMatchObject({ type: 'confirmed' });
    expect(await tokenOf(step, 1)).toMatchObject({ state: 'ACTIVE' });
    await untilFinal();
    expect((await chain.prepare([step], 0)).results).toMatchObject([{ type: 'found' }]);
  });

  it('does when all are taken', async () => {
    const step = aStep();
    for (const index of [0, 1, 2, 3, 4]) await occupy(step, index);
    expect((await chain.prepare([step], 0)).results).toEqual([
      { type: 'refused', reason: 'the addresses of the pass are occupied by other accounts' },
    ]);
  });
});

describe('what keeps a step from being sent', () => {
  it('a gatekeeper network in which the gatekeeper is none', async () => {
    const { results } = await chain.prepare([aStep({ gatekeeperNetwork: freshWallet() }), aStep()], 0);
    expect(results).toMatchObject([
      {
        type: 'not-now',
        keeps: 'gatekeeper-network',
        why: 'the gatekeeper is not authorized on the gatekeeper network',
      },
      { type: 'ready' },
    ]);
  });

  it('a gatekeeper network that is no public key', async () => {
    const { results } = await chain.prepare([aStep({ gatekeeperNetwork: 'acme' }), aStep()], 0);
    expect(results).toMatchObject([{ type: 'not-now', keeps: 'gatekeeper-network' }, { type: 'ready' }]);
  });

  it('an address where no program is', async () => {
    const nowhere = open({ network: { ...devnet().network, program: freshWallet() } });
    const { results } = await nowhere.prepare([aStep()], 0);
    expect(results).toEqual([{ type: 'not-now', why: 'no program at the configured address', keeps: 'signer' }]);
  });

  it('an endpoint of the wrong cluster', async () => {
    const other = open({ network: { ...devnet().network, genesisHash: freshWallet() } });
    await expect(other.prepare([aStep()], 0)).rejects.toThrow('another chain');
  });

  it.each`
    why                             | lamports
    ${'has nothing'}                | ${undefined}
    ${'has less than its own rent'} | ${800_000}
    ${'cannot pay for one token'}   | ${890_880 + 1_649_520}
  `('a gatekeeper that $why', async ({ lamports }) => {
    const address = freshWallet();
    const owner = '11111111111111111111111111111111';
    await node('localnet_setAccount', address, lamports === undefined ? null : { lamports, owner });
    const poor = open({ gatekeeper: { address, key: secret(new Uint8Array(64)) } });
    // Registered nowhere: the funds come first.
    const { results } = await poor.prepare([aStep()], 0);
    expect(results).toMatchObject([{ type: 'not-now', keeps: 'signer', why: 'the gatekeeper has no funds' }]);
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
    return (await prepare({ ...rest, send: disturbed, rpc: solanaRpc(disturbed) }, [step], 0)).results[0];
  }

  it('an address that is occupied meanwhile: another is taken with the next look', async () => {
    const step = aStep();
    const { address } = await addressOf(step);
    const owner = '11111111111111111111111111111111';
    const occupy = () => node('localnet_setAccount', address, { lamports: 1_000_000, owner });
    expect(await lookAfter(occupy, step)).toMatchObject({ type: 'not-now', keeps: 'step' });
    expect((await chain.prepare([step], 0)).results).toMatchObject([{ type: 'ready' }]);
  });

  it('a token that is issued meanwhile: it is found with a later look', async () => {
    const step = aStep();
    const sent = await signed(step);
    const happens = async () => {
      await chain.broadcast([sent]);
      await untilConfirmed();
    };
    expect(await lookAfter(happens, step)).toMatchObject({
      type: 'not-now',
      keeps: 'step',
      why: 'the trial failed: AccountAlreadyInitialized',
    });
    await untilFinal();
    expect((await chain.prepare([step], 0)).results).toMatchObject([{ type: 'found' }]);
  });

  it.each`
    kind            | meanwhile
    ${'freeze'}     | ${1}
    ${'freeze'}     | ${2}
    ${'revoke'}     | ${2}
    ${'revoke'}     | ${undefined}
    ${'set-expiry'} | ${undefined}
  `('a token that somebody changed: $kind waits, and fails nothing', async ({ kind, meanwhile }) => {
    const step: Step = { ...aStep(), kind, expiry: kind === 'set-expiry' ? 2_000_000_000 : undefined };
    await issued({ ...step, kind: 'issue', expiry: undefined });
    const happens = async () => byGatekeeper(await change(step, meanwhile));
    expect(await lookAfter(happens, step)).toMatchObject({ type: 'not-now', keeps: 'step' });
    await untilFinal();
    expect(await findingOf(step)).toMatchObject({ type: 'found' });
  });
});
