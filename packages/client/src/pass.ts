import type { components } from './schema.ts';

type Schemas = components['schemas'];

/** A pass as the service returns it. Later releases may add fields and values. */
export type Pass = Schemas['PassRecord'];
export type PassEvent = Schemas['PassEvent'];

/** Returns the last event of a change on chain. A change of the reference or the subject may follow it at any time. */
export const lastChangeOf = (events: readonly PassEvent[]): PassEvent | undefined =>
  events.findLast(({ eventType }) => !['REFERENCE_CHANGED', 'SUBJECT_CHANGED'].includes(eventType));

type SolanaNetwork = Extract<Schemas['NetworkName'], 'mainnet-beta' | 'devnet'>;
type EthereumNetwork = Exclude<Schemas['NetworkName'], SolanaNetwork>;

/** Identifies a pass by chain, network and wallet. A pass itself can be used as its key. */
export interface PassKey {
  readonly chain:
    | { readonly type: 'ethereum'; readonly network: EthereumNetwork }
    | { readonly type: 'solana'; readonly network: SolanaNetwork };
  readonly walletAddress: string;
}

/**
 * A change of the state, the expiry (Unix seconds), the reference or the subject, or of several of them. Null removes the reference or
 * the subject. A pass that has another subject must lose that first.
 */
export type PassUpdate = Schemas['UpdateRequest'];
export type PassFilter = Omit<Schemas['PassFilter'], 'chain'> & { readonly chain?: PassKey['chain'] };
export type PassSearch = Omit<Schemas['SearchRequest'], 'filter'> & { readonly filter?: PassFilter };

/** Stable. Later releases may add values. */
export type ProblemCode = Schemas['Problem']['code'] | (string & {});
export type FieldError = Schemas['FieldError'];
/** A rule that allows no further pass of a subject, and the first passes that count for it. */
export type ReachedRule = Schemas['ReachedRule'];

/** Whether the pass has the state and the expiry that an update requests. */
export function matchesUpdate(
  pass: Pass,
  {
    state,
    expiryTimestamp,
  }: { readonly state?: PassUpdate['state'] | undefined; readonly expiryTimestamp?: number | undefined },
): boolean {
  return (
    (state === undefined || pass.state === state) &&
    (expiryTimestamp === undefined || pass.expiryTimestamp === expiryTimestamp)
  );
}
