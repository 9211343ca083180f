import type { TestProject } from 'vitest/node';
import type {} from '../provided.ts';
import { startSpecialIssuer } from './special-issuer.ts';
import { workerVariables } from './worker.ts';
import { startWorld } from './world.ts';

/** Runs the outside world while the tests in the Worker runtime run. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const world = await startWorld();
  const special = await startSpecialIssuer();
  provide('environment', workerVariables(world.facts, world.facts.rpc));
  provide('world', world.facts);
  provide('specialIssuer', special.issuer);
  return async () => {
    special.stop();
    await world.stop();
  };
}
