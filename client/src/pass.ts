import type { components } from './schema.ts';

type Schemas = components['schemas'];

/** A pass as the service shows it. Fields and words may be added. */
export type Pass = Schemas['PassRecord'];
export type PassEvent = Schemas['PassEvent'];

type SolanaNetwork = Extract<Schemas['NetworkName'], 'mainnet-beta' | 'devnet'>;
type EthereumNetwork = Exclude<Schemas['NetworkName'], SolanaNetwork>;

/** Which pass: that of a wallet on a chain and one of its networks. Wherever one is asked for, the pass itself does. */
export interface PassKey {
  readonly chain:
    | { readonly type: 'ethereum'; readonly network: EthereumNetwork }
    | { readonly type: 'solana'; readonly network: SolanaNetwork };
  readonly walletAddress: string;
}

/** What is to change: the state, when the pass expires (Unix seconds), or both. */
export type PassUpdate = Schemas['UpdateRequest'];
export type PassSearch = Schemas['SearchRequest'];
export type PassFilter = NonNullable<PassSearch['filter']>;

/** Stable; more may come. */
export type ProblemCode = Schemas['Problem']['code'] | (string & {});
export type FieldError = Schemas['FieldError'];
