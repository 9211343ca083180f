import type { JsonWebKey } from 'node:crypto';
import type { BuildName } from '../../ops/network/gateway-build.ts';
import type { KmsServer } from './kms/server.ts';
import { startLocalnet } from './localnet.ts';
import type { LocalnetFacts } from './state/localnet-facts.ts';
import type { Hardfork } from './state/node.ts';
import { lockStateFolder } from './state/state-lock.ts';
import { demandPort, prepareDatabase, startWorker, type Worker } from './worker.ts';

/** The Worker and its localnet. */
export interface Gatepass {
  /** The facts of both, with `baseUrl`. */
  readonly facts: LocalnetFacts & { readonly baseUrl: string };
  readonly worker: Worker;
  /** The signing key of the authorization server. */
  readonly signingKey: JsonWebKey;
  readonly kms: KmsServer | undefined;
  stop(): Promise<void>;
}

interface GatepassOptions {
  /** Folder for all state. */
  readonly folder: string;
  /** Whether `prepareDatabase` has prepared the database in the folder. */
  readonly hasDatabase?: boolean;
  /** Whether a later run uses the folder again, so that it holds the chains too. */
  readonly keepChains?: boolean;
  readonly port?: number | undefined;
  /** URLs by network that the Worker uses instead of the localnet's nodes, or proxies of those nodes. */
  readonly rpc?: Endpoints | ((nodes: LocalnetFacts['rpc']) => Promise<Endpoints>);
  /** More variables of the Worker. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Configuration of a built Worker, from `buildWorker`. */
  readonly config?: string;
  readonly onLine?: (line: string) => void;
  readonly solanaProgram?: string | undefined;
  /** The hardfork of the Ethereum nodes, which are hardhat's then; undefined: the one of anvil. */
  readonly hardfork?: Hardfork | undefined;
  /** The contract of Ethereum-type networks; undefined: the protocol's. */
  readonly contract?: BuildName | undefined;
  /** Whether there are no nodes, only the sandbox. */
  readonly sandbox?: boolean | undefined;
  /** Whether the Worker's keys are in a key management service. */
  readonly kms?: boolean | undefined;
  /** Number of gatekeeper keys on each chain. Default: 1. */
  readonly keys?: number | undefined;
  readonly onNodeEnd?: (network: string) => void;
}

type Endpoints = Readonly<Record<string, string | readonly string[]>>;

/** Starts the localnet and the Worker on free ports. A port for the Worker may be given. */
export async function startGatepass({
  folder,
  hasDatabase = false,
  keepChains = false,
  port,
  ...options
}: GatepassOptions): Promise<Gatepass> {
  if (port !== undefined) await demandPort(port);
  const { solanaProgram, hardfork, contract, sandbox, kms, keys, onNodeEnd, rpc, variables, config, onLine } = options;
  if (keepChains) await lockStateFolder(folder);
  const [localnet] = await Promise.all([
    startLocalnet({
      state: keepChains ? folder : undefined,
      solanaProgram,
      hardfork,
      contract,
      sandbox,
      kms,
      ...(onNodeEnd && { onNodeEnd }),
    }),
    hasDatabase || prepareDatabase(folder),
  ]);
  const endpoints = typeof rpc === 'function' ? await rpc(localnet.facts.rpc) : rpc;
  const worker = await startWorker({
    localnet: localnet.facts,
    state: folder,
    port,
    rpc: endpoints,
    keys,
    variables,
    config,
    onLine,
  });
  return {
    facts: withWorker(localnet.facts, worker),
    worker,
    signingKey: localnet.signingKey,
    kms: localnet.kms,
    async stop() {
      await worker.stop();
      await localnet.stop();
    },
  };
}

/** Returns the facts of a localnet with this Worker. */
export function withWorker(localnet: LocalnetFacts, { baseUrl, state, pids }: Worker): Gatepass['facts'] {
  return { baseUrl, state, ...localnet, pids: { ...localnet.pids, ...pids } };
}
