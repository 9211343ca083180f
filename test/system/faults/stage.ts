import type { JsonWebKey } from 'node:crypto';
import { startLocalnet } from '../../../localnet/localnet.ts';
import type { LocalnetFacts } from '../../../localnet/state/localnet-facts.ts';
import { openState } from '../../../localnet/state/state-folder.ts';
import { prepareDatabase } from '../../../localnet/worker.ts';
import { stopChildren } from '../../../scripts/child-process.ts';
import { type Asker, asker } from './asker.ts';
import { type FaultyNodes, startFaultyNodes } from './faulty-nodes.ts';
import { type MortalWorker, startMortalWorker } from './mortal-worker.ts';
import type { Random } from './random.ts';

/** The localnet, nodes that fail, a Worker that dies, and partners who ask it for passes. */
export interface Stage {
  readonly facts: LocalnetFacts & { readonly baseUrl: string };
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
  const [localnet] = await Promise.all([startLocalnet(), prepareDatabase(state.folder)]);
  const nodes = await startFaultyNodes(localnet.facts, random.fork());
  const worker = await startMortalWorker({ localnet: localnet.facts, state: state.folder, rpc: nodes.rpc });
  const facts = { ...localnet.facts, baseUrl: worker.baseUrl };
  return {
    facts,
    signingKey: localnet.signingKey,
    nodes,
    worker,
    asker: asker(facts),
    folder: state.folder,
    async close(keep) {
      await worker.stop();
      await Promise.all([nodes.stop(), localnet.stop()]);
      await stopChildren();
      if (!keep) state.close();
    },
  };
}
