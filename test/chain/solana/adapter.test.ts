import { AccountRole, type Address, type Instruction } from '@solana/kit';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import type { JsonRpc } from '../../../src/chain/json-rpc.ts';
import type { Flight, Signed } from '../../../src/chain/port.ts';
import { solana } from '../../../src/chain/solana/adapter.ts';
import { readAccounts, solanaRpc } from '../../../src/chain/solana/calls.ts';
import { issue, readToken } from '../../../src/chain/solana/gateway.ts';
import { look } from '../../../src/chain/solana/look.ts';
import type { EnabledSolana } from '../../../src/config/enabled.ts';
import { secret } from '../../../src/lib/secret.ts';
import type { Step } from '../../../src/pass/step.ts';
import {
  acting,
  addressOf,
  advance,
  aStep,
  byGatekeeper,
  chainOf,
  devnet,
  freshWallet,
  node,
  rpc,
  untilConfirmed,
  untilFinal,
} from './node.ts';

/** The adapter on the world's node. */

const open = (overrides: Partial<EnabledSolana> = {}) => solana({ ...devnet(), ...overrides });
const chain = open();

afterEach(() => node('world_heal'));

async function signed(step: Step): Promise<Signed> {
  const { findings, terms } = await chain.look([step], 0);
  if (findings[0]?.is !== 'ready') throw new Error(`not ready: ${JSON.stringify(findings[0])}`);
  return chain.sign(findings[0].call, terms, undefined);
}

const flight = (step: Step, { identifier, lastValidBlockHeight }: Signed, place?: Flight['place']): Flight => ({
  step,
  identifiers: [identifier],
  lastValidBlockHeight,
  place,
});

async function sightingOf(step: Step, sent: Signed, place?: Flight['place']) {
  const [sighting] = await chain.track([flight(step, sent, place)]);
  return sighting;
}

/** Issues a token for the step's wallet and waits until it stays for ever. */
async function issued(step: Step): Promise<void> {
  const sent = await signed(step);
  await chain.broadcast([sent]);
  await untilFinal();
  expect(await sightingOf(step, sent)).toMatchObject({ is: 'confirmed' });
}

async function tokenOf(step: Step, index = 0) {
  const [account] = await readAccounts(rpc(), [(await addressOf(step, index)).address], 'confirmed');
  return account && { ...readToken(account.data), size: account.data.length };
}

/** SetState of the program: 0 active, 1 frozen, 2 revoked; Burn without a state. */
async function change(step: Step, state: 1 | 2 | undefined): Promise<Instruction> {
  const { gatekeeper, gatekeeperAccount, program } = await acting(step);
  return {
    programAddress: program,
    accounts: [
      { address: (await addressOf(step)).address, role: AccountRole.WRITABLE },
      { address: gatekeeper, role: AccountRole.READONLY_SIGNER },
      { address: gatekeeperAccount, role: AccountRole.READONLY },
      ...(state === undefined ? [{ address: gatekeeper, role: AccountRole.WRITABLE }] : []),
    ],
    data: Uint8Array.from(state === undefined ? [8] : [2, state]),
  };
}

describe('from look to final', () => {
  it('finds a fresh wallet ready, and its transaction unconfirmed, confirmed, standing, final', async () => {
    const step = aStep({ expiry: 2_000_000_000 });
    const sent = await signed(step);
    expect(sent.lastValidBlockHeight).toBeGreaterThan(0);
    expect(await sightingOf(step, sent)).toEqual({ is: 'unconfirmed' });
    expect(await chain.broadcast([sent])).toEqual([{ is: 'accepted' }]);
    await untilConfirmed();
    const sighting = await sightingOf(step, sent);
    expect(sighting).toMatchObject({
      is: 'confirmed',
      identifier: sent.identifier,
      onChain: { state: 'ACTIVE', expiry: 2_000_000_000 },
    });
    if (sighting?.is !== 'confirmed') throw new Error('not confirmed');
    expect(await sightingOf(step, sent, sighting.place)).toEqual({ is: 'standing' });
    expect(await tokenOf(step)).toEqual({ state: 'ACTIVE', expiry: 2_000_000_000, size: 109 });
    await untilFinal();
    expect(await sightingOf(step, sent, sighting.place)).toEqual({ is: 'final' });
    const { findings } = await chain.look([step], 0);
    expect(findings).toEqual([{ is: 'found', onChain: { state: 'ACTIVE', expiry: 2_000_000_000 } }]);
  });

  it('sees that a fork dropped a transaction only when the finalized chain is past it', async () => {
    const step = aStep();
    const sent = await signed(step);
    await chain.broadcast([sent]);
    await untilConfirmed();
    const sighting = await sightingOf(step, sent);
    if (sighting?.is !== 'confirmed') throw new Error('not confirmed');
    await node('world_rollBack', 12);
    expect(await sightingOf(step, sent, sighting.place)).toEqual({ is: 'standing' });
    await untilFinal();
    expect(await sightingOf(step, sent, sighting.place)).toEqual({ is: 'unconfirmed' });
    // The blockhash may have been on the lost fork: then the same bytes can never land.
    expect(await tokenOf(step)).toBeUndefined();
  });

  it('asks for the statuses of everything in flight in one request', async () => {
    const flights = Array.from({ length: 300 }, () => {
      const step = aStep();
      return { step, identifiers: [`${freshWallet()}${freshWallet()}`.slice(0, 87)], lastValidBlockHeight: 2 ** 40 };
    });
    await node('world_resetRequests');
    const requests = vi.spyOn(globalThis, 'fetch');
    const sightings = await open().track(flights);
    expect(requests.mock.calls.filter(([url]) => url === inject('world').rpc.devnet)).toHaveLength(1);
    requests.mockRestore();
    expect(new Set(sightings.map(({ is }) => is))).toEqual(new Set(['unconfirmed']));
    // 256 at most in a call.
    expect(await node('world_requests')).toMatchObject({ calls: { getSignatureStatuses: 2, getEpochInfo: 1 } });
  });
});

describe('a transaction that never lands', () => {
  it('has expired when its blockhash is too old, and not before', async () => {
    const step = aStep();
    const sent = await signed(step);
    await node('world_fail', { method: 'sendTransaction', times: 1, how: { drop: true } });
    expect(await chain.broadcast([sent])).toEqual([{ is: 'accepted' }]);
    // Too old for the newest block, but not yet as of the finalized one.
    await advance(165);
    expect(await sightingOf(step, sent)).toEqual({ is: 'unconfirmed' });
    await untilFinal();
    expect(await sightingOf(step, sent)).toEqual({ is: 'expired' });
    // Handed out again it stays outside.
    await chain.broadcast([sent]);
    await untilFinal();
    expect(await sightingOf(step, sent)).toEqual({ is: 'expired' });
    expect(await tokenOf(step)).toBeUndefined();
  });

  it('has not expired when it landed long ago: the history is asked first', async () => {
    const step = aStep();
    const sent = await signed(step);
    await chain.broadcast([sent]);
    await untilConfirmed();
    await node('world_expireBlockhashes');
    await advance(200);
    expect(await sightingOf(step, sent)).toMatchObject({ is: 'confirmed', identifier: sent.identifier });
  });

  it('had no effect when the program refused it, which counts when it is final', async () => {
    const step = aStep();
    const [first, second] = [await signed(step), await signed({ ...step, expiry: 2_000_000_000 })];
    await chain.broadcast([first]);
    await untilConfirmed();
    await chain.broadcast([second]);
    await untilConfirmed();
    expect(await sightingOf(step, second)).toEqual({ is: 'unconfirmed' });
    await untilFinal();
    expect(await sightingOf(step, second)).toEqual({ is: 'without-effect', identifier: second.identifier });
    expect(await sightingOf(step, first)).toMatchObject({ is: 'confirmed' });
    expect(await tokenOf(step)).toMatchObject({ expiry: undefined });
  });
});

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

describe('delivery', () => {
  it('takes the same bytes twice', async () => {
    const step = aStep();
    const sent = await signed(step);
    expect(await chain.broadcast([sent, sent])).toEqual([{ is: 'accepted' }, { is: 'accepted' }]);
    await untilConfirmed();
    expect(await chain.broadcast([sent])).toEqual([{ is: 'accepted' }]);
    await untilConfirmed();
    expect(await sightingOf(step, sent)).toMatchObject({ is: 'confirmed' });
  });

  it.each`
    err                          | delivery
    ${'AlreadyProcessed'}        | ${{ is: 'accepted' }}
    ${'InsufficientFundsForFee'} | ${{ is: 'no-funds' }}
    ${'AccountNotFound'}         | ${{ is: 'no-funds' }}
    ${'BlockhashNotFound'}       | ${{ is: 'refused' }}
  `('reads $err of a node that tries everything as $delivery.is', async ({ err, delivery }) => {
    const sent = await signed(aStep());
    const error = { code: -32002, message: 'Transaction simulation failed', data: { err, logs: [] } };
    await node('world_fail', { method: 'sendTransaction', times: 1, how: { error } });
    expect(await chain.broadcast([sent])).toMatchObject([delivery]);
  });

  it.each([-32_000, 403, -32_429])('goes on after an error that nobody knows: %d', async (code) => {
    const [first, second] = [await signed(aStep()), await signed(aStep())];
    const error = { code, message: 'what the node says' };
    await node('world_fail', { method: 'sendTransaction', times: 1, how: { error } });
    const deliveries = await chain.broadcast([first, second]);
    expect(deliveries).toEqual([{ is: 'refused', why: 'what the node says' }, { is: 'accepted' }]);
  });

  it('tells nothing of a node that does not answer', async () => {
    const sent = await signed(aStep());
    await node('world_fail', { times: 1, how: { http: 503 } });
    await expect(chain.broadcast([sent])).rejects.toThrow('HTTP 503');
  });
});
