import type { PassKey } from '../pass/pass.ts';
import type { PassState } from '../pass/vocabulary.ts';
import type { PublishedValidity } from './passes.ts';

/** The part of a pass that decides whether it is valid. */
export interface Validity extends PublishedValidity {
  readonly state: PassState;
}

const FIND = `
  SELECT state, on_chain_state AS onChainState, valid_until AS until
  FROM passes INDEXED BY passes_by_wallet
  WHERE gatekeeper_network = ?1 AND wallet = ?2 AND chain = ?3 AND network = ?4`;

/** Returns the validity of a pass; undefined if the read model does not have the pass. Reads one row. */
export async function findValidity(db: Pick<D1Database, 'prepare'>, key: PassKey): Promise<Validity | undefined> {
  const values = [key.gatekeeperNetwork, key.wallet, key.chain, key.network];
  const row = await db
    .prepare(FIND)
    .bind(...values)
    .first<Validity>();
  return row ?? undefined;
}
