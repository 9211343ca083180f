import type { TestProject } from 'vitest/node';
import type {} from '../provided.ts';
import { workerVariables } from './worker.ts';
import { startWorld } from './world.ts';

/** Runs the outside world while the tests in the Worker runtime run. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const world = await startWorld();
  provide('environment', workerVariables(world.facts, world.facts.rpc));
  provide('world', world.facts);
  return () => world.stop();
}
