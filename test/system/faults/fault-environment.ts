import type { JsonWebKey } from 'node:crypto';
import { stopChildren } from '../../../terminal/child-process.ts';
import type { KmsServer } from '../../../tools/localnet/kms/server.ts';
import { startLocalnet } from '../../../tools/localnet/localnet.ts';
import type { LocalnetFacts } from '../../../tools/localnet/state/localnet-facts.ts';
import type { StateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { type FaultyNodes, startFaultyNodes } from './faulty-nodes.ts';
import { type FaultyReceiver, startFaultyReceiver } from './faulty-receiver.ts';
import { createModelClient, type ModelClient } from './model-client.ts';
import type { Random } from './random.ts';
import { type RestartableWorker, startRestartableWorker } from './restartable-worker.ts';

/** A localnet behind faulty nodes, a Worker that can be killed, a client for the partners' requests, and receivers of their events. */
export interface FaultEnvironment {
  readonly facts: LocalnetFacts & { readonly baseUrl: string };
  /** The signing key of the authorization server. */
  readonly signingKey: JsonWebKey;
  readonly nodes: FaultyNodes;
  /** Has the keys, if the environment was opened so. */
  readonly kms: KmsServer | undefined;
  readonly worker: RestartableWorker;
  readonly modelClient: ModelClient;
  /** The receivers of the partners' webhooks. One of them fails while a run says so. */
  readonly receivers: Readonly<Record<'steady' | 'failing', FaultyReceiver>>;
  /** The folder with logs and state. */
  readonly folder: string;
  /** @param keep Whether to keep the folder, so that somebody can read the logs. */
  close(keep: boolean): Promise<void>;
}

/**
 * Opens the environment in a state folder with a prepared database.
 * @param config Configuration of a built Worker.
 * @param options Whether the keys are in a KMS.
 */
export async function openFaultEnvironment(
  random: Random,
  state: StateFolder,
  config: string,
  { kms = false }: { readonly kms?: boolean } = {},
): Promise<FaultEnvironment> {
  const localnet = await startLocalnet({ kms });
  const nodes = await startFaultyNodes(localnet.facts, random.fork());
  const worker = await startRestartableWorker({
    localnet: localnet.facts,
    state: state.folder,
    rpc: nodes.rpc,
    config,
  });
  const facts = { ...localnet.facts, baseUrl: worker.baseUrl };
  const receivers = {
    steady: await startFaultyReceiver('steady', facts, random.fork()),
    failing: await startFaultyReceiver('failing', facts, random.fork()),
  };
  return {
    facts,
    signingKey: localnet.signingKey,
    nodes,
    kms: localnet.kms,
    worker,
    modelClient: createModelClient(facts),
    receivers,
    folder: state.folder,
    async close(keep) {
      await worker.stop();
      nodes.stop();
      for (const receiver of Object.values(receivers)) receiver.stop();
      await localnet.stop();
      await stopChildren();
      if (!keep) state.close();
    },
  };
}
