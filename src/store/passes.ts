import type { UnixSeconds } from '../lib/units.ts';
import { rulesFor } from '../network/sandbox.ts';
import type { PassKey } from '../pass/pass.ts';
import { type FeedEvent, type OnChainState, PASS_STATES, type PassState } from '../pass/vocabulary.ts';
import { FEED_SQL, feedRowOf, type GrownFeed, grownFeedsIn } from './feed.ts';
import type { Writer } from './placements.ts';
import { countRowOf, mayCount, USAGE_SQL } from './usage.ts';
import { FOLDED_WALLET, walletIs } from './wallet-column.ts';

/** The part of a pass on which its validity depends, beside the state. */
export interface PublishedValidity {
  readonly onChainState: OnChainState;
  /** The earlier one of the expiry on chain and the wanted one; null: never. */
  readonly until: UnixSeconds | null;
  /** Whether others have taken access away, and no final block shows it yet. */
  readonly isPending: boolean;
  /** Address of the gatekeeper whose step issued the token; null: unknown. */
  readonly issuedBy: string | null;
}

/** A pass as published to the read model. */
export interface Publication {
  readonly key: PassKey;
  readonly id: string;
  readonly state: PassState;
  readonly version: number;
  /** The record as JSON, exactly as GET returns it. */
  readonly record: string;
  readonly validity: PublishedValidity;
  /** The events that the feed may lack, in order. */
  readonly events: readonly FeedEvent[];
  /** Number of the pass's events that the feed has once this is published. */
  readonly eventsInFeed: number;
}

/** A row of the read model, for the comparison with its pass object. */
export interface PublishedRow extends Pick<Publication, 'key' | 'id' | 'state' | 'version' | 'record'> {
  /** Whether the contract may count its token as void. Only the look-up of a wallet reads it. */
  readonly isVoid?: true;
}

/** The columns that identify a pass, as a result has them. */
export const KEY_COLUMNS = 'gatekeeper_network AS gatekeeperNetwork, wallet, chain, network';

/** Returns the values of those columns, in their order. */
export function valuesOf({ gatekeeperNetwork, wallet, chain, network }: PassKey): string[] {
  return [gatekeeperNetwork, wallet, chain, network];
}

/** The columns of a published row, in the order of the bound values. The first ones identify the pass. */
const PUBLISHED = [
  ...['gatekeeper_network', 'wallet', 'chain', 'network', 'id', 'state', 'version', 'events_in_feed', 'record'],
  ...['on_chain_state', 'valid_until', 'pending', 'issued_by'],
];
const KEY_LENGTH = 4;
/** The place of the record. No index has one of the columns from there on. */
const RECORD = 8;

/** The end of the validity of a value. The triggers of `passes` have the same rule. */
const IN_FORCE_UNTIL = `iif(value ->> ${PUBLISHED.indexOf('state')} = 'ACTIVE' AND value ->> ${PUBLISHED.indexOf('on_chain_state')} = 'ACTIVE',
    coalesce(value ->> ${PUBLISHED.indexOf('valid_until')}, 9007199254740991), NULL)`;

const newer = (column: string) => `${column} = iif(excluded.version > version, excluded.${column}, ${column})`;

/** The columns of no index, for a row of the same pass. */
const RAISE = `
    version = max(version, excluded.version), events_in_feed = max(events_in_feed, excluded.events_in_feed),
    ${PUBLISHED.slice(RECORD).map(newer).join()}`;

/**
 * Writes all passes of a batch in one statement, because every statement is work for the Worker and the database.
 *
 * SQLite rewrites each index that has a column in SET, even if the value does not change. So the first clause, for a row of the
 * same state, names no indexed column. The second clause also sets the end of the
 * validity, because a trigger would write the row again. The third clause is for a pass object that lost its storage and gave its wallet a new id.
 * The number of events in the feed rises independently of the version. A trigger keeps the reference and the subject of an existing
 * row those of its record, so that only their changes write their indexes.
 */
export const PUBLISH = `
  INSERT INTO passes (${PUBLISHED.join()}, reference, subject, in_force_until)
  SELECT ${PUBLISHED.map((_, place) => `value ->> ${place}`).join()}, value ->> ${RECORD} ->> 'reference',
    value ->> ${RECORD} ->> 'subject', ${IN_FORCE_UNTIL}
  FROM json_each(?1) WHERE true
  ON CONFLICT (gatekeeper_network, state, id) DO UPDATE SET ${RAISE}
    WHERE excluded.version > version OR excluded.events_in_feed > events_in_feed
  ON CONFLICT (gatekeeper_network, id) DO UPDATE SET ${['state', 'in_force_until'].map(newer).join()}, ${RAISE}
    WHERE excluded.version > version OR excluded.events_in_feed > events_in_feed
  ON CONFLICT (gatekeeper_network, ${FOLDED_WALLET}, wallet, chain, network) DO UPDATE SET
    ${PUBLISHED.slice(KEY_LENGTH).map((column) => `${column} = excluded.${column}`)}
    WHERE excluded.id > id`;
/** Maximum length of a bound value: D1 accepts two million bytes. */
export const STATEMENT_MAX_CHARS = 500_000;

/** The result of a publication. */
export interface PublishResult {
  /** Undefined: there was nothing to publish. */
  readonly meta?: D1Meta | undefined;
  /** The feeds with new events. */
  readonly grown: readonly GrownFeed[];
}

/** Writes passes and their feed events to a shard in one batch. Throws if D1 does not answer. */
export async function publishPasses(
  db: Pick<D1Database, 'prepare' | 'batch'>,
  publications: readonly Publication[],
): Promise<PublishResult> {
  if (publications.length === 0) return { grown: [] };
  const batch = splitIntoTexts(publications).flatMap(({ rows, events, counts }) => {
    const counted = counts === undefined ? [] : [db.prepare(USAGE_SQL.count).bind(counts)];
    const put = db.prepare(PUBLISH).bind(rows);
    if (events === undefined) return [...counted, put];
    return [...counted, db.prepare(FEED_SQL.add).bind(events), put, db.prepare(FEED_SQL.count).bind(events)];
  });
  const written = await db.batch(batch);
  return { meta: written.at(-1)?.meta, grown: grownFeedsIn(written) };
}

/** A part of a batch: the bound values of its statements. */
interface Texts {
  readonly rows: string;
  /** Undefined: no pass of the part has events. */
  readonly events: string | undefined;
  /** Undefined: the part does not change the usage. */
  readonly counts: string | undefined;
}

/** Returns the values as JSON arrays, split into parts within the maximum length. */
function splitIntoTexts(publications: readonly Publication[]): Texts[] {
  const parts: { rows: string[]; events: string[]; counts: string[]; mayCount: boolean }[] = [];
  let length = 0;
  for (const publication of publications) {
    const { key, id, events } = publication;
    const row = rowOf(publication);
    const fed = events.length === 0 ? undefined : feedRowOf({ key, id, events });
    const added = row.length + (fed?.length ?? 0);
    length += added;
    if (parts.length === 0 || length > STATEMENT_MAX_CHARS) {
      parts.push({ rows: [], events: [], counts: [], mayCount: false });
      length = added;
    }
    const part = parts.at(-1);
    if (part === undefined) continue;
    part.rows.push(row);
    if (fed !== undefined) part.events.push(fed);
    if (!rulesFor(key.gatekeeperNetwork).isMeasured) continue;
    part.counts.push(countRowOf(publication));
    part.mayCount ||= mayCount(publication);
  }
  return parts.map(({ rows, events, counts, mayCount }) => ({
    rows: `[${rows.join()}]`,
    events: events.length === 0 ? undefined : `[${events.join()}]`,
    counts: mayCount ? `[${counts.join()}]` : undefined,
  }));
}

function rowOf({ key, id, state, version, record, validity, eventsInFeed }: Publication): string {
  const { onChainState, until, isPending, issuedBy } = validity;
  const columns = [...valuesOf(key), id, state, version, eventsInFeed, record];
  return JSON.stringify([...columns, onChainState, until, Number(isPending), issuedBy]);
}

/** Names its index, so that the plan never becomes a scan. Without that index the statement fails. */
export const byKey = (columns: string) => `
  SELECT ${columns} FROM passes INDEXED BY passes_by_wallet
  WHERE gatekeeper_network = ?1 AND ${walletIs('?2')} AND chain = ?3 AND network = ?4`;

/** Finds out whether the database answers and has its tables. Throws if not. Reads no row. */
export async function probe(db: D1Database): Promise<void> {
  await db.prepare(`SELECT 1 FROM passes WHERE gatekeeper_network = '' LIMIT 1`).first();
}

const UNREVOKED = `
  SELECT count(*) AS count FROM passes NOT INDEXED WHERE gatekeeper_network = ?1 AND id < ?2 AND state <> 'REVOKED'`;

/** Returns how many passes of a gatekeeper network with an id before the given one are not revoked. Reads all of them. */
export async function countUnrevoked(db: D1Database, gatekeeperNetwork: string, before: string): Promise<number> {
  const row = await db.prepare(UNREVOKED).bind(gatekeeperNetwork, before).first<{ count: number }>();
  return row?.count ?? 0;
}

/** The primary key of a row. */
type RowId = { readonly gatekeeperNetwork: string; readonly id: string };

const ERASE = 'DELETE FROM passes WHERE gatekeeper_network = ? AND id = ?';

/** Deletes the row of a pass, and not of a newer one of its wallet. Only a sandbox forgets passes. */
export const erasePass = async (db: Writer, { key, id }: Pick<Publication, 'key' | 'id'>): Promise<unknown> =>
  db.batch([db.prepare(ERASE).bind(key.gatekeeperNetwork, id)]);

export function rowIdOf({ key: { gatekeeperNetwork }, id }: Pick<Publication, 'key' | 'id'>): RowId {
  return { gatekeeperNetwork, id };
}

/** A position in the order of all rows. */
export interface RowPlace {
  /** Undefined: the first shard. */
  readonly shard?: string | undefined;
  /** The last row before the position; undefined: the beginning of the shard. */
  readonly after?: RowId | undefined;
}

export interface RowPage {
  readonly rows: readonly PublishedRow[];
  /** Undefined after the last row of the last shard. */
  readonly next: RowPlace | undefined;
}

export const COLUMNS = `${KEY_COLUMNS}, id, state, version, record`;
const PAGE = `
  SELECT ${COLUMNS} FROM passes NOT INDEXED WHERE (gatekeeper_network, id) > (?1, ?2)
  ORDER BY gatekeeper_network, id LIMIT ?3`;

/** Returns the rows after the given one, in the order of their primary key. */
export async function rowsAfter(db: D1Database, after: RowId | undefined, limit: number): Promise<PublishedRow[]> {
  const { results } = await db
    .prepare(PAGE)
    .bind(after?.gatekeeperNetwork ?? '', after?.id ?? '', limit)
    .all<PassRow>();
  return results.map(publishedRowOf);
}

const IN_STATE = (state: PassState) => `
  SELECT ${COLUMNS} FROM passes INDEXED BY passes_by_network
  WHERE gatekeeper_network = ?1 AND network = ?2 AND state = '${state}' AND id > ?3`;
// By id, because a pass that changes its state during the walk must keep its place.
const ON_NETWORK = `${PASS_STATES.map(IN_STATE).join(' UNION ALL ')} ORDER BY id LIMIT ?4`;

/** Returns the rows of a gatekeeper network on one network after that id, by id. It merges the states, as a search does. */
export async function rowsOnNetwork(
  db: D1Database,
  { gatekeeperNetwork, id }: RowId,
  network: string,
  limit: number,
): Promise<PublishedRow[]> {
  const { results } = await db.prepare(ON_NETWORK).bind(gatekeeperNetwork, network, id, limit).all<PassRow>();
  return results.map(publishedRowOf);
}

// Finds one gatekeeper network after the other, because no index begins with the network or the wallet.
export const VISITED = `
  WITH RECURSIVE visited (name, number) AS (
    SELECT min(gatekeeper_network), 1 FROM passes NOT INDEXED WHERE gatekeeper_network > ?1
    UNION ALL
    SELECT (SELECT min(gatekeeper_network) FROM passes NOT INDEXED WHERE gatekeeper_network > name), number + 1
    FROM visited WHERE name IS NOT NULL AND number < ?3
  )`;
const VISIT = `${VISITED}
  SELECT name AS gatekeeperNetwork, EXISTS (SELECT 1 FROM passes INDEXED BY passes_by_network
    WHERE gatekeeper_network = name AND network = ?2) AS hasPass
  FROM visited WHERE name IS NOT NULL`;

/** A gatekeeper network of a shard, and whether it has a pass on the network in question. */
interface Visited {
  readonly gatekeeperNetwork: string;
  readonly hasPass: boolean;
}

/** Returns the next gatekeeper networks of the shard, at most `limit`. Reads two rows for each. */
export async function visitGatekeeperNetworks(
  db: D1Database,
  after: string,
  network: string,
  limit: number,
): Promise<Visited[]> {
  const { results } = await db
    .prepare(VISIT)
    .bind(after, network, limit)
    .all<{ gatekeeperNetwork: string; hasPass: number }>();
  return results.map(({ gatekeeperNetwork, hasPass }) => ({ gatekeeperNetwork, hasPass: hasPass === 1 }));
}

const ONE = byKey(COLUMNS);

/** Returns the rows of these passes in the same order; undefined for a pass without a row. */
export async function rowsOf(db: D1Database, keys: readonly PassKey[]): Promise<(PublishedRow | undefined)[]> {
  if (keys.length === 0) return [];
  const one = db.prepare(ONE);
  const answers = await db.batch<PassRow>(keys.map((key) => one.bind(...valuesOf(key))));
  return answers.map(({ results: [row] }) => row && publishedRowOf(row));
}

const CORRECT = `
  UPDATE passes INDEXED BY passes_by_wallet
  SET id = ?5, state = ?6, version = ?7, record = ?8, on_chain_state = ?10, valid_until = ?11, pending = ?12, issued_by = ?13
  WHERE gatekeeper_network = ?1 AND ${walletIs('?2')} AND chain = ?3 AND network = ?4 AND version = ?9`;

/** Overwrites a row that has the version `seen`, even with a lower version, which a publication would not do. */
export async function correctRow(db: Writer, publication: Publication, seen: number): Promise<void> {
  const { key, id, state, version, record, validity } = publication;
  const { onChainState, until, isPending, issuedBy } = validity;
  const values = [...valuesOf(key), id, state, version, record, seen, onChainState, until, Number(isPending), issuedBy];
  await db.batch([db.prepare(CORRECT).bind(...values)]);
}

export interface PassRow extends PassKey, Pick<Publication, 'id' | 'state' | 'version' | 'record'> {
  readonly isVoid?: number;
}

export function publishedRowOf({ id, state, version, record, isVoid, ...key }: PassRow): PublishedRow {
  return { key, id, state, version, record, ...(isVoid === 1 && { isVoid: true }) };
}
