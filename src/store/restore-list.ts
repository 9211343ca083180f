import type { UnixSeconds } from '../lib/brand.ts';
import type { Publication } from './passes.ts';

/** A pass as its pass object stores it. */
export interface RestoredPass {
  readonly publication: Publication;
  /** Time since which the operator's list shows the pass as unsettled; undefined: the list does not show it. */
  readonly listedSince?: UnixSeconds | undefined;
  /** When the object answered that the pass is settled; undefined: it is not. An older entry of the list is out of date. */
  readonly settledAt?: UnixSeconds | undefined;
}

// A pass that became unsettled after its object answered keeps the entry that its alarm wrote since then.
const UNLIST = `
  DELETE FROM unsettled WHERE (gatekeeper_network, wallet, chain, network) IN
    (SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?1)) AND since < ?2`;
const LIST = `
  INSERT INTO unsettled (gatekeeper_network, wallet, chain, network, id, since)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 FROM json_each(?) WHERE true
  ON CONFLICT (gatekeeper_network, wallet, chain, network) DO UPDATE SET id = excluded.id, since = excluded.since
    WHERE excluded.since <> since OR excluded.id <> id`;

/** Restores the entries of these passes in the operator's list of unsettled passes. */
export async function restoreList(db: D1Database, passes: readonly RestoredPass[]): Promise<void> {
  const settled = passes.filter(({ settledAt }) => settledAt !== undefined);
  const listed = passes.filter(({ listedSince }) => listedSince !== undefined);
  const statements = [
    settled.length > 0 &&
      db.prepare(UNLIST).bind(textOf(settled), Math.min(...settled.map(({ settledAt = 0 }) => settledAt))),
    listed.length > 0 && db.prepare(LIST).bind(textOf(listed)),
  ].filter((statement) => statement !== false);
  if (statements.length > 0) await db.batch(statements);
}

function textOf(passes: readonly RestoredPass[]): string {
  return JSON.stringify(
    passes.map(({ publication: { key, id }, listedSince }) => [
      key.gatekeeperNetwork,
      key.wallet,
      key.chain,
      key.network,
      id,
      listedSince,
    ]),
  );
}
