import type { UnixSeconds } from '../lib/brand.ts';
import type { PassKey } from '../pass/pass.ts';
import type { OnChainState, PassState } from '../pass/vocabulary.ts';

/** The columns that decide whether a pass is valid. */
export interface Validity {
  readonly state: PassState;
  readonly onChainState: OnChainState;
  /** Expiry on chain. Null: never. */
  readonly onChainExpiry: UnixSeconds | null;
  /** Wanted expiry. Null: never. */
  readonly wantedExpiry: UnixSeconds | null;
}

/** An earlier release writes no expiry on chain. The wanted one then replaces it: they differ only while a change is under way. */
const FIND_VALIDITY = `
  SELECT state, record ->> '$.onChainState' AS onChainState, record ->> '$.expiryTimestamp' AS wantedExpiry,
    iif(on_chain_expiry_version = version, on_chain_expiry, record ->> '$.expiryTimestamp') AS onChainExpiry
  FROM passes INDEXED BY passes_by_wallet
  WHERE gatekeeper_network = ?1 AND wallet = ?2 AND chain = ?3 AND network = ?4`;

/** Returns what decides whether a pass is valid; undefined if the read model does not have the pass. Reads one row. */
export async function findValidity(db: Pick<D1Database, 'prepare'>, key: PassKey): Promise<Validity | undefined> {
  const values = [key.gatekeeperNetwork, key.wallet, key.chain, key.network];
  return (
    (await db
      .prepare(FIND_VALIDITY)
      .bind(...values)
      .first<Validity>()) ?? undefined
  );
}
