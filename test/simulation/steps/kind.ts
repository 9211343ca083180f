import fc from 'fast-check';
import { CLIENTS, clientAt } from '../world/identities.ts';
import { CHAIN_OF, type ChainNetwork, NETWORKS, WALLETS } from '../world/networks.ts';
import type { World } from '../world/world.ts';

export type Values = readonly (number | string)[];

interface Traits {
  /** How often steps of the kind occur, compared with others. */
  readonly weight: number;
  /** The same after the rest, when nothing fails for long; undefined: never then. */
  readonly prompt?: number;
  /** The same at the end, when only others, authorities and the operator act and little fails; undefined: never then. */
  readonly late?: number;
  /** The only network that has such steps; undefined: each. */
  readonly on?: ChainNetwork;
  /** Whether only a world with a KMS has such steps. */
  readonly needsKms?: boolean;
  /** Whether nothing happens in a world without such steps. */
  readonly isBasic?: boolean;
}

/** A kind of steps. Each step of it has its own values, which are plain data. */
export interface Kind extends Traits {
  readonly values: readonly fc.Arbitrary<number | string>[];
  readonly words: (...values: never[]) => string;
  readonly run: (world: World, ...values: never[]) => unknown;
}

export type Kinds = Readonly<Record<string, Kind>>;

/**
 * @param words Returns a step as a sentence.
 * @param run Takes a step.
 */
export const kind = <V extends Values>(
  traits: Traits,
  values: { readonly [Index in keyof V]: fc.Arbitrary<V[Index]> },
  words: (...values: V) => string,
  run: (world: World, ...values: V) => unknown,
): Kind => ({ ...traits, values, words, run }) as unknown as Kind;

/** A client by its number. Events meet more often if the first one acts more than others. */
export const client = fc.constantFrom(0, 0, ...CLIENTS.keys());
/** A network. A world with one network draws that one instead. */
export const network = fc.constantFrom<ChainNetwork>(...NETWORKS);
/** A wallet by its number, the first one more often than others. */
export const wallet = fc.constantFrom(0, 0, ...WALLETS.sepolia.keys());

/** Returns the name of a client. */
export const nameOf = (index: number): string => CLIENTS[index]?.id ?? '';

/** Returns the path of the passes on a network. */
export const pathOf = (on: ChainNetwork): string => `/pass/${CHAIN_OF[on]}/${on}`;

/** Returns the path of the pass of a wallet: of another one if nobody has requested its pass. */
export const passPath = (world: World, who: number, on: ChainNetwork, index: number): string =>
  `${pathOf(on)}/${world.requests.walletWithPass(clientAt(who).gatekeeperNetwork, on, index)}`;
