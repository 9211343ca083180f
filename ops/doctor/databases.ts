import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FILLING_SHARE, FIRST_SHARD, FULL_SHARE, parseDatabaseMaxBytes } from '../../src/config/bindings.ts';
import { type Contracts, contractOf, type Network } from '../../src/network/network.ts';
import { isSandbox } from '../../src/network/sandbox.ts';
import { derivesSmallSlot } from '../../src/network/slot.ts';
import { Failure } from '../../terminal/failure.ts';
import {
  PROJECT,
  type QueryAnswer,
  queryDatabase,
  type Row,
  storageFolderOf,
  WranglerFailure,
} from '../../terminal/wrangler.ts';
import { configFileOf } from '../deploy/deployment-config.ts';
import type { Deployment } from '../nodes/deployment.ts';
import { check, type Finding, fail, notice, ok, skip, type Verdict } from './check.ts';
import { checkSlots } from './slots.ts';

/** A gatekeeper network for which a partner may issue, and the networks it may issue on; undefined: all networks. */
export interface IssuanceDemand {
  readonly gatekeeperNetwork: string;
  readonly networks?: readonly string[] | undefined;
  /** The contracts that are chosen, by network. */
  readonly contracts?: Contracts | undefined;
}

/** A gatekeeper network and its contract on a network; on Solana, the program. */
export interface LocatedNetwork {
  readonly gatekeeperNetwork: string;
  readonly contract: string;
}

/** How many passes of a database were issued in all, and how many in the last full month or in this one, whichever has more. */
export interface IssuedPasses {
  readonly all: number;
  readonly inMonth: number;
}

interface DatabaseContent {
  /** File names of the applied migrations. */
  readonly migrations: readonly string[];
  /** Size of the database; a local one reports none. */
  readonly bytes?: number | undefined;
  /** Undefined: the database has no table of them. */
  readonly issued?: IssuedPasses | undefined;
  /** Of the active partners; undefined if the database has no table of partners. */
  readonly demands?: readonly IssuanceDemand[];
  /** The contracts of all gatekeeper networks, by key; undefined if the database has no table of them. */
  readonly gatekeeperNetworks?: ReadonlyMap<string, Contracts>;
}

/** Reads each database of the deployment once, by its binding. It writes nothing. */
export interface Databases {
  /** Throws Failure with wrangler's message if the database cannot be read. */
  read(shard: string): Promise<DatabaseContent>;
  close(): Promise<void>;
}

/**
 * Opens the databases of a deployment, or a copy of the local ones. It copies them because the Worker runs, and two processes block
 * each other on one local database.
 */
export async function openDatabases({ environment, state }: Deployment): Promise<Databases> {
  const read = new Map<string, Promise<DatabaseContent>>();
  const once = (shard: string, where: readonly string[], after: Promise<unknown> = Promise.resolve()) => {
    const content = read.get(shard) ?? after.then(() => readContent(shard, where));
    read.set(shard, content);
    return content;
  };
  if (environment !== undefined || state === undefined) {
    const remote = ['--remote', '--config', configFileOf(environment ?? '')];
    return { read: (shard) => once(shard, remote), close: async () => {} };
  }
  const folder = await mkdtemp(join(tmpdir(), 'gatepass-doctor-'));
  // The folder does not exist before a Worker has used the state folder.
  await cp(join(storageFolderOf(state), 'v3', 'd1'), join(folder, 'v3', 'd1'), { recursive: true }).catch(() => {});
  return {
    // One after the other: two wrangler processes would block each other on the copy too.
    read: (shard) => once(shard, ['--local', '--persist-to', folder], Promise.allSettled([...read.values()])),
    close: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

const SELECT_MIGRATIONS = 'SELECT name FROM d1_migrations';
const SELECT_ISSUED = `SELECT coalesce(sum(issued), 0) AS every, coalesce(max(sum(iif(month = strftime('%Y-%m', 'now'), issued, 0)),
  sum(iif(month = strftime('%Y-%m', 'now', 'start of month', '-1 month'), issued, 0))), 0) AS in_month FROM usage`;
const SELECT_DEMANDS =
  'SELECT DISTINCT gatekeeper_network, networks, contracts FROM partners ' +
  "JOIN gatekeeper_networks ON key = gatekeeper_network WHERE status = 'active'";
const SELECT_GATEKEEPER_NETWORKS = 'SELECT key, contracts FROM gatekeeper_networks';

/** Reads everything with one run of wrangler, which starts slowly. The first shard alone has the partners. */
async function readContent(shard: string, where: readonly string[]): Promise<DatabaseContent> {
  const ask = (...statements: string[]) => queryDatabase(statements.join('; '), [shard, ...where]);
  const contentOf = ({ rows: [migrations = [], issued, demands, keys], bytes }: QueryAnswer): DatabaseContent => ({
    migrations: migrations.map(({ name }) => String(name)),
    bytes,
    ...(issued?.[0] && { issued: { all: Number(issued[0].every), inMonth: Number(issued[0].in_month) } }),
    ...(demands && { demands: demands.map(demandIn).filter((each) => issuesOnChain(each.gatekeeperNetwork)) }),
    ...(keys && { gatekeeperNetworks: new Map(keys.map((row) => [String(row.key), contractsIn(row)])) }),
  });
  const ofPartners = shard === FIRST_SHARD ? [SELECT_DEMANDS, SELECT_GATEKEEPER_NETWORKS] : [];
  // If the tables belong to an earlier release, only the migrations can be read, and in an empty database nothing.
  for (const others of [[SELECT_ISSUED, ...ofPartners], []]) {
    try {
      return contentOf(await ask(SELECT_MIGRATIONS, ...others));
    } catch (fault) {
      if (!(fault instanceof WranglerFailure && fault.sqliteCode === 'SQLITE_ERROR')) throw fault;
    }
  }
  return { migrations: [] };
}

/** The service issues nothing for a key with a small slot, and passes of a sandbox are on no chain. */
const issuesOnChain = (key: string) => !derivesSmallSlot(key) && !isSandbox(key);

function demandIn({ gatekeeper_network: name, networks, ...row }: Row): IssuanceDemand {
  const limited = typeof networks === 'string' && { networks: JSON.parse(networks) as string[] };
  return { gatekeeperNetwork: String(name), contracts: contractsIn(row), ...limited };
}

const contractsIn = ({ contracts }: Row) => JSON.parse(String(contracts)) as Contracts;

/** Wrangler starts slowly and calls Cloudflare. */
const DATABASE_TIMEOUT_MS = 60_000;

/**
 * Checks that each database has all migrations of this release and room for new passes, and that gatekeeper networks do not
 * share a slot. Counts the sandboxes. A local database reports no size.
 */
export async function checkDatabases(deployment: Deployment, databases: Databases): Promise<Finding[]> {
  const { environment, shards, variables } = deployment;
  const migrations = shards.map((shard) =>
    check(`migrations of ${shard}`, () => verdictOnMigrations(shard, databases, environment), DATABASE_TIMEOUT_MS),
  );
  const sizes = shards.map((shard) =>
    check(`size of ${shard}`, async () => verdictOnSize(await databases.read(shard), variables), DATABASE_TIMEOUT_MS),
  );
  const findings = await Promise.all([...migrations, ...(environment === undefined ? [] : sizes)]);
  // If the database cannot be read, the check of its migrations reports why.
  const partners = await databases.read(FIRST_SHARD).catch(() => undefined);
  const keys = [...(partners?.gatekeeperNetworks?.keys() ?? [])];
  return [...findings, ...(await checkSlots(keys, variables)), ...(await checkSandboxes(keys))];
}

/** Says how many sandboxes there are. Nothing of a sandbox needs a check, because it has no key, no endpoint and no funds. */
async function checkSandboxes(keys: readonly string[]): Promise<Finding[]> {
  const { length } = keys.filter(isSandbox);
  if (length === 0) return [];
  return [await check('sandboxes', () => ok(`${length}, with simulated networks only`))];
}

async function verdictOnMigrations(shard: string, databases: Databases, environment?: string): Promise<Verdict> {
  const files = (await readdir(join(PROJECT, 'migrations'))).filter((file) => file.endsWith('.sql')).sort();
  const content = await databases.read(shard).catch(unreadableVerdict);
  if ('type' in content) return content;
  const missing = files.filter((file) => !content.migrations.includes(file));
  if (missing.length === 0) return ok(`all ${files.length} are applied`);
  const remedy =
    environment === undefined
      ? 'stop `npm run dev` and start it again: it applies them'
      : `run \`npm run wrangler -- d1 migrations apply ${shard} --remote --env ${environment}\``;
  return fail(`${missing.length} of ${files.length} are not applied (first: ${missing[0]})`, remedy);
}

const UNREADABLE_REMEDY =
  'check that `npx wrangler whoami` shows the account of the database (set CLOUDFLARE_ACCOUNT_ID if there are several), that this ' +
  'machine reaches api.cloudflare.com, and that its database_id names a database of the account';

function unreadableVerdict(fault: unknown): Verdict {
  if (!(fault instanceof Failure)) throw fault;
  // Wrangler's own advice is at the end.
  return fail(fault.message.substring(0, 200), UNREADABLE_REMEDY);
}

/** From then on, there is time to create a database and to move a gatekeeper network (as `GatepassShardFullInMonths`). */
const WARNING_MONTHS = 3;

/**
 * Checks whether the database has room for new passes, and for how many months at the rate of the last one.
 * @param content `bytes` is the size that D1 reported; undefined: it reported none.
 */
export function verdictOnSize(
  { bytes, issued }: Pick<DatabaseContent, 'bytes' | 'issued'>,
  variables: Readonly<Record<string, unknown>>,
): Verdict {
  if (bytes === undefined) return skip('D1 reported no size');
  const maxBytes = parseDatabaseMaxBytes(variables);
  const share = bytes / maxBytes;
  const months = issued && monthsLeft(bytes, FULL_SHARE * maxBytes, issued);
  const used = `${megabytes(bytes)} of ${megabytes(maxBytes)} MB (${Math.floor(share * 100)} %)`;
  if (share >= FULL_SHARE) return fail(`${used}: the service stores no new passes there`, FULL_REMEDY);
  const text = months === undefined ? used : `${used}, full in ${describeMonths(months)}`;
  const isNear = share >= FILLING_SHARE || (months !== undefined && months < WARNING_MONTHS);
  return isNear ? notice(`${text} -> ${FULL_REMEDY}`) : ok(text);
}

/** The size grows with the number of passes, whose rows stay. Undefined: no pass was issued in the month, so there is no rate. */
function monthsLeft(bytes: number, fullBytes: number, { all, inMonth }: IssuedPasses): number | undefined {
  if (all <= 0 || inMonth <= 0) return undefined;
  return (fullBytes - bytes) / ((bytes * inMonth) / all);
}

function describeMonths(months: number): string {
  if (months > 120) return 'more than 10 years at the rate of issuance of this or the last month';
  return `${months.toFixed(1)} months at the rate of issuance of this or the last month`;
}

const FULL_REMEDY = 'add a shard, and move a gatekeeper network there with `npm run shard`';

const megabytes = (bytes: number) => Math.ceil(bytes / 1_000_000).toLocaleString('en-US');

/** Returns, without duplicates, the gatekeeper networks whose partners may issue passes on the network, with their contracts. */
export function gatekeeperNetworksOn(network: Network, demands: readonly IssuanceDemand[]): LocatedNetwork[] {
  const here = demands.filter(({ networks }) => networks === undefined || networks.includes(network.network));
  const contracts = new Map(here.map((each) => [each.gatekeeperNetwork, each.contracts ?? {}]));
  return [...contracts]
    .map(([gatekeeperNetwork, chosen]) => ({ gatekeeperNetwork, contract: contractOf(chosen, network) }))
    .sort((a, b) => (a.gatekeeperNetwork < b.gatekeeperNetwork ? -1 : 1));
}
