export interface NodeOptions {
  /** The network it plays. */
  readonly network: string;
  readonly port: number;
  /** Folder that keeps the chain. */
  readonly state?: string | undefined;
  /** File with the gateway program of Solana, to be run instead of its emulation. */
  readonly solanaProgram?: string | undefined;
}

/** A node of the localnet: a process, and the address its JSON-RPC answers at. */
export interface Node {
  readonly network: string;
  readonly pid: number;
  readonly rpcUrl: string;
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
}
