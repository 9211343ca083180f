import type { Publication } from './passes.ts';

/** A pass as its object has it. */
export interface RestoredPass {
  readonly publication: Publication;
  /** Since when the operator's list shows the pass as unsettled (Unix seconds); undefined: it does not. */
  readonly listedSince?: number | undefined;
}

const UNLIST = `
  DELETE FROM unsettled WHERE (gatekeeper_network, wallet, chain, network) IN
    (SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?))`;
const LIST = `
  INSERT INTO unsettled (gatekeeper_network, wallet, chain, network, id, since)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 FROM json_each(?) WHERE true
  ON CONFLICT (gatekeeper_network, wallet, chain, network) DO UPDATE SET id = excluded.id, since = excluded.since
    WHERE excluded.since <> since OR excluded.id <> id`;

/** Brings the operator's list of unsettled passes back to what the objects of these passes have written there. */
export async function restoreList(db: D1Database, passes: readonly RestoredPass[]): Promise<void> {
  if (passes.length === 0) return;
  const rowsOf = (some: readonly RestoredPass[]) =>
    JSON.stringify(
      some.map(({ publication: { key, id }, listedSince }) => [
        key.gatekeeperNetwork,
        key.wallet,
        key.chain,
        key.network,
        id,
        listedSince,
      ]),
    );
  const { listed = [], unlisted = [] } = Object.groupBy(passes, ({ listedSince }) =>
    listedSince === undefined ? 'unlisted' : 'listed',
  );
  await db.batch([db.prepare(UNLIST).bind(rowsOf(unlisted)), db.prepare(LIST).bind(rowsOf(listed))]);
}
