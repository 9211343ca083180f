import { expect, it, onTestFinished } from 'vitest';
import { Deliveries } from '../../../tools/localnet/commands/demo/deliveries.ts';
import { runPassLife } from '../../../tools/localnet/commands/demo/run-pass-life.ts';
import { LIFE_STAGES } from '../../../tools/localnet/partner/pass-life.ts';
import { startReceiver } from '../../../tools/localnet/webhook/receiver.ts';
import { ChainWitness } from '../chain-witness.ts';
import { expectCrowdOnEthereum } from './crowd.ts';
import { runGatepass } from './run-gatepass.ts';
import { expectWholeLife } from './whole-life.ts';

/** The life of a pass on nodes with the rules of Glamsterdam, whose state costs several times as much gas. */

const { facts, acme } = runGatepass({}, { hardfork: 'amsterdam' });
const chain = new ChainWitness(facts, () => acme().gatekeeperNetwork);

it('every stage of a pass takes one transaction, and the chain agrees with the record', () =>
  expectWholeLife(acme(), chain, 'sepolia'));

it('20 simultaneous issuances create 20 tokens with consecutive nonces', () =>
  expectCrowdOnEthereum(acme(), facts(), 20));

it('every stage of the demo has the expected result, and its event is delivered', async () => {
  const deliveries = new Deliveries();
  const receiver = await startReceiver((event) => deliveries.add(event));
  onTestFinished(() => receiver.stop());
  await receiver.register(facts());
  const outcomes = await runPassLife(facts(), 'baseSepolia', deliveries);
  expect(outcomes.map(({ isAsExpected }) => isAsExpected)).toEqual(LIFE_STAGES.map(() => true));
});
