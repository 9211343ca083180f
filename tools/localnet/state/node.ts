import type { BuildName } from '../../../ops/network/gateway-build.ts';

export interface NodeOptions {
  /** The network that it simulates. */
  readonly network: string;
  readonly port: number;
  /** Folder of the chain's state. */
  readonly state?: string | undefined;
  /** File with the gateway program of Solana, which replaces its emulation. */
  readonly solanaProgram?: string | undefined;
  /** The hardfork of Ethereum-type networks, which hardhat then runs; undefined: the one of anvil. */
  readonly hardfork?: Hardfork | undefined;
  /** The contract of Ethereum-type networks; undefined: the protocol's. */
  readonly contract?: BuildName | undefined;
}

/** Hardforks that anvil does not know. `amsterdam` is the part of Glamsterdam that a contract meets. */
export const HARDFORKS = ['amsterdam'] as const;
export type Hardfork = (typeof HARDFORKS)[number];

/** A node of the localnet: a process and its JSON-RPC URL. */
export interface Node {
  readonly network: string;
  readonly pid: number;
  readonly rpcUrl: string;
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
}
