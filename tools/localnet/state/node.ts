export interface NodeOptions {
  /** The network that it simulates. */
  readonly network: string;
  readonly port: number;
  /** Folder of the chain's state. */
  readonly state?: string | undefined;
  /** File with the gateway program of Solana, which replaces its emulation. */
  readonly solanaProgram?: string | undefined;
}

/** A node of the localnet: a process and its JSON-RPC URL. */
export interface Node {
  readonly network: string;
  readonly pid: number;
  readonly rpcUrl: string;
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
}
