import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../../terminal/failure.ts';
import { queryRows, runWrangler, runWranglerForJson, WranglerFailure } from '../../terminal/wrangler.ts';
import { configFileOf, lacksId, wranglerConfigOf } from '../deploy/deployment-config.ts';
import { addDatabase, hasValues } from './values.ts';

/** The resources of a deployment in the operator's account at Cloudflare, created with wrangler if they are missing. */

type Say = (line: string) => void;

interface Database {
  readonly name: string;
  readonly id: string;
}

/** Throws Failure unless Cloudflare accepts the credentials, and their account. It changes nothing. */
export async function demandCredentials(deployment: string): Promise<void> {
  const config = hasValues(deployment) ? ['--config', configFileOf(deployment)] : [];
  try {
    await runWranglerForJson(['d1', 'list', '--json', ...config]);
  } catch (error) {
    if (!(error instanceof WranglerFailure)) throw error;
    throw new Failure(
      `Cloudflare does not accept the credentials: run \`npx wrangler login\`, or set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID. ${error.message}`,
    );
  }
}

/** Returns the names of the queues that the deployment needs. */
export function queuesOf(deployment: string): string[] {
  return wranglerConfigOf(deployment).queues.consumers?.map(({ queue }) => queue) ?? [];
}

/** The code of Cloudflare's error for a queue that exists. */
const NAME_TAKEN = 11009;

/** Creates the queues. Their names belong to the Worker's name, so a queue that exists is the deployment's own. */
export async function createQueues(deployment: string, say: Say): Promise<void> {
  for (const queue of queuesOf(deployment)) {
    try {
      await runWrangler(['queues', 'create', queue, '--config', configFileOf(deployment)]);
      say(`created the queue ${queue}`);
    } catch (error) {
      if (!(error instanceof WranglerFailure && error.apiCode === NAME_TAKEN)) throw error;
      say(`the queue ${queue} exists`);
    }
  }
}

/** Returns the name of the first database, and whether the values have its id. */
export function firstDatabaseOf(deployment: string): { readonly name: string; readonly isKnown: boolean } {
  const [{ database_name: name = '', database_id: id } = {}] = wranglerConfigOf(deployment).d1_databases;
  return { name, isKnown: !lacksId(id) };
}

/**
 * Creates the database and writes its id into the values of the deployment. A database of this name that the values do not have is taken
 * only if it is empty or has this service's migrations: an earlier run was killed before it wrote the id.
 */
export async function createDatabase(deployment: string, say: Say): Promise<void> {
  const { name, isKnown } = firstDatabaseOf(deployment);
  if (isKnown) return say(`the database ${name} is in the values`);
  const existing = await findDatabase(deployment, name);
  if (existing === undefined) await runWrangler(['d1', 'create', name, '--config', configFileOf(deployment)]);
  const id = existing ?? (await findDatabase(deployment, name));
  if (id === undefined) throw new Failure(`wrangler created ${name}, but does not list it: run the command again`);
  if (existing !== undefined) await demandOwnDatabase(deployment, { name, id });
  const file = addDatabase(deployment, { name, id });
  say(`${existing === undefined ? 'created' : 'found'} the database ${name}, and wrote its id into ${file}`);
}

async function findDatabase(deployment: string, name: string): Promise<string | undefined> {
  const listed = await runWranglerForJson(['d1', 'list', '--json', '--config', configFileOf(deployment)]);
  return (listed as { readonly name: string; readonly uuid: string }[]).find((each) => each.name === name)?.uuid;
}

/** Throws Failure unless the database has only been created, or migrated by this service. */
async function demandOwnDatabase(deployment: string, { name, id }: Database): Promise<void> {
  const sql =
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%'";
  const rows = await withDatabaseConfig(deployment, { name, id }, (config) =>
    queryRows(sql, ['DB', '--remote', '--config', config]),
  );
  const tables = rows.flat().map((row) => String(row.name));
  if (tables.length === 0 || tables.includes('d1_migrations')) return;
  throw new Failure(
    `the account has another database with the name ${name} (with the table ${tables[0]}): set another \`name\` of the Worker, ` +
      'or enter the id of your database',
  );
}

/** The values do not have the database yet, and wrangler would read the placeholder of its id from them. */
async function withDatabaseConfig<T>(
  deployment: string,
  { name, id }: Database,
  work: (config: string) => Promise<T>,
): Promise<T> {
  const { account_id } = wranglerConfigOf(deployment);
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-setup-'));
  try {
    const config = join(folder, 'wrangler.json');
    const d1_databases = [{ binding: 'DB', database_name: name, database_id: id }];
    writeFileSync(config, JSON.stringify({ name, ...(account_id && { account_id }), d1_databases }));
    return await work(config);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
