import type { PassKey } from '../pass/pass.ts';
import type { FeedEvent, PassState } from '../pass/vocabulary.ts';
import { type ClientsOfNetwork, networksAfter } from './partners.ts';
import { inShardsOf } from './placements.ts';
import { type Databases, shardOf } from './shards.ts';
import { walletIs } from './wallet-column.ts';

/** The confirmed changes of a gatekeeper network on one network in a month, and its active passes now. */
export interface Usage {
  readonly gatekeeperNetwork: string;
  readonly network: string;
  /** Negative if more were reorged in the month than made. */
  readonly issued: number;
  readonly renewed: number;
  readonly revoked: number;
  /** Number of passes with the state ACTIVE, expired ones included. */
  readonly active: number;
}

type Preparer = Pick<D1Database, 'prepare'>;

/** Adds the inserted numbers to an existing row. */
const ADD_TO_MONTH = `
  ON CONFLICT (gatekeeper_network, network, month) DO UPDATE SET
    issued = issued + excluded.issued, renewed = renewed + excluded.renewed, revoked = revoked + excluded.revoked,
    active = active + excluded.active`;
const THIS_MONTH = "strftime('%Y-%m', 'now')";

/**
 * Counts the changes and the active passes of a batch, before its events and rows are written. It counts exactly the events that
 * the feed lacks, and of each pass its newest version, so a repeated or late publication adds nothing. It writes one row per
 * gatekeeper network, network and month, and none if nothing changes.
 */
const COUNT = `
  INSERT INTO usage (gatekeeper_network, network, month, issued, renewed, revoked, active)
  SELECT gn, network, month, sum(issued), sum(renewed), sum(revoked), sum(active)
  FROM (
    SELECT new.gn, new.network, new.month, (new.change = 'issued') * new.amount AS issued,
      (new.change = 'renewed') * new.amount AS renewed, (new.change = 'revoked') * new.amount AS revoked, 0 AS active
    FROM (SELECT p.value ->> 'gatekeeperNetwork' gn, p.value ->> 'id' id, p.value ->> 'wallet' wallet, p.value ->> 'chain' chain,
        p.value ->> 'network' network, e.value ->> 'n' n, e.value ->> 'month' month, e.value ->> 'change' change,
        e.value ->> 'amount' amount
      FROM json_each(?1) p, json_each(p.value, '$.changes') e GROUP BY 1, 2, 6) new
    LEFT JOIN passes old ON old.gatekeeper_network = new.gn AND ${walletIs('new.wallet', 'old.')}
      AND old.chain = new.chain AND old.network = new.network
    WHERE old.id IS NULL OR old.id < new.id OR (old.id = new.id AND new.n > old.events_in_feed)
    UNION ALL
    SELECT new.gn, new.network, ${THIS_MONTH}, 0, 0, 0, (new.state = 'ACTIVE') - coalesce(old.state = 'ACTIVE', 0)
    FROM (SELECT value ->> 'gatekeeperNetwork' gn, value ->> 'id' id, value ->> 'wallet' wallet, value ->> 'chain' chain,
        value ->> 'network' network, value ->> 'state' state, value ->> 'version' version,
        max(format('%s %015d', value ->> 'id', value ->> 'version'))
      FROM json_each(?1) GROUP BY 1, 3, 4, 5) new
    LEFT JOIN passes old ON old.gatekeeper_network = new.gn AND ${walletIs('new.wallet', 'old.')}
      AND old.chain = new.chain AND old.network = new.network
    WHERE old.id IS NULL OR old.id < new.id OR (old.id = new.id AND new.version > old.version)
  )
  GROUP BY 1, 2, 3 HAVING sum(issued) <> 0 OR sum(renewed) <> 0 OR sum(revoked) <> 0 OR sum(active) <> 0${ADD_TO_MONTH}`;

/** The values of a publication that the usage depends on. */
interface CountedPublication {
  readonly key: PassKey;
  readonly id: string;
  readonly state: PassState;
  readonly version: number;
  readonly events: readonly FeedEvent[];
}

/**
 * Whether a publication may change the usage. A requested or rejected pass was active before only if its issuance was reorged,
 * which has an event. So an issuance needs the statement only when it is confirmed.
 */
export function mayCount({ state, events }: CountedPublication): boolean {
  return (state !== 'REQUESTED' && state !== 'REJECTED') || events.length > 0;
}

/** Returns the JSON text of a publication for `COUNT`. */
export function countRowOf({ key, id, state, version, events }: CountedPublication): string {
  const changes = events.flatMap(({ n, usage }) => (usage === undefined ? [] : [{ n, ...usage }]));
  return JSON.stringify({ ...key, id, state, version, changes });
}

const IN_MONTH = (column: string) => `sum(iif(month = ?2, ${column}, 0)) AS ${column}`;

/** Also sums up the growth of all months. A network has a row per month in which it changed. */
const FIND = `
  SELECT gatekeeper_network AS gatekeeperNetwork, network,
    ${IN_MONTH('issued')}, ${IN_MONTH('renewed')}, ${IN_MONTH('revoked')}, sum(active) AS active
  FROM usage WHERE gatekeeper_network IN (SELECT value FROM json_each(?1)) GROUP BY 1, 2 ORDER BY 1, 2`;

/** Returns the usage of these gatekeeper networks on each network where they ever had an active pass or a change. */
export async function findUsage(db: Preparer, gatekeeperNetworks: readonly string[], month: string): Promise<Usage[]> {
  const { results } = await db.prepare(FIND).bind(JSON.stringify(gatekeeperNetworks), month).all<Usage>();
  return results;
}

/** The subjects with an active pass of a gatekeeper network, expired ones included, and the number of those passes. */
export interface SubjectUsage {
  readonly count: number;
  readonly passes: number;
}

const COUNT_SUBJECTS = `
  SELECT count(*) AS count, coalesce(sum(n), 0) AS passes FROM (
    SELECT count(*) AS n FROM passes INDEXED BY passes_by_subject
    WHERE gatekeeper_network = ?1 AND subject IS NOT NULL AND state = 'ACTIVE' GROUP BY subject)`;

/** Returns the subjects of these gatekeeper networks, in order. Reads an entry of the index for each pass that has a subject. */
async function countSubjects(
  db: Pick<D1Database, 'prepare' | 'batch'>,
  networks: readonly string[],
): Promise<(SubjectUsage | undefined)[]> {
  const count = db.prepare(COUNT_SUBJECTS);
  const counted = await db.batch<SubjectUsage>(networks.map((network) => count.bind(network)));
  return counted.map(({ results: [usage] }) => usage);
}

/** Returns the subjects of a gatekeeper network. */
export const subjectsOf = async (
  db: Pick<D1Database, 'prepare' | 'batch'>,
  { gatekeeperNetwork }: Pick<UsageQuery, 'gatekeeperNetwork'>,
) => (await countSubjects(db, [gatekeeperNetwork]))[0];

/** A question for the usage of one gatekeeper network. */
export interface UsageQuery {
  readonly gatekeeperNetwork: string;
  /** For example `2026-11` (UTC). */
  readonly month: string;
}

/** A gatekeeper network, its OAuth clients, and its usage on each network. */
export interface NetworkUsage {
  readonly gatekeeperNetwork: string;
  readonly clients: ClientsOfNetwork['clients'];
  readonly usage: readonly Usage[];
  /** Undefined: nobody asked for them. */
  readonly subjects?: SubjectUsage | undefined;
}

interface NetworkPage {
  /** Only gatekeeper networks after this one; undefined: from the first one. */
  readonly after?: string | undefined;
  readonly limit: number;
  /** Whether to count the subjects. */
  readonly subjects?: boolean | undefined;
}

/** Returns the usage of a page of gatekeeper networks in their order. Throws if a shard does not answer. */
export async function usageOfAll(
  databases: Databases,
  month: string,
  { after = '', limit, subjects: counts = false }: NetworkPage,
): Promise<NetworkUsage[]> {
  const networks = await networksAfter(shardOf(databases).db, after, limit);
  const found: Usage[] = [];
  const subjects = new Map<string, SubjectUsage | undefined>();
  const keys = networks.map(({ key }) => key);
  await inShardsOf(databases, keys, String, async ({ db }, some) => {
    found.push(...(await findUsage(db, some, month)));
    if (!counts) return;
    for (const [index, usage] of (await countSubjects(db, some)).entries()) subjects.set(String(some[index]), usage);
  });
  const usage = Map.groupBy(found, ({ gatekeeperNetwork }) => gatekeeperNetwork);
  return networks.map(({ key, clients }) => ({
    gatekeeperNetwork: key,
    clients,
    usage: usage.get(key) ?? [],
    subjects: subjects.get(key),
  }));
}

/** The statements of the usage. `count` runs before the events and rows of a batch are written. */
export const USAGE_SQL = { count: COUNT, find: FIND, subjects: COUNT_SUBJECTS };
