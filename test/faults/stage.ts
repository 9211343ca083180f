import type { JsonWebKey } from 'node:crypto';
import { stopChildren } from '../../scripts/child-process.ts';
import { openState } from '../world/state-folder.ts';
import { prepareDatabase } from '../world/worker.ts';
import { startWorld } from '../world/world.ts';
import type { WorldFacts } from '../world/world-facts.ts';
import { type Asker, asker } from './asker.ts';
import { type FaultyNodes, startFaultyNodes } from './faulty-nodes.ts';
import { type MortalWorker, startMortalWorker } from './mortal-worker.ts';
import type { Random } from './random.ts';

/** The world, nodes that fail, a Worker that dies, and partners who ask it for passes. */
export interface Stage {
  readonly facts: WorldFacts & { readonly baseUrl: string };
  /** What the authorization server signs with. */
  readonly signingKey: JsonWebKey;
  readonly nodes: FaultyNodes;
  readonly worker: MortalWorker;
  readonly asker: Asker;
  /** Where everything is written. */
  readonly folder: string;
  /** @param keep Whether what was written stays, for a person to read. */
  close(keep: boolean): Promise<void>;
}

export async function openStage(random: Random): Promise<Stage> {
  const state = openState();
  const [world] = await Promise.all([startWorld(), prepareDatabase(state.folder)]);
  const nodes = await startFaultyNodes(world.facts, random.fork());
  const worker = await startMortalWorker({ world: world.facts, state: state.folder, rpc: nodes.rpc });
  const facts = { ...world.facts, baseUrl: worker.baseUrl };
  return {
    facts,
    signingKey: world.signingKey,
    nodes,
    worker,
    asker: asker(facts),
    folder: state.folder,
    async close(keep) {
      await worker.stop();
      await Promise.all([nodes.stop(), world.stop()]);
      await stopChildren();
      if (!keep) state.close();
    },
  };
}
