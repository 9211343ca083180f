import fc from 'fast-check';
import type { Hex } from 'viem';
import { codeHashOf, IMPLEMENTATIONS } from '../world/chains.ts';
import { addressOfKey, gatekeeperOf } from '../world/gatekeepers.ts';
import { KMS_FAULTS, type KmsFault } from '../world/kms.ts';
import { askSigners, upgrade } from '../world/measures.ts';
import { type Kinds, kind, network } from './kind.ts';

/** Events that stop signers or hold their steps back: leaked keys, ceilings, replaced code, full blocks, a KMS, and a lost store. */

const contract = fc.nat(1);
const key = fc.nat(1);
const implementation = fc.nat(IMPLEMENTATIONS.length - 1);

export const SIGNER_STEPS: Kinds = {
  emergency: kind(
    { weight: 3 },
    [network, fc.constantFrom('nobody', '0', '0', '1'), fc.nat(1)],
    (on, leaked, asks) =>
      `an emergency names the key of ${leaked} on ${on} as leaked${asks ? ', and all signers are asked' : ''}`,
    (world, on, leaked, asks) => {
      const { deployment } = world;
      const address = leaked === 'nobody' ? [] : [addressOfKey(on, Number(leaked), deployment.hasKms)];
      deployment.deployEmergency(address);
      if (asks) askSigners(world);
    },
  ),
  ceiling: kind(
    { weight: 2 },
    [network, fc.constantFrom(1, 2, 4, 100_000)],
    (on, mints) => `a deployment has a daily ceiling of about ${mints} issuances on ${on}`,
    (world, on, mints) => {
      const coins = mints / 1_000;
      world.deployment.deploySettings(on, { dailyCeiling: coins * 1.5, dailyLaneCeiling: coins });
    },
  ),
  upgrade: kind(
    { weight: 3, late: 3, on: 'sepolia' },
    [contract, implementation],
    (which, code) => `a super admin gives contract ${which} the code ${code}`,
    (world, which, code) => upgrade(world, which, code),
  ),
  accept: kind(
    { weight: 2, on: 'sepolia' },
    [implementation],
    (code) => `a deployment accepts the code ${code}`,
    (world, code) => {
      world.incidents.codeChanged = true;
      world.deployment.deploySettings('sepolia', { codeHash: codeHashOf(code) });
    },
  ),
  'key used': kind(
    { weight: 3, on: 'sepolia' },
    [key, fc.constantFrom(1, 1, 2, 20)],
    (which, times) => `somebody else sends ${times} transactions with key ${which} on sepolia`,
    (world, which, times) => {
      world.incidents.hasUsedKey = true;
      const own: Hex = gatekeeperOf(which, world.deployment.hasKms);
      for (let n = 0; n < times; n += 1) world.chains.sepolia.byOthers(own, own, '0x');
    },
  ),
  'lost store': kind(
    { weight: 1 },
    [network, fc.nat(1)],
    (on, index) => `the signer ${index} on ${on} loses its store`,
    (world, on, index) => world.crashes.loseStore(on, index),
  ),
  room: kind(
    { weight: 3 },
    [network, fc.constantFrom(0, 0, 1, 100)],
    (on, transactions) => `blocks of ${on} have room for ${transactions} transactions of nodes`,
    (world, on, transactions) => {
      world.chains.room[on] = transactions;
    },
  ),
  'gas price': kind(
    { weight: 3, on: 'sepolia' },
    [fc.constantFrom(1, 5, 50, 400, 1_500)],
    (gwei) => `gas costs ${gwei} gwei on sepolia`,
    (world, gwei) => {
      world.chains.sepolia.baseFee = BigInt(gwei) * 10n ** 9n;
    },
  ),
  'KMS fault': kind(
    { weight: 3, needsKms: true },
    [fc.constantFrom('none', ...KMS_FAULTS)],
    (fault) => `the KMS has the fault "${fault}"`,
    (world, fault) => {
      world.kms.fault = fault === 'none' ? undefined : (fault as KmsFault);
    },
  ),
};
