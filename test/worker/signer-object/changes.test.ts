import { afterEach, describe, expect, it } from 'vitest';
import type { Step } from '../../../src/pass/step.ts';
import { trackInFlight } from '../../../src/signer-object/confirm.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import type { Signer } from '../../../src/signer-object/signer.ts';
import { issued, mintAnother, tokensOf } from '../chain/ethereum/issuing.ts';
import { aStep, callSepolia, makeBlocksByHand, mine, minedOfGatekeeper } from '../chain/ethereum/node.ts';
import * as devnet from '../chain/solana/node.ts';
import { withSigner } from './with-signer.ts';

/** Changes of tokens through a signer, and the signer's answers. The test makes the blocks. */

const EXPIRY = 2_000_000_000;
const LATER = 2_100_000_000;

makeBlocksByHand();
// No transaction may be pending when the next signer starts with an empty store.
afterEach(() => mine(4));

/** Runs a step until it is confirmed. Returns its status and its block. */
async function confirmed(signer: Signer, step: Step, untilConfirmed: () => Promise<unknown>) {
  addSteps(signer, [step]);
  expect(await sendWaiting(signer)).toMatchObject([{ id: step.id }]);
  await untilConfirmed();
  await trackInFlight(signer);
  const entry = signer.steps.inFlight('confirmed', 100).find((each) => each.step.id === step.id);
  if (entry?.includedIn === undefined)
    throw new Error(`not confirmed: ${JSON.stringify(signer.steps.answerFor(step.id))}`);
  return { status: entry.answer.status, block: entry.includedIn.block };
}

describe('the status of a confirmed step', () => {
  it('reports the on-chain state of a confirmed step on Ethereum, and the block that shows it', async () => {
    await withSigner('changing', async (signer) => {
      const step = aStep({ expiry: EXPIRY });
      const issuance = await confirmed(signer, step, mine);
      expect(issuance.block).toBe(Number(await callSepolia<string>('eth_blockNumber')));
      const holding = (place: { block: number }, onChain: object) => ({
        type: 'confirmed',
        transaction: expect.stringMatching(/^0x/),
        onChain: { ...onChain, asOf: place.block },
      });
      expect(issuance.status).toMatchObject(holding(issuance, { state: 'ACTIVE', expiry: EXPIRY }));
      await mine(2);
      // The signer changes a token only when it knows that the mint is final.
      await trackInFlight(signer);

      const renewal: Step = {
        ...step,
        id: `${step.id}1`,
        kind: 'set-expiry',
        expiry: LATER,
        known: { state: 'ACTIVE', asOf: issuance.block },
      };
      const renewed = await confirmed(signer, renewal, mine);
      expect(renewed.status).toMatchObject(holding(renewed, { state: 'ACTIVE', expiry: LATER }));
      const freeze: Step = {
        ...step,
        id: `${step.id}2`,
        kind: 'freeze',
        expiry: undefined,
        known: { state: 'ACTIVE', asOf: renewed.block },
      };
      const frozen = await confirmed(signer, freeze, mine);
      expect(frozen.status).toMatchObject(holding(frozen, { state: 'FROZEN', expiry: LATER }));
      expect(frozen.block).toBeGreaterThan(renewed.block);
    });
  });

  it('reports the on-chain state of a confirmed step on Solana, and the slot that shows it', async () => {
    await withSigner(
      'changing on Solana',
      async (signer) => {
        const step = devnet.aStep({ expiry: EXPIRY });
        const issuance = await confirmed(signer, step, devnet.untilConfirmed);
        await devnet.untilFinal();
        const freeze: Step = {
          ...step,
          id: `${step.id}1`,
          kind: 'freeze',
          expiry: undefined,
          known: { state: 'ACTIVE', asOf: issuance.block },
        };
        const frozen = await confirmed(signer, freeze, devnet.untilConfirmed);
        expect([issuance.status, frozen.status]).toMatchObject([
          { type: 'confirmed', onChain: { state: 'ACTIVE', expiry: EXPIRY, asOf: issuance.block } },
          { type: 'confirmed', onChain: { state: 'FROZEN', expiry: EXPIRY, asOf: frozen.block } },
        ]);
        expect(frozen.block).toBeGreaterThan(issuance.block);
      },
      { on: devnet.devnet() },
    );
  });
});

describe('a wallet with two tokens', () => {
  it.each`
    kind        | between     | after
    ${'freeze'} | ${'ACTIVE'} | ${'FROZEN'}
    ${'revoke'} | ${'ACTIVE'} | ${'REVOKED'}
  `(
    'needs two steps to $kind two tokens: $between after the first, $after after the second',
    async ({ kind, between, after }) => {
      const issuance = aStep({ expiry: EXPIRY });
      await issued(issuance);
      await mintAnother(issuance, LATER);
      await mine(3);
      await withSigner(`two tokens: ${kind}`, async (signer) => {
        const first: Step = { ...issuance, id: `${issuance.id}1`, kind, expiry: undefined };
        const one = await confirmed(signer, first, mine);
        expect(one.status).toMatchObject({ onChain: { state: between, expiry: EXPIRY, asOf: one.block } });
        expect((await tokensOf(issuance)).map(({ state }) => state)).toEqual([between, after]);

        const second: Step = { ...first, id: `${issuance.id}2`, known: { state: 'ACTIVE', asOf: one.block } };
        const two = await confirmed(signer, second, mine);
        expect(two.status).toMatchObject({ onChain: { state: after, expiry: LATER, asOf: two.block } });
        expect((await tokensOf(issuance)).map(({ state }) => state)).toEqual([after, after]);

        await mine(2);
        await trackInFlight(signer);
        const before = await minedOfGatekeeper();
        const third: Step = { ...first, id: `${issuance.id}3`, known: { state: 'ACTIVE', asOf: two.block } };
        addSteps(signer, [third]);
        expect(await sendWaiting(signer)).toEqual([]);
        expect(signer.steps.answerFor(third.id)?.status).toMatchObject({ type: 'found', onChain: { state: after } });
        await mine();
        expect(await minedOfGatekeeper()).toBe(before);
      });
    },
  );
});

it('makes a step that is based on a newer block than the node has wait until the node has that block', async () => {
  const issuance = aStep();
  await issued(issuance);
  await withSigner('behind', async (signer, { sql }) => {
    const head = Number(await callSepolia<string>('eth_blockNumber'));
    const step: Step = {
      ...issuance,
      id: `${issuance.id}1`,
      kind: 'freeze',
      known: { state: 'ACTIVE', asOf: head + 1 },
    };
    addSteps(signer, [step]);
    expect(await sendWaiting(signer)).toEqual([]);
    expect(signer.steps.answerFor(step.id)?.status).toEqual({ type: 'waiting' });
    await mine();
    // Make the postponed step due.
    sql.exec('UPDATE step SET not_before = 0');
    expect(await sendWaiting(signer)).toMatchObject([{ id: step.id }]);
  });
});
