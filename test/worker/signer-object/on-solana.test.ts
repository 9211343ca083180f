import { runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { Address } from '@solana/kit';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { type ChainPort, RpcFault } from '../../../src/chain/port.ts';
import { readAccounts } from '../../../src/chain/solana/rpc.ts';
import { signerNameOf } from '../../../src/config/signers.ts';
import type { Step } from '../../../src/pass/step.ts';
import { trackInFlight } from '../../../src/signer-object/confirm.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { rebroadcast } from '../../../src/signer-object/recover.ts';
import { readTotals, type StoredTransaction } from '../../../src/signer-object/schema.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import { pauseOf, resumeSigner, type Signer } from '../../../src/signer-object/signer.ts';
import { eventually } from '../../eventually.ts';
import { asking } from '../chain/a-step.ts';
import { alteredNodes, altering, HONEST } from '../chain/altered-nodes.ts';
import {
  addressOf,
  advance,
  anotherGatekeeper,
  aStep,
  callDevnet,
  devnet,
  makeSlotsByHand,
  rpc,
  untilConfirmed,
  untilFinal,
} from '../chain/solana/node.ts';
import { readBytes } from '../chain/solana/read-bytes.ts';
import { holdAlarms } from '../without-alarms.ts';
import { sentenceOf, withSigner } from './with-signer.ts';

/** A signer on a chain whose transactions have no nonces and expire after 150 blocks. */

makeSlotsByHand();

const { SIGNERS } = env as Env;
const DROP_ONE = { method: 'sendTransaction', times: 1, how: { drop: true } };

afterEach(() => callDevnet('localnet_heal'));

/** Runs the function with a signer on devnet, with overrides of its chain. */
const onSolana = <T>(
  name: string,
  part: (signer: Signer, storage: DurableObjectStorage) => Promise<T>,
  chain: Partial<ChainPort> = {},
) => withSigner(`solana-${name}`, part, { on: devnet(), chain });

/** Returns the price of a compute unit in signed bytes: the argument of SetComputeUnitPrice. */
function priceOf(signed: StoredTransaction | undefined): bigint {
  const data =
    signed && readBytes(signed).calls.find(({ data: [tag], accounts }) => tag === 3 && accounts.length === 0)?.data;
  return data === undefined ? 0n : new DataView(Uint8Array.from(data).buffer).getBigUint64(1, true);
}

/** Makes postponed steps due. */
function aMomentLater(sql: SqlStorage): void {
  sql.exec('UPDATE step SET not_before = 0');
}

/** Returns the number of tokens of a step's wallet. */
async function tokensOf(step: Step): Promise<number> {
  const addresses = await Promise.all([0, 1, 2, 3, 4].map((index) => addressOf(step, index)));
  const { accounts } = await readAccounts(
    rpc(),
    addresses.map(({ address }) => address),
    'confirmed',
  );
  return accounts.size;
}

describe('signed bytes on Solana', () => {
  it('stores the bytes before it broadcasts them, and broadcasts the same bytes again after a lost answer', async () => {
    const step = aStep();
    const lost: Partial<ChainPort> = { broadcast: () => Promise.reject(new RpcFault('lost')) };
    const stored = await onSolana(
      'crashing',
      async (signer) => {
        addSteps(signer, [step]);
        await expect(sendWaiting(signer)).rejects.toThrow('lost');
        const [entry] = signer.steps.inFlight('unsent', 10);
        return entry && (JSON.parse(JSON.stringify(entry.signed[0])) as StoredTransaction);
      },
      lost,
    );
    const { blockHeight } = await rpc().getEpochInfo({ commitment: 'confirmed' }).send();
    expect(stored?.lastValidBlockHeight).toBeGreaterThan(Number(blockHeight) + 100);
    await onSolana('crashing', async (signer) => {
      expect(await sendWaiting(signer)).toMatchObject([{ id: step.id }]);
      expect(signer.steps.answerFor(step.id)?.status).toEqual({ type: 'sent', transaction: stored?.identifier });
      expect(signer.steps.inFlight('sent', 10)).toMatchObject([{ signed: [stored] }]);
      await untilConfirmed();
      await trackInFlight(signer);
      expect(signer.steps.answerFor(step.id)?.status).toMatchObject({ type: 'confirmed' });
    });
  });

  it('broadcasts the bytes again until a block contains them', async () => {
    await onSolana('dropped', async (signer) => {
      const step = aStep();
      addSteps(signer, [step]);
      await callDevnet('localnet_fail', DROP_ONE);
      await sendWaiting(signer);
      await advance(20);
      await trackInFlight(signer);
      const sent = signer.steps.answerFor(step.id)?.status;
      expect(sent).toMatchObject({ type: 'sent' });
      await rebroadcast(signer);
      await untilConfirmed();
      await trackInFlight(signer);
      const confirmed = signer.steps.answerFor(step.id)?.status;
      expect(confirmed).toMatchObject({ type: 'confirmed', transaction: sent?.type === 'sent' && sent.transaction });
    });
  });
});

it('broadcasts the same bytes again after a fork dropped their block', async () => {
  await onSolana('forked', async (signer) => {
    const step = aStep();
    addSteps(signer, [step]);
    await sendWaiting(signer);
    await untilConfirmed();
    await trackInFlight(signer);
    const [confirmed] = signer.steps.inFlight('confirmed', 10);
    // This removes its block and the following ones, but not the block of its blockhash, so a block may include it
    // again.
    await callDevnet('localnet_rollBack', 5);
    await untilFinal();
    await trackInFlight(signer);
    const [unsent] = signer.steps.inFlight('unsent', 10);
    expect(unsent?.signed.map(({ bytes }) => bytes)).toEqual(confirmed?.signed.map(({ bytes }) => bytes));
    expect(await sendWaiting(signer)).toMatchObject([{ id: step.id }]);
    await untilFinal();
    await trackInFlight(signer);
    await trackInFlight(signer);
    expect(signer.steps.inFlight('confirmed', 10)).toEqual([]);
    expect(signer.steps.answerFor(step.id)?.status).toMatchObject({ type: 'confirmed' });
    expect(await tokensOf(step)).toBe(1);
  });
});

describe('a blockhash that is too old', () => {
  it('prepares and signs a step again only when its blockhash is too old', async () => {
    await onSolana('expired', async (signer, { sql }) => {
      const step = aStep({ expiry: 2_000_000_000 });
      addSteps(signer, [step]);
      await callDevnet('localnet_fail', DROP_ONE);
      await sendWaiting(signer);
      const [first] = signer.steps.inFlight('sent', 10);
      sql.exec('UPDATE step SET first_signed_at = first_signed_at - 90000');
      await advance(100);
      await trackInFlight(signer);
      expect(signer.steps.answerFor(step.id)?.status.type).toBe('sent');
      expect(await sendWaiting(signer)).toEqual([]);

      await callDevnet('localnet_expireBlockhashes');
      await trackInFlight(signer);
      expect(signer.steps.answerFor(step.id)?.status.type).toBe('waiting');
      expect(await sendWaiting(signer)).toEqual([]);
      aMomentLater(sql);
      expect(await sendWaiting(signer)).toMatchObject([{ id: step.id }]);
      const [second] = signer.steps.inFlight('sent', 10);
      expect(second?.signed).toHaveLength(1);
      expect(second?.signed[0]?.identifier).not.toBe(first?.signed[0]?.identifier);
      expect(second?.ineffectiveAttempts).toBe(0);
      await untilConfirmed();
      await trackInFlight(signer);
      expect(signer.steps.answerFor(step.id)?.status).toMatchObject({
        type: 'confirmed',
        transaction: second?.signed[0]?.identifier,
      });
      expect(await tokensOf(step)).toBe(1);
      // The metrics count from the first signature.
      expect(readTotals(signer.storage).confirmations.seconds).toBeGreaterThan(90);
    });
  });

  it('pays ten times as much after each transaction of a step that expires, up to the cap, and holds no step', async () => {
    const on = { ...devnet(), network: { ...devnet().network, minUnitPrice: 10_000, maxUnitPrice: 1_000_000 } };
    await withSigner(
      'solana-raised',
      async (signer, { sql }) => {
        const step = aStep();
        addSteps(signer, [step]);
        const prices: bigint[] = [];
        for (let times = 0; times < 5; times += 1) {
          await callDevnet('localnet_fail', DROP_ONE);
          aMomentLater(sql);
          expect(await sendWaiting(signer)).toHaveLength(1);
          prices.push(priceOf(signer.steps.inFlight('sent', 10)[0]?.signed[0]));
          await callDevnet('localnet_expireBlockhashes');
          await trackInFlight(signer);
        }
        expect(prices).toEqual([10_000n, 100_000n, 1_000_000n, 1_000_000n, 1_000_000n]);
      },
      { on },
    );
  });

  it('does not sign a step again when its transaction landed unobserved and its blockhash is too old', async () => {
    await onSolana('unseen', async (signer) => {
      const step = aStep();
      addSteps(signer, [step]);
      await sendWaiting(signer);
      await untilConfirmed();
      await callDevnet('localnet_expireBlockhashes');
      await advance(200);
      await trackInFlight(signer);
      expect(signer.steps.answerFor(step.id)?.status).toMatchObject({ type: 'confirmed' });
      expect(await tokensOf(step)).toBe(1);
    });
  });

  it('adopts a token that another issuer made before the step is signed again', async () => {
    await onSolana('overtaken', async (signer, { sql }) => {
      const step = aStep();
      addSteps(signer, [step]);
      await callDevnet('localnet_fail', DROP_ONE);
      await sendWaiting(signer);
      const other = { ...aStep({ expiry: 1_900_000_000 }), key: step.key };
      await onSolana('overtaking', async (second) => {
        addSteps(second, [other]);
        expect(await sendWaiting(second)).toHaveLength(1);
      });
      await untilFinal();
      await callDevnet('localnet_expireBlockhashes');
      await trackInFlight(signer);
      aMomentLater(sql);
      expect(await sendWaiting(signer)).toEqual([]);
      expect(signer.steps.answerFor(step.id)?.status).toEqual({
        type: 'found',
        onChain: { state: 'ACTIVE', expiry: 1_900_000_000, asOf: expect.any(Number) },
      });
    });
  });
});

describe('a daily ceiling on Solana', () => {
  const [NODE = ''] = devnet().endpoints.map((endpoint) => endpoint());
  const lying = altering('getMinimumBalanceForRentExemption', () => 0);
  afterEach(() => callDevnet('localnet_setRent', 6_960));

  it.each`
    perByte  | endpoints           | ceiling      | count | why
    ${696}   | ${[HONEST, HONEST]} | ${1_720_000} | ${10} | ${'both endpoints show the rent'}
    ${696}   | ${[HONEST]}         | ${1_720_000} | ${1}  | ${'the highest rent counts for one endpoint alone'}
    ${696}   | ${[lying]}          | ${1_720_000} | ${1}  | ${'the same if it lies'}
    ${6_960} | ${[lying, HONEST]}  | ${3_320_000} | ${2}  | ${'a rent of 0 is a lie of one endpoint'}
    ${6_960} | ${[HONEST, lying]}  | ${3_320_000} | ${2}  | ${'the same of the other'}
  `('of $ceiling pays for $count tokens at $perByte lamports per byte: $why', async (row) => {
    const { perByte, endpoints, ceiling, count } = row;
    await callDevnet('localnet_setRent', perByte);
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { gatekeeper } = await anotherGatekeeper(aStep().key.gatekeeperNetwork);
    const balance = async () =>
      Number(
        (
          await rpc()
            .getBalance(gatekeeper.address as Address, { commitment: 'confirmed' })
            .send()
        ).value,
      );
    const before = await balance();
    const on = { ...devnet(), gatekeeper, endpoints: alteredNodes(NODE, ...endpoints).urls };
    await withSigner(
      `solana-ceiling-${crypto.randomUUID()}`,
      async (signer) => {
        addSteps(
          signer,
          Array.from({ length: 12 }, () => aStep()),
        );
        expect(await sendWaiting(signer)).toHaveLength(count);
        await untilConfirmed();
        await trackInFlight(signer);
        expect(await sendWaiting(signer)).toEqual([]);
      },
      { on, ceilings: { dailyCeiling: ceiling, dailyLaneCeiling: ceiling } },
    );
    const spent = before - (await balance());
    expect(spent).toBeGreaterThan(count * 237 * perByte);
    expect(spent).toBeLessThanOrEqual(ceiling);
    vi.restoreAllMocks();
  });
});

it('sends as many steps as the gatekeeper can pay for, and sends the rest when it has funds', async () => {
  const { address } = devnet().gatekeeper;
  const owner = '11111111111111111111111111111111';
  const rich = Number(
    await rpc()
      .getBalance(address as Parameters<ReturnType<typeof rpc>['getBalance']>[0])
      .send()
      .then(({ value }) => value),
  );
  // Enough for the account's own rent, two tokens, and the fees of earlier tries.
  await callDevnet('localnet_setAccount', address, { lamports: 890_880 + 2 * (1_649_520 + 7_000), owner });
  try {
    await onSolana('poor', async (signer, _storage) => {
      const steps = [aStep(), aStep(), aStep()];
      addSteps(signer, steps);
      expect((await sendWaiting(signer)).map(({ id }) => id)).toEqual(steps.slice(0, 2).map(({ id }) => id));
      await untilConfirmed();
      await trackInFlight(signer);
      expect(steps.map(({ id }) => signer.steps.answerFor(id)?.status.type)).toEqual([
        'confirmed',
        'confirmed',
        'waiting',
      ]);
      resumeSigner(signer);
      expect(await sendWaiting(signer)).toEqual([]);
      expect(sentenceOf(pauseOf(signer, Date.now()))).toBe('the gatekeeper has no funds');
      await callDevnet('localnet_setAccount', address, { lamports: rich, owner });
      resumeSigner(signer);
      expect(await sendWaiting(signer)).toMatchObject([{ id: steps[2]?.id }]);
      await untilConfirmed();
      await trackInFlight(signer);
      expect(signer.steps.answerFor(steps[2]?.id ?? '')?.status.type).toBe('confirmed');
    });
  } finally {
    await callDevnet('localnet_setAccount', address, { lamports: rich, owner });
  }
});

it('sends 60 steps with at most seven requests, and confirms them', async () => {
  const signer = SIGNERS.getByName(signerNameOf(devnet()));
  const steps = Array.from({ length: 60 }, () => aStep());
  const releaseAlarms = holdAlarms();
  const requests = vi.spyOn(globalThis, 'fetch');
  const answers = await signer.submit(asking(...steps));
  expect(new Set(answers.map(({ status }) => status.type))).toEqual(new Set(['sent']));
  const toSend = requests.mock.calls.filter(([url]) => url === inject('localnet').rpc.devnet);
  // The reading, the simulation and the broadcast. The last two are too large for one request; the node reports that
  // once.
  expect(toSend.length).toBeLessThanOrEqual(7);
  requests.mockRestore();
  releaseAlarms();
  await untilConfirmed();
  await eventually(async () => {
    await runDurableObjectAlarm(signer);
    const later = await signer.submit(asking(...steps));
    expect(new Set(later.map(({ status }) => status.type))).toEqual(new Set(['confirmed']));
  });
  expect(await Promise.all(steps.map(tokensOf))).toEqual(steps.map(() => 1));
});
