import { describe, expect, it, vi } from 'vitest';
import type { JsonRpc } from '../../../../src/chain/json-rpc.ts';
import { notNow, refused } from '../../../../src/chain/reasons.ts';
import { prepare } from '../../../../src/chain/solana/prepare.ts';
import { solanaRpc } from '../../../../src/chain/solana/rpc.ts';
import { secret } from '../../../../src/lib/secret.ts';
import type { OnChain } from '../../../../src/pass/pass.ts';
import type { Step } from '../../../../src/pass/step.ts';
import { broadcastAll, prepareAll } from '../ask.ts';
import { chain, findingOf, flown, issueAnother, issued, open, sightingOf, signed, tokenOf } from './issuing.ts';
import {
  addressOf,
  aStep,
  byGatekeeper,
  callDevnet,
  chainOf,
  change,
  devnet,
  freshWallet,
  makeSlotsByHand,
  untilConfirmed,
  untilFinal,
} from './node.ts';

/** Results of preparations on the localnet's node. */

makeSlotsByHand();

const found = (onChain: OnChain) => ({ type: 'found', onChain: { ...onChain, asOf: expect.any(Number) } });

describe('adoption on Solana', () => {
  it.each`
    deed         | code | state
    ${'froze'}   | ${1} | ${'FROZEN'}
    ${'revoked'} | ${2} | ${'REVOKED'}
  `('finds a token that somebody else $deed once that state is final', async ({ code, state }) => {
    const step = aStep();
    await issued(step);
    await byGatekeeper(await change(step, code));
    expect(await findingOf(step)).toMatchObject({ type: 'not-now', blocks: 'step' });
    await untilFinal();
    expect(await findingOf(step)).toEqual(found({ state }));
  });

  it.each([1, 4])('finds a token at index %d of the wallet’s addresses', async (index) => {
    const step = aStep();
    await issueAnother(step, index, 1_900_000_000);
    await untilFinal();
    expect(await findingOf(step)).toEqual(found({ state: 'ACTIVE', expiry: 1_900_000_000 }));
  });

  it('finds the active token when the wallet has several', async () => {
    const step = aStep();
    await issued(step);
    await byGatekeeper(await change(step, 2));
    await issueAnother(step, 1);
    await untilFinal();
    expect(await findingOf(step)).toEqual(found({ state: 'ACTIVE' }));
  });
});

describe('a node on Solana whose newest block is old', () => {
  it('a node whose newest block is old proves no existing token, and a new issuance is ready all the same', async () => {
    const known = aStep();
    await issued(known);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    try {
      const results = await prepareAll(chain, [known, aStep()], 0);
      expect(results).toMatchObject([{ type: 'not-now', blocks: 'step' }, { type: 'ready' }]);
    } finally {
      vi.useRealTimers();
    }
  });

  const STALE = notNow('nodes-behind');

  /** Prepares while the program refuses every simulation permanently. The node's state is that many slots old. */
  async function lookRefused(slotsBehind: number) {
    const { send, ...rest } = chainOf(devnet());
    const refusing: JsonRpc = async (calls) => {
      const answers = await send(calls);
      return answers.map((answer, index) => {
        if (calls[index]?.method !== 'simulateTransaction' || 'error' in answer) return answer;
        const { context, value } = answer.result as { context: { slot: number }; value: object };
        const { program } = rest;
        const error = { err: { InstructionError: [2, { Custom: 1 }] }, logs: [`Program ${program} failed: 0x1`] };
        return { result: { context: { ...context, slot: context.slot - slotsBehind }, value: { ...value, ...error } } };
      });
    };
    const { results } = await prepare({ ...rest, send: refusing, rpc: solanaRpc(refusing) }, [{ step: aStep() }], 0);
    return results[0]?.[1];
  }

  it('the refusal of a simulation is not believed while the clock of the node is old', async () => {
    expect(await lookRefused(0)).toMatchObject({ type: 'refused', reason: expect.stringContaining('InvalidOwner') });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * 86_400_000 });
    try {
      expect(await lookRefused(0)).toEqual(STALE);
    } finally {
      vi.useRealTimers();
    }
  });

  it('the refusal of a simulation is not believed from an endpoint that is behind the one with the clock', async () => {
    expect(await lookRefused(1_000)).toEqual(STALE);
  });
});

describe('the step set-expiry on Solana', () => {
  it('set-expiry changes the expiry of a confirmed token', async () => {
    const step = aStep({ expiry: 1_900_000_000 });
    await flown(step);
    const renewal: Step = { ...step, id: `${step.id}1`, kind: 'set-expiry', expiry: 2_100_000_000 };
    await flown(renewal);
    expect(await tokenOf(step)).toMatchObject({ state: 'ACTIVE', expiry: 2_100_000_000 });
  });

  it('set-expiry finds state NONE once the burn of its token is final', async () => {
    const step = aStep();
    await issued(step);
    await byGatekeeper(await change(step, undefined));
    const renewal: Step = { ...step, kind: 'set-expiry', expiry: 2_100_000_000 };
    expect(await findingOf(renewal)).toMatchObject({ type: 'not-now', blocks: 'step' });
    await untilFinal();
    expect(await findingOf(renewal)).toEqual(found({ state: 'NONE' }));
  });
});

it('a step waits when its token cannot be parsed, and the other steps of the batch are ready', async () => {
  const odd = aStep();
  const { address } = await addressOf(odd);
  const { program } = devnet().network;
  await callDevnet('localnet_setAccount', address, {
    lamports: 1_649_520,
    owner: program,
    data: btoa('what is this?'),
  });
  const results = await prepareAll(chain, [odd, aStep()], 0);
  expect(results).toMatchObject([{ type: 'not-now', blocks: 'step' }, { type: 'ready' }]);
});

describe('an address of a pass that somebody sent lamports to', () => {
  const occupy = async (step: Step, index: number) => {
    const { address } = await addressOf(step, index);
    await callDevnet('localnet_setAccount', address, {
      lamports: 1_000_000,
      owner: '11111111111111111111111111111111',
    });
  };

  it('an issuance takes the next address when somebody sent lamports to the first one', async () => {
    const step = aStep();
    await occupy(step, 0);
    const sent = await signed(step);
    await broadcastAll(chain, [sent]);
    await untilConfirmed();
    expect(await sightingOf(step, sent)).toMatchObject({ type: 'confirmed' });
    expect(await tokenOf(step, 1)).toMatchObject({ state: 'ACTIVE' });
    await untilFinal();
    expect(await prepareAll(chain, [step], 0)).toMatchObject([{ type: 'found' }]);
  });

  it('an issuance is refused when other accounts occupy all addresses of the pass', async () => {
    const step = aStep();
    for (const index of [0, 1, 2, 3, 4]) await occupy(step, index);
    expect(await prepareAll(chain, [step], 0)).toEqual([refused('addresses-occupied')]);
  });
});

describe('a step on Solana that cannot be sent', () => {
  it('a gatekeeper network that does not authorize the gatekeeper makes its own steps wait and no others', async () => {
    const results = await prepareAll(chain, [aStep({ gatekeeperNetwork: freshWallet() }), aStep()], 0);
    expect(results).toMatchObject([
      {
        type: 'not-now',
        blocks: 'lane',
        why: 'the gatekeeper is not authorized on the gatekeeper network',
      },
      { type: 'ready' },
    ]);
  });

  it('a gatekeeper network that is no public key makes its own steps wait and no others', async () => {
    const results = await prepareAll(chain, [aStep({ gatekeeperNetwork: 'acme' }), aStep()], 0);
    expect(results).toMatchObject([{ type: 'not-now', blocks: 'lane' }, { type: 'ready' }]);
  });

  it('an address without a program makes the whole signer wait', async () => {
    const nowhere = open({ network: { ...devnet().network, program: freshWallet() } });
    const results = await prepareAll(nowhere, [aStep()], 0);
    expect(results).toEqual([notNow('no-program')]);
  });

  it('an endpoint of the wrong cluster makes the preparation fail', async () => {
    const other = open({ network: { ...devnet().network, genesisHash: freshWallet() } });
    await expect(prepareAll(other, [aStep()], 0)).rejects.toThrow('another chain');
  });

  it.each`
    why                             | lamports
    ${'has nothing'}                | ${undefined}
    ${'has less than its own rent'} | ${800_000}
    ${'cannot pay for one token'}   | ${890_880 + 1_649_520}
  `('a gatekeeper that $why makes the whole signer wait', async ({ lamports }) => {
    const address = freshWallet();
    const owner = '11111111111111111111111111111111';
    await callDevnet('localnet_setAccount', address, lamports === undefined ? null : { lamports, owner });
    const poor = open({ gatekeeper: { address, key: secret(new Uint8Array(64)) } });
    // Not registered anywhere, because missing funds are reported first.
    const results = await prepareAll(poor, [aStep()], 0);
    expect(results).toMatchObject([{ type: 'not-now', blocks: 'signer', why: 'the gatekeeper has no funds' }]);
  });
});

describe('a change on chain between the read and the simulation', () => {
  /** Prepares a step, and runs other work before the simulation. */
  async function lookAfter(happens: () => Promise<unknown>, step: Step) {
    const { send, ...rest } = chainOf(devnet());
    const disturbed: JsonRpc = async (calls) => {
      if (calls.some(({ method }) => method === 'simulateTransaction')) await happens();
      return send(calls);
    };
    return (await prepare({ ...rest, send: disturbed, rpc: solanaRpc(disturbed) }, [{ step }], 0)).results[0]?.[1];
  }

  it('an issuance whose address is occupied before the simulation waits, and is ready the next time', async () => {
    const step = aStep();
    const { address } = await addressOf(step);
    const owner = '11111111111111111111111111111111';
    const occupy = () => callDevnet('localnet_setAccount', address, { lamports: 1_000_000, owner });
    expect(await lookAfter(occupy, step)).toMatchObject({ type: 'not-now', blocks: 'step' });
    expect(await prepareAll(chain, [step], 0)).toMatchObject([{ type: 'ready' }]);
  });

  it('an issuance waits when a token is issued before the simulation, and finds that token once it is final', async () => {
    const step = aStep();
    const sent = await signed(step);
    const happens = async () => {
      await broadcastAll(chain, [sent]);
      await untilConfirmed();
    };
    expect(await lookAfter(happens, step)).toMatchObject({
      type: 'not-now',
      blocks: 'step',
      why: 'the simulation failed: AccountAlreadyInitialized',
    });
    await untilFinal();
    expect(await prepareAll(chain, [step], 0)).toMatchObject([{ type: 'found' }]);
  });

  it.each`
    kind            | meanwhile
    ${'freeze'}     | ${1}
    ${'freeze'}     | ${2}
    ${'revoke'}     | ${2}
    ${'revoke'}     | ${undefined}
    ${'set-expiry'} | ${undefined}
  `('$kind waits when somebody else changes the token before the simulation', async ({ kind, meanwhile }) => {
    const step: Step = { ...aStep(), kind, expiry: kind === 'set-expiry' ? 2_000_000_000 : undefined };
    await issued({ ...step, kind: 'issue', expiry: undefined });
    const happens = async () => byGatekeeper(await change(step, meanwhile));
    expect(await lookAfter(happens, step)).toMatchObject({ type: 'not-now', blocks: 'step' });
    await untilFinal();
    expect(await findingOf(step)).toMatchObject({ type: 'found' });
  });
});
