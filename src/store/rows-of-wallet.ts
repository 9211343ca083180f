import type { PassKey } from '../pass/pass.ts';
import { COLUMNS, type PublishedRow, publishedRowOf, type Row, VISITED } from './passes.ts';

/** The operator's look-up of a wallet. It only reads the table of passes. */

const OF_WALLET = `${VISITED}
  SELECT ${COLUMNS} FROM visited CROSS JOIN passes INDEXED BY passes_by_wallet
  WHERE gatekeeper_network = name AND wallet = ?2 AND chain = ?4 AND network = ?5`;

/** More than any deployment has. */
const MAX_GATEKEEPER_NETWORKS = 100_000;

/** Returns the rows of a wallet in every gatekeeper network of the shard. Reads two rows for each of them. */
export async function rowsOfWallet(
  db: D1Database,
  { wallet, chain, network }: Omit<PassKey, 'gatekeeperNetwork'>,
): Promise<PublishedRow[]> {
  const query = db.prepare(OF_WALLET).bind('', wallet, MAX_GATEKEEPER_NETWORKS, chain, network);
  const { results } = await query.all<Row>();
  return results.map(publishedRowOf);
}
