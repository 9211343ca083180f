import type { JsonWebKey } from 'node:crypto';
import { startLocalnet } from './localnet.ts';
import type { LocalnetFacts } from './state/localnet-facts.ts';
import { lockStateFolder } from './state/state-lock.ts';
import { demandPort, prepareDatabase, startWorker, type Worker } from './worker.ts';

/** The Worker and the localnet around it. */
export interface Gatepass {
  /** Everything about both: `baseUrl` is there. */
  readonly facts: LocalnetFacts & { readonly baseUrl: string };
  readonly worker: Worker;
  /** What the authorization server signs with. */
  readonly signingKey: JsonWebKey;
  stop(): Promise<void>;
}

interface GatepassOptions {
  /** Folder for all that is written. */
  readonly folder: string;
  /** Whether `prepareDatabase` has prepared the database in the folder. */
  readonly hasDatabase?: boolean;
  /** Whether the folder serves again, so that the chains are kept in it too. */
  readonly keepChains?: boolean;
  readonly port?: number | undefined;
  /** URLs by network that the Worker uses instead of the localnet's nodes; or who stands in front of those. */
  readonly rpc?: Endpoints | ((nodes: LocalnetFacts['rpc']) => Promise<Endpoints>);
  /** Of the Worker, beside those that it always has. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  readonly onLine?: (line: string) => void;
  readonly solanaProgram?: string | undefined;
  readonly onNodeEnd?: (network: string) => void;
}

type Endpoints = Readonly<Record<string, string>>;

/** Starts the localnet and, in it, the Worker: on ports that are free, unless one is named for the Worker. */
export async function startGatepass({
  folder,
  hasDatabase = false,
  keepChains = false,
  port,
  ...options
}: GatepassOptions): Promise<Gatepass> {
  if (port !== undefined) await demandPort(port);
  const { solanaProgram, onNodeEnd, rpc, variables, onLine } = options;
  if (keepChains) await lockStateFolder(folder);
  const [localnet] = await Promise.all([
    startLocalnet({ state: keepChains ? folder : undefined, solanaProgram, ...(onNodeEnd && { onNodeEnd }) }),
    hasDatabase || prepareDatabase(folder),
  ]);
  const endpoints = typeof rpc === 'function' ? await rpc(localnet.facts.rpc) : rpc;
  const worker = await startWorker({
    localnet: localnet.facts,
    state: folder,
    port,
    rpc: endpoints,
    variables,
    onLine,
  });
  return {
    facts: withWorker(localnet.facts, worker),
    worker,
    signingKey: localnet.signingKey,
    async stop() {
      await worker.stop();
      await localnet.stop();
    },
  };
}

/** The facts of a localnet in which this Worker runs. */
export function withWorker(localnet: LocalnetFacts, { baseUrl, state, pids }: Worker): Gatepass['facts'] {
  return { baseUrl, state, ...localnet, pids: { ...localnet.pids, ...pids } };
}
