import type { Token } from '../../../src/chain/plan-step.ts';
import type { ChainPort } from '../../../src/chain/port.ts';
import type { PaperCall } from './paper-blocks.ts';

/** A chain with one wallet as a port, whose blocks and faults a story controls. */
export interface StoryChain extends ChainPort {
  /** Number of blocks below the head that may still leave the chain. */
  readonly uncertain: number;
  readonly tokens: readonly Token[];
  /** The wallet's current token; the same object until it changes. */
  readonly representative: Token | undefined;
  /** Whether a transaction of the service waits for a block, or may be sent again after the nodes forgot it. */
  readonly expects: boolean;
  /** The effective transactions of the service. */
  readonly succeeded: string[];
  /** Number of tokens that the service made. */
  readonly issued: number;
  /** Number of its transactions that succeeded and changed nothing. */
  readonly idle: number;
  /** Sets how many blocks the nodes are behind, in order. */
  fallBehind(lags: readonly number[]): void;
  /** Whether a node is behind, or the chain is shorter than that block. */
  isBehind(block?: number): boolean;
  /** Sets whether every call is refused permanently. */
  refuse(all: boolean): void;
  /** Sets whether blocks have room for transactions at the old price. */
  crowd(full: boolean): void;
  /** Makes the next block of the waiting transactions. */
  mine(): void;
  /** Makes a block with somebody else's transaction. A forbidden one changes nothing. */
  byOthers(call: PaperCall | { readonly kind: 'burn'; readonly token: Token['id'] }): void;
  /** Makes somebody else's transaction with the key of the service. */
  byTheSameKey(): void;
  /** Simulates a reorg of some blocks. Their transactions wait again, or are dropped. */
  reorganize(blocks: number, forget: boolean): void;
  /** Makes the nodes drop waiting transactions. */
  forget(): void;
}
