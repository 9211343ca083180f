import { base58 } from '@scure/base';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { type ChainPort, pairAll, RpcFault } from '../../../src/chain/port.ts';
import { notNow } from '../../../src/chain/reasons.ts';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import type { Step } from '../../../src/pass/step.ts';
import { trackInFlight } from '../../../src/signer-object/confirm.ts';
import { RANK_MAX_STEPS } from '../../../src/signer-object/lanes.ts';
import { retryNow, stuckReasonFor } from '../../../src/signer-object/operator.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import { pauseSigner, signerMemory } from '../../../src/signer-object/signer.ts';
import { statusOf } from '../../../src/signer-object/status.ts';
import * as queries from '../../../src/signer-object/step-queries.ts';
import { whileMintReverts } from '../chain/ethereum/altered-mint.ts';
import { aStep, callSepolia, mine } from '../chain/ethereum/node.ts';
import { withoutBlocks } from '../http/node.ts';
import { reasonOf } from './send-step.ts';
import { withSigner } from './with-signer.ts';

/** The operator's view of a signer on the real node. */

const { ethereum: gatekeeper } = inject('localnet').gatekeeper;
const UNAUTHORIZED = 'the gatekeeper is not authorized on the gatekeeper network';
const aGatekeeperNetwork = () => base58.encode(crypto.getRandomValues(new Uint8Array(32)));

afterEach(async () => {
  vi.useRealTimers();
  await mine(4);
});

describe('a contract error that the service does not know', () => {
  it('reports an unknown contract error with its tries after ten tries over an hour, and logs it once', async () => {
    const lines: string[] = [];
    for (const level of ['error', 'log'] as const) {
      vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(line));
    }
    await withSigner('unknown-error', async (signer) => {
      const [step, other] = [aStep(), aStep()];
      addSteps(signer, [step, other]);
      const start = Date.now();
      vi.useFakeTimers({ toFake: ['Date'], now: start });
      const unknown = 'the contract answers an error that the service does not know: 0xdeadbeef';
      for (let tries = 1; tries <= 10; tries += 1) {
        // The arguments of the error do not matter: it counts as the same error.
        await whileMintReverts(`0xdeadbeef${String(tries).padStart(64, '0')}`, async () => {
          // A restart loses values that are only in memory.
          expect(
            await sendWaiting({
              ...signer,
              ...signerMemory(signer.storage, signer.name, signer.network, async () => []),
            }),
          ).toEqual([]);
        });
        expect(reasonOf(signer, step)).toMatch(tries < 10 ? /: 0xdeadbeef$/ : /\(10 tries since/);
        vi.setSystemTime(start + tries * 610_000);
      }
      const since = new Date(start).toISOString();
      for (const each of [step, other]) {
        expect(signer.steps.answerFor(each.id)?.status).toEqual({ type: 'waiting' });
        expect(reasonOf(signer, each)).toBe(`${unknown} (10 tries since ${since})`);
      }
      const logged = lines.filter((line) => line.includes('0xdeadbeef'));
      expect(logged.map((line) => JSON.parse(line))).toEqual([
        {
          event: 'signer.contract_error_unknown',
          error: unknown,
          signer: signer.name,
          step: step.id,
          code: 'unknown-contract-error',
        },
      ]);
    });
    vi.restoreAllMocks();
  });
});

describe('the reason why a step is not finished', () => {
  it('reports the reason for each stage of a step, from its signer to its end', async () => {
    await withoutBlocks('sepolia', () =>
      withSigner('followed', async (signer) => {
        const [step, behind] = [aStep(), aStep()];
        expect(reasonOf(signer, step)).toBe('the signer has not added the step yet');
        addSteps(signer, [step]);
        expect(reasonOf(signer, step)).toBe('the step waits for its turn');
        await sendWaiting({
          ...signer,
          chain: { ...signer.chain, broadcast: async (all) => pairAll(all, notNow('broadcast-refused', 'busy')) },
        });
        expect(reasonOf(signer, step)).toBe('a node refuses the transaction: busy');
        retryNow(signer, [{ id: step.id, gatekeeperNetwork: step.key.gatekeeperNetwork }]);
        await sendWaiting(signer);
        expect(reasonOf(signer, step)).toBe('sent, and in no block yet');
        await mine();
        await trackInFlight(signer);
        expect(reasonOf(signer, step)).toBe('confirmed, and its pass has not recorded it yet');
        // The signer cannot name a token that is not final.
        const freeze: Step = { ...behind, kind: 'freeze', key: step.key };
        addSteps(signer, [freeze]);
        await sendWaiting(signer);
        expect(reasonOf(signer, freeze)).toBe('the tokens of the wallet are not final yet');
        await mine(4);
        await trackInFlight(signer);
        expect(reasonOf(signer, step)).toBe('finished, and its pass has not recorded it yet');
      }),
    );
  });

  it('reports the pause of the lane of a step, or the pause of the whole signer', async () => {
    await withSigner('paused', async (signer) => {
      const step = aStep({ gatekeeperNetwork: aGatekeeperNetwork() });
      addSteps(signer, [step]);
      await sendWaiting(signer);
      expect(reasonOf(signer, step)).toBe(UNAUTHORIZED);
      pauseSigner(signer, { code: 'no-funds' });
      expect(reasonOf(signer, step)).toBe('the gatekeeper has no funds');
    });
  });

  it('is the same for the signer and for its steps, also between two tries', async () => {
    await withSigner('same', async (signer) => {
      const steps = [aStep({ gatekeeperNetwork: aGatekeeperNetwork() }), aStep()] as const;
      addSteps(signer, steps);
      await sendWaiting({ ...signer, chain: { ...signer.chain, broadcast: async () => [] } });
      const { key } = steps[0];
      const laneOf = ({ lanes }: Awaited<ReturnType<typeof statusOf>>) =>
        lanes.find(({ gatekeeperNetwork }) => gatekeeperNetwork === key.gatekeeperNetwork)?.paused?.why;
      // The pause is over, and the next try has not begun.
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 });
      expect([laneOf(await statusOf(signer, Date.now())), reasonOf(signer, steps[0])]).toEqual([
        UNAUTHORIZED,
        UNAUTHORIZED,
      ]);
      pauseSigner(signer, { code: 'nodes-unanswered' });
      vi.setSystemTime(Date.now() + 600_000);
      for (const step of steps) expect(reasonOf(signer, step)).toBe('the nodes do not answer');
      expect((await statusOf(signer, Date.now())).paused?.why).toBe('the nodes do not answer');
    });
  });

  it('reports a full lane when the lane of a step has no room', async () => {
    await withSigner('crowded', async (signer) => {
      const step = aStep();
      addSteps(
        signer,
        Array.from({ length: RANK_MAX_STEPS[1] }, () => aStep()),
      );
      expect(addSteps(signer, [step])).toEqual([]);
      expect(reasonOf(signer, step)).toBe('its lane is full');
    });
  });

  it('reports that a signer is not configured when no such signer exists', () => {
    const step = { id: 'x:1', gatekeeperNetwork: 'any' as GatekeeperNetwork, kind: 'issue', rank: 1 } as const;
    expect(stuckReasonFor(undefined, step, 0)).toEqual({
      code: 'not-configured',
      text: 'its network or key is not configured',
      partner: { code: 'paused', detail: 'The service has paused the change, and the operator can see why.' },
    });
  });
});

describe('the status of a signer', () => {
  it('shows waiting steps, transactions in flight, paused lanes, the next nonce and the balance', async () => {
    await withoutBlocks('sepolia', () =>
      withSigner('told', async (signer) => {
        const balance = BigInt(await callSepolia<string>('eth_getBalance', gatekeeper, 'latest')).toString();
        const nonce = Number(await callSepolia<string>('eth_getTransactionCount', gatekeeper, 'latest'));
        expect(await statusOf(signer, Date.now())).toEqual({
          balance,
          // No step has named a gatekeeper network yet.
          passesLeft: null,
          nextNonce: nonce,
          waiting: 0,
          waitingByRank: [0, 0, 0],
          inFlight: { unsent: 0, sent: 0, confirmed: 0 },
          oldestPending: null,
          paused: null,
          spending: { spent: '0', ceiling: expect.any(String), reserve: expect.any(String) },
          lanes: [],
          contracts: [],
        });

        const [first, second] = [aStep(), aStep()];
        const unauthorized = aStep({ gatekeeperNetwork: aGatekeeperNetwork() });
        addSteps(signer, [first, second, unauthorized]);
        const signedAt = Math.floor(Date.now() / 1000);
        await sendWaiting(signer);
        addSteps(signer, [aStep()]);
        const status = await statusOf(signer, Date.now() + 60_000);
        expect(status).toMatchObject({
          nextNonce: nonce + 2,
          waiting: 2,
          waitingByRank: [0, 2, 0],
          passesLeft: expect.any(Number),
          inFlight: { unsent: 0, sent: 2, confirmed: 0 },
          oldestPending: { step: first.id, nonce },
          paused: null,
        });
        expect(status.oldestPending?.since).toBeGreaterThanOrEqual(signedAt);
        expect(status.oldestPending?.ageSeconds).toBeGreaterThanOrEqual(59);
        const lanes = new Map(
          status.lanes.map(({ gatekeeperNetwork, waiting, paused }) => [gatekeeperNetwork, { waiting, paused }]),
        );
        expect(lanes.get(first.key.gatekeeperNetwork)).toEqual({ waiting: 1, paused: null });
        expect(lanes.get(unauthorized.key.gatekeeperNetwork)).toEqual({
          waiting: 1,
          paused: { code: 'not-authorized', why: UNAUTHORIZED, until: expect.any(Number) },
        });

        await mine();
        await trackInFlight(signer);
        expect(await statusOf(signer, Date.now())).toMatchObject({
          inFlight: { sent: 0, confirmed: 2 },
          oldestPending: null,
        });
      }),
    );
  });

  it('shows a pause until it ends, and longer while a step waits for its next try', async () => {
    await withSigner('resting', async (signer) => {
      pauseSigner(signer, { code: 'nodes-unanswered' });
      const later = Date.now() + 3_600_000;
      expect((await statusOf(signer, Date.now())).paused?.why).toBe('the nodes do not answer');
      expect((await statusOf(signer, later)).paused).toBeNull();
      addSteps(signer, [aStep()]);
      expect((await statusOf(signer, later)).paused?.why).toBe('the nodes do not answer');
    });
  });

  it.each<[string, ChainPort['account'], string]>([
    ['do not answer', () => Promise.reject(new RpcFault('every endpoint fails')), 'every endpoint fails'],
    [
      'give an unreadable answer',
      () => Promise.reject(new TypeError('https://key@node')),
      'the account cannot be read',
    ],
  ])('shows no balance when the nodes %s', async (_, account, why) => {
    await withSigner(
      'blind status',
      async (signer) => expect(await statusOf(signer, Date.now())).toMatchObject({ balance: null, why }),
      { chain: { account } },
    );
  });
});

it('returns the status after three seconds, without a balance, when the nodes hang', async () => {
  await withSigner(
    'hanging',
    async (signer) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const asked = statusOf(signer, Date.now());
      await vi.advanceTimersByTimeAsync(3_000);
      expect(await asked).toMatchObject({ balance: null, why: 'the nodes do not answer', waiting: 0 });
    },
    { chain: { account: () => new Promise(() => {}) } },
  );
});

it('tries postponed steps at once after a redrive, and ends the pause of their lane', async () => {
  await withSigner('hastened', async (signer, { sql }) => {
    const step = aStep({ gatekeeperNetwork: aGatekeeperNetwork() });
    addSteps(signer, [step]);
    await sendWaiting(signer);
    pauseSigner(signer, { code: 'nodes-unanswered' });
    const due = () => queries.waitingSteps(sql, signer.network, { ...step.key, rank: 1 }, Date.now(), 10);
    sql.exec('UPDATE step SET not_before = 9e15');
    expect(due()).toEqual([]);
    retryNow(signer, [{ id: step.id, gatekeeperNetwork: step.key.gatekeeperNetwork }]);
    expect(due()).toMatchObject([{ step: { id: step.id } }]);
    expect((await statusOf(signer, Date.now())).lanes).toMatchObject([{ paused: { until: 0 } }]);
    await sendWaiting(signer);
    // The cause remains, so the step waits again, longer than before.
    expect(reasonOf(signer, step)).toBe(UNAUTHORIZED);
  });
});

it('lists the passes of remembered steps in the order of their ids, page by page', async () => {
  await withSigner('remembering', async (signer) => {
    const steps = [aStep(), aStep(), aStep()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    addSteps(signer, steps.toReversed());
    const page = queries.passesWithSteps(signer.storage.sql, signer.network, '', 2);
    expect(page.map(({ key }) => key)).toEqual(steps.slice(0, 2).map(({ key }) => key));
    expect(
      queries.passesWithSteps(signer.storage.sql, signer.network, page.at(-1)?.id ?? '', 2).map(({ key }) => key),
    ).toEqual([steps[2]?.key]);
  });
});
