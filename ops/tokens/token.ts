import type { Network } from '../../src/network/network.ts';
import type { WantedState } from '../../src/pass/vocabulary.ts';

/** A gateway token of a gatekeeper network, as one final block shows it. */
export interface ScannedToken {
  readonly network: Network;
  readonly wallet: string;
  readonly state: WantedState;
  /** Unix seconds; undefined: never. */
  readonly expiry: number | undefined;
  /** Address of the gatekeeper that issued it. */
  readonly issuer: string;
  /** Its id on Ethereum-type networks, the address of its account on Solana. */
  readonly token: string;
  /** The block, or on Solana the slot, that shows it. */
  readonly block: number;
}

/** Some tokens, and the position after them. */
export interface Page {
  readonly tokens: readonly ScannedToken[];
  /** A JSON value. A reading that starts from it continues after this page. */
  readonly position: unknown;
  /** The reading contains the tokens that were issued up to this block or slot. */
  readonly issuedUpTo: number;
  /** Names tokens that the reading cannot contain, if the nodes refuse to show them. */
  readonly missing?: string;
  /** The finished part of the work, in a unit of the reader. */
  readonly done: number;
  readonly total: number;
}

/**
 * Reads every token of a gatekeeper network on one network, from the beginning or from the position of a page. Throws Failure if
 * the nodes do not show all of them.
 */
export type TokenReader = (position?: unknown) => AsyncGenerator<Page>;
