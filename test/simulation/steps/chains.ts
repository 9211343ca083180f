import fc from 'fast-check';
import { FAULTS as ETHEREUM_FAULTS } from '../ethereum/faults.ts';
import { FAULTS as SOLANA_FAULTS } from '../solana/faults.ts';
import { type Kinds, kind, network } from './kind.ts';

/** The faults of chains, of their endpoints and of the KMS. */

export const CHAIN_STEPS: Kinds = {
  reorg: kind(
    { weight: 2 },
    [network, fc.integer({ min: 1, max: 2 }), fc.nat(1)],
    (on, blocks, drops) =>
      `${blocks} blocks leave ${on}, and their transactions ${drops ? 'are dropped' : 'wait again'}`,
    (world, on, blocks, drops) => {
      world.incidents.hasReorged = true;
      world.chains[on].reorganize(blocks, drops === 1);
    },
  ),
  forget: kind(
    { weight: 1, prompt: 3 },
    [network],
    (on) => `the nodes of ${on} forget what waits`,
    (world, on) => world.chains[on].forget(),
  ),
  price: kind(
    { weight: 2, on: 'sepolia' },
    [fc.constantFrom(1, 3, 10)],
    (gwei) => `gas costs ${gwei} gwei on sepolia`,
    (world, gwei) => {
      world.chains.sepolia.baseFee = BigInt(gwei) * 10n ** 9n;
    },
  ),
  lag: kind(
    { weight: 2 },
    [network, fc.nat(2), fc.nat(3)],
    (on, index, blocks) => `endpoint ${index} of ${on} is ${blocks} blocks behind`,
    (world, on, index, blocks) => {
      world.endpoints.delay(on, index, blocks);
    },
  ),
  silence: kind(
    { weight: 2 },
    [network, fc.nat(2)],
    (on, index) => `endpoint ${index} of ${on} does not answer`,
    (world, on, index) => world.endpoints.silence(on, index),
  ),
  speech: kind(
    { weight: 2 },
    [network, fc.nat(2)],
    (on, index) => `endpoint ${index} of ${on} answers again`,
    (world, on, index) => world.endpoints.unsilence(on, index),
  ),
  'ethereum-fault': kind(
    { weight: 2, on: 'sepolia' },
    [fc.nat(2), fc.constantFrom(...Object.keys(ETHEREUM_FAULTS))],
    (index, fault) => `endpoint ${index} of sepolia has the fault "${fault}"`,
    (world, index, fault) => {
      if (world.endpoints.hasOne) world.incidents.needsReconciliation = true;
      world.endpoints.alterSepolia(
        index,
        ETHEREUM_FAULTS[fault]?.(() => world.chance.draw(fault)),
      );
    },
  ),
  'lost index': kind(
    { weight: 2, late: 2, on: 'sepolia' },
    [fc.nat(2)],
    (index) => `endpoint ${index} of sepolia loses its index of transactions for good`,
    (world, index) => {
      world.incidents.hasLostIndex = true;
      world.endpoints.loseIndex(index);
    },
  ),
  'slow KMS': kind(
    { weight: 2, needsKms: true },
    [fc.constantFrom(100, 1_000, 4_000)],
    (ms) => `a signature of the KMS takes ${ms} ms`,
    (world, ms) => {
      world.kms.delayMs = ms;
    },
  ),
  'solana-fault': kind(
    { weight: 2, on: 'devnet' },
    [fc.nat(2), fc.constantFrom(...Object.keys(SOLANA_FAULTS))],
    (index, fault) => `endpoint ${index} of devnet has the fault "${fault}"`,
    (world, index, fault) => {
      if (world.endpoints.hasOne) world.incidents.needsReconciliation = true;
      world.endpoints.alterDevnet(
        index,
        SOLANA_FAULTS[fault]?.(() => world.chance.draw(fault)),
      );
    },
  ),
  truth: kind(
    { weight: 3 },
    [network],
    (on) => `the endpoints of ${on} have no fault`,
    (world, on) => world.endpoints.heal(on),
  ),
};
