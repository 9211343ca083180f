import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../../scripts/failure.ts';
import { PROJECT, type Row, rowsFound, storageIn } from '../../scripts/wrangler.ts';
import { FIRST_SHARD } from '../../src/config/shard-name.ts';
import { check, type Finding, ok, type Verdict, wrong } from './check.ts';
import type { Subject } from './subject.ts';

/** A gatekeeper network that somebody may issue for, and on which networks: undefined, on all. */
export interface Wanted {
  readonly gatekeeperNetwork: string;
  readonly networks?: readonly string[] | undefined;
}

interface Content {
  /** Names of the files that were applied. */
  readonly migrations: readonly string[];
  /** Of the partners that are not suspended; undefined where none can be. */
  readonly wanted?: readonly Wanted[];
}

/** Reads the databases of the subject by their bindings, each once; nothing is written. */
export interface Databases {
  /** Throws Failure with what wrangler says where it cannot be read. */
  contentOf(shard: string): Promise<Content>;
  close(): Promise<void>;
}

/**
 * The databases of a block, or a copy of those on this machine: two processes on one local database get in each other's
 * way, and the Worker runs.
 */
export async function openDatabases({ environment, state }: Subject): Promise<Databases> {
  const read = new Map<string, Promise<Content>>();
  const once = (shard: string, where: readonly string[], after: Promise<unknown> = Promise.resolve()) => {
    const content = read.get(shard) ?? after.then(() => contentIn(shard, where));
    read.set(shard, content);
    return content;
  };
  if (environment !== undefined || state === undefined) {
    return { contentOf: (shard) => once(shard, ['--remote', '--env', environment ?? '']), close: async () => {} };
  }
  const folder = await mkdtemp(join(tmpdir(), 'gatepass-doctor-'));
  // A state folder that no Worker has used has none.
  await cp(join(storageIn(state), 'v3', 'd1'), join(folder, 'v3', 'd1'), { recursive: true }).catch(() => {});
  return {
    // One after the other, for the same reason.
    contentOf: (shard) => once(shard, ['--local', '--persist-to', folder], Promise.allSettled([...read.values()])),
    close: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

const MIGRATIONS = 'SELECT name FROM d1_migrations';
const WANTED = "SELECT DISTINCT gatekeeper_network, networks FROM partners WHERE status = 'active'";

/** Wrangler starts slowly: both questions at once, where both may have an answer. */
async function contentIn(shard: string, where: readonly string[]): Promise<Content> {
  const ask = (...statements: string[]) => rowsFound(statements.join('; '), [shard, ...where]);
  const migrationsIn = (rows: readonly Row[] = []) => rows.map(({ name }) => String(name));
  try {
    if (shard !== FIRST_SHARD) return { migrations: migrationsIn((await ask(MIGRATIONS))[0]) };
    const [migrations, wanted = []] = await ask(MIGRATIONS, WANTED);
    return { migrations: migrationsIn(migrations), wanted: wanted.map(wantedIn) };
  } catch (fault) {
    const { message } = Object(fault) as Error;
    if (/no such table: d1_migrations/.test(message)) return { migrations: [] };
    // Of an earlier release.
    if (/no such (table|column)/.test(message)) return { migrations: migrationsIn((await ask(MIGRATIONS))[0]) };
    throw fault;
  }
}

function wantedIn({ gatekeeper_network: name, networks }: Row): Wanted {
  const limited = typeof networks === 'string' && { networks: JSON.parse(networks) as string[] };
  return { gatekeeperNetwork: String(name), ...limited };
}

/** It asks over the net, too. */
const PATIENCE_MS = 60_000;

/** Whether each database is as far as this release. */
export function migrationFindings({ environment, shards }: Subject, databases: Databases): Promise<Finding[]> {
  return Promise.all(
    shards.map((shard) =>
      check(`migrations of ${shard}`, () => migrationsVerdict(shard, databases, environment), PATIENCE_MS),
    ),
  );
}

async function migrationsVerdict(shard: string, databases: Databases, environment?: string): Promise<Verdict> {
  const files = (await readdir(join(PROJECT, 'migrations'))).filter((file) => file.endsWith('.sql')).sort();
  const content = await databases.contentOf(shard).catch(unreadable);
  if ('type' in content) return content;
  const missing = files.filter((file) => !content.migrations.includes(file));
  if (missing.length === 0) return ok(`all ${files.length} are applied`);
  const remedy =
    environment === undefined
      ? 'end `npm run dev` and start it again: it applies them'
      : `npx wrangler d1 migrations apply ${shard} --remote --env ${environment}`;
  return wrong(`${missing.length} of ${files.length} are not applied (${missing[0]} is the first)`, remedy);
}

const REMEDIES: readonly (readonly [said: RegExp, remedy: string])[] = [
  [/more than one account/i, 'set CLOUDFLARE_ACCOUNT_ID to the one it is in'],
  [
    /CLOUDFLARE_API_TOKEN|log ?in|authenticat/i,
    'npx wrangler login, or set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID',
  ],
  [/fetch failed/, 'see that this machine reaches api.cloudflare.com'],
  [/(?:)/, 'see that its database_id in wrangler.toml is that of a database of your account'],
];

function unreadable(fault: unknown): Verdict {
  if (!(fault instanceof Failure)) throw fault;
  const [, remedy] = REMEDIES.find(([said]) => said.test(fault.message)) as (typeof REMEDIES)[number];
  // Advice of its own comes behind.
  const [complaint = ''] = fault.message.split('. ');
  return wrong(complaint.slice(0, 200), remedy);
}

/** The gatekeeper networks that passes may be issued for on that network: one may come several times, each with limits. */
export function wantedOn(network: string, wanted: readonly Wanted[]): string[] {
  const here = wanted.filter(({ networks }) => networks === undefined || networks.includes(network));
  return [...new Set(here.map(({ gatekeeperNetwork }) => gatekeeperNetwork))].sort();
}
