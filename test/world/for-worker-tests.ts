import type { TestProject } from 'vitest/node';
import type { LentWorld } from '../provided.ts';
import { GATEKEEPERS } from './ethereum-gatekeepers.ts';
import { SOLANA_GATEKEEPERS } from './solana/gatekeepers.ts';
import { startSpecialIssuer } from './special-issuer.ts';
import { workerVariables } from './worker.ts';
import { startWorld } from './world.ts';

/** Runs the outside world while the tests in the Worker runtime run, once for each file of those that run together. */
export default async function setup({ config, provide }: TestProject): Promise<() => Promise<void>> {
  const worlds = await Promise.all(Array.from({ length: Number(config.maxWorkers) }, () => startWorld()));
  const special = await startSpecialIssuer();
  // The second key of each chain gets a pass only where a test asks for it.
  const RETIRED_GATEKEEPERS = [GATEKEEPERS[1], SOLANA_GATEKEEPERS[1]].join(' ');
  const lent = ({ facts }: (typeof worlds)[number]): LentWorld => ({
    world: facts,
    environment: { ...workerVariables(facts, facts.rpc, 2), RETIRED_GATEKEEPERS },
  });
  provide('worlds', worlds.map(lent));
  provide('specialIssuer', special.issuer);
  return async () => {
    special.stop();
    await Promise.all(worlds.map((world) => world.stop()));
  };
}
