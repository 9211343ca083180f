import { callData } from '../ethereum/gateway-contract.ts';
import { codeHashOf, IMPLEMENTATIONS, implementationOf } from './chains.ts';
import { CONTRACTS, SUPER_ADMIN } from './gatekeepers.ts';
import { rebuild } from './restored-database.ts';
import { NIGHTLY, runSchedule } from './schedules.ts';
import type { World } from './world.ts';

/** The operator's measures that hold work back, and their end. */

/** Asks all signers as `npm run emergency` does after it has changed a list. */
export const askSigners = ({ requests }: World) => requests.ask('operator', 'GET', '/admin/signers');

/** Replaces the code of a contract. */
export function upgrade({ chains, incidents }: World, contract: number, implementation: number): void {
  incidents.codeChanged = true;
  const { address = SUPER_ADMIN } = IMPLEMENTATIONS[implementation] ?? {};
  chains.sepolia.byOthers(SUPER_ADMIN, CONTRACTS[contract] ?? SUPER_ADMIN, callData('upgradeTo', address));
}

/** No key is compromised, the usual ceilings count, all contracts have accepted code, and the reconciliation repairs changed rows. */
export async function endOperatorsMeasures(world: World): Promise<void> {
  const { deployment, incidents, chains, networks } = world;
  if ((deployment.emergencies.at(-1)?.addresses.length ?? 0) > 0) {
    deployment.deployEmergency([]);
    askSigners(world);
  }
  if (incidents.codeChanged) {
    // A change of code may still wait for its block.
    await world.pass(BLOCK_SECONDS);
    // A contract of the build SlimGateway never has other code, and refuses an upgrade.
    const accepted = CONTRACTS.map((each) => implementationOf(chains, each)).find((each) => each >= 0) ?? 0;
    upgrade(world, 1, accepted);
    deployment.deploySettings('sepolia', { codeHash: codeHashOf(accepted) });
  }
  if (incidents.restores.some(({ rebuiltAt }) => rebuiltAt === Number.POSITIVE_INFINITY)) await rebuild(world);
  if (deployment.settingsChanged)
    for (const network of networks)
      deployment.deploySettings(network, { dailyCeiling: undefined, dailyLaneCeiling: undefined });
  // A new store does not know how to replace what the lost one has sent, and starts when no transaction of the key waits.
  if (incidents.hasLostStore) chains.sepolia.baseFee = LOW_PRICE;
  if (incidents.needsReconciliation) {
    runSchedule(world.platform, NIGHTLY);
    await world.pass(RECONCILED_SECONDS);
  }
}

const BLOCK_SECONDS = 15;
/** A reconciliation has read the few passes of a world by then. */
const RECONCILED_SECONDS = 45;

/** The price of gas (wei) at the beginning of a world. */
const LOW_PRICE = 10n ** 9n;

/** docs/operators/runbook/a-step-is-held.md: the operator redrives its pass when the cause is gone. */
export const redriveHeldSteps = ({ requests }: World) =>
  requests.ask('operator', 'POST', '/admin/redrive', { all: 'stuck', olderThan: 0 });
