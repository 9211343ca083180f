import type { PassKey } from '../pass/pass.ts';
import { byKey, COLUMNS, type PassRow, type PublishedRow, publishedRowOf, VISITED, valuesOf } from './passes.ts';
import { IS_VOID } from './validity.ts';
import { walletIs } from './wallet-column.ts';

/** The operator's look-up of a wallet. It only reads, and tells which tokens the contract may count as void. */

export interface AskedWallet extends Omit<PassKey, 'gatekeeperNetwork'> {
  /** Undefined: every one. Only the databases know in which ones the wallet has passes. */
  readonly gatekeeperNetwork?: PassKey['gatekeeperNetwork'] | undefined;
}

const IN_ONE = byKey(`${COLUMNS}, ${IS_VOID} AS isVoid`);
const IN_ALL = `${VISITED}
  SELECT ${COLUMNS}, ${IS_VOID} AS isVoid FROM visited CROSS JOIN passes INDEXED BY passes_by_wallet
  WHERE gatekeeper_network = name AND ${walletIs('?2')} AND chain = ?4 AND network = ?5`;

/** More than any deployment has. */
const MAX_GATEKEEPER_NETWORKS = 100_000;

/**
 * Returns the rows of a wallet in one gatekeeper network, or in every one of the shard. Reads two rows for each of them. A row that a move
 * has left behind counts too.
 */
export async function rowsOfWallet(
  db: D1Database,
  { gatekeeperNetwork, ...wallet }: AskedWallet,
): Promise<PublishedRow[]> {
  const [query, values] =
    gatekeeperNetwork === undefined
      ? [IN_ALL, ['', wallet.wallet, MAX_GATEKEEPER_NETWORKS, wallet.chain, wallet.network]]
      : [IN_ONE, valuesOf({ ...wallet, gatekeeperNetwork })];
  const { results } = await db
    .prepare(query)
    .bind(...values)
    .all<PassRow>();
  return results.map(publishedRowOf);
}
