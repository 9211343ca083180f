import type { components } from './schema.ts';

type Schemas = components['schemas'];

/** A pass as the service returns it. Later releases may add fields and values. */
export type Pass = Schemas['PassRecord'];
export type PassEvent = Schemas['PassEvent'];

/** Returns the last event of a change on chain. A change of the reference may follow it at any time. */
export const lastChangeOf = (events: readonly PassEvent[]): PassEvent | undefined =>
  events.findLast(({ eventType }) => eventType !== 'REFERENCE_CHANGED');

type SolanaNetwork = Extract<Schemas['NetworkName'], 'mainnet-beta' | 'devnet'>;
type EthereumNetwork = Exclude<Schemas['NetworkName'], SolanaNetwork>;

/** Identifies a pass by chain, network and wallet. A pass itself can be used as its key. */
export interface PassKey {
  readonly chain:
    | { readonly type: 'ethereum'; readonly network: EthereumNetwork }
    | { readonly type: 'solana'; readonly network: SolanaNetwork };
  readonly walletAddress: string;
}

/** A change of the state, the expiry (Unix seconds) or the reference, or of several of them. `reference: null` removes the reference. */
export type PassUpdate = Schemas['UpdateRequest'];
export type PassFilter = Omit<Schemas['PassFilter'], 'chain'> & { readonly chain?: PassKey['chain'] };
export type PassSearch = Omit<Schemas['SearchRequest'], 'filter'> & { readonly filter?: PassFilter };

/** Stable. Later releases may add values. */
export type ProblemCode = Schemas['Problem']['code'] | (string & {});
export type FieldError = Schemas['FieldError'];
