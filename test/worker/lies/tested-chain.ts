import type { PassKey } from '../../../src/pass/pass.ts';
import type { NodeClock } from './lying-endpoints.ts';

/** A chain behind lying endpoints. Its methods read the node itself. */
export interface TestedChain {
  /** URL of its node. */
  readonly node: string;
  readonly clock: NodeClock;
  /** The maximum cost of a transaction of an ordinary life, at the highest price of the network data. */
  readonly transactionMaxCost: bigint;
  /** A wallet, a gatekeeper with funds, and a neighbor: another wallet with a token of the same gatekeeper network. */
  newPass(): Promise<{
    readonly key: PassKey;
    readonly gatekeeper: string;
    /** Variables of a Worker with that gatekeeper. */
    readonly variables: Readonly<Record<string, string>>;
    readonly scene: unknown;
  }>;
  /** Lets time pass: of two turns, the first confirms transactions, and the second makes them final. */
  passTime(turn: number): Promise<void>;
  balanceOf(gatekeeper: string): Promise<bigint>;
  tokensOf(key: PassKey): Promise<readonly { readonly state: string; readonly expiry: number | undefined }[]>;
  /** Returns a change of the neighbor's token; undefined if there is none. */
  findHarm(key: PassKey): Promise<string | undefined>;
}
