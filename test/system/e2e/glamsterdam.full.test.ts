import { it } from 'vitest';
import { ChainWitness } from '../chain-witness.ts';
import { expectCrowdOnEthereum } from './crowd.ts';
import { expectDemoStages } from './demo-stages.ts';
import { runGatepass } from './run-gatepass.ts';
import { expectWholeLife } from './whole-life.ts';

/** The life of a pass on nodes with the rules of Glamsterdam, whose state costs several times as much gas. */

const { facts, acme } = runGatepass({}, { hardfork: 'amsterdam' });
const chain = new ChainWitness(facts, () => acme().gatekeeperNetwork);

it('every stage of a pass takes one transaction, and the chain agrees with the record', () =>
  expectWholeLife(acme(), chain, 'sepolia'));

it('20 simultaneous issuances create 20 tokens with consecutive nonces', () =>
  expectCrowdOnEthereum(acme(), facts(), 20));

it('every stage of the demo has the expected result, and its event is delivered', () =>
  expectDemoStages(facts(), 'baseSepolia'));
