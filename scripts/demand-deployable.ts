import type { Unstable_Config as WranglerConfig } from 'wrangler';
import { configOf } from '../src/config/config.ts';
import { isShardName } from '../src/config/shard-name.ts';
import { ConfigError } from '../src/config/variable.ts';
import { blockOf } from './block-of.ts';
import { Failure } from './failure.ts';

const SECRETS = ['ETHEREUM_GATEKEEPER_KEY', 'SOLANA_GATEKEEPER_KEY', 'RPC_ENDPOINTS'];

/**
 * Holds an environment in `wrangler.toml` to what the Worker cannot do without: the bindings that the top level has, and
 * variables as the Worker itself demands them where it is deployed. Throws Failure with what is wrong. Secrets are not known
 * here.
 */
export function demandDeployable(environment: string, file?: string): void {
  const top = blockOf(undefined, file);
  const block = blockOf(environment, file);
  const wrongBlock = blockFault(block, top);
  if (wrongBlock) throw new Failure(`[env.${environment}] of wrangler.toml ${wrongBlock}`);
  const wrongVariable = variableFault(block.vars, top.vars);
  if (wrongVariable) throw new Failure(`[env.${environment}.vars] of wrangler.toml: ${wrongVariable}`);
}

function blockFault(block: WranglerConfig, top: WranglerConfig): string | undefined {
  const missing = bindingsOf(top).filter((name) => !bindingsOf(block).includes(name));
  if (missing.length > 0) return `lacks ${missing.join(', ')}`;
  const unread = queuesOf(block).find((queue) => !block.queues.consumers?.some((each) => each.queue === queue));
  if (unread) return `lacks a consumer of the queue ${unread}`;
  const different = databaseFault(block, top) ?? assetsFault(block, top);
  if (different) return different;
  // It would be a second door, past what guards the domain.
  if (block.workers_dev && (block.routes ?? block.route)) return 'has routes of its own: workers_dev must be false';
  return undefined;
}

/** Each database is migrated as the first one is, and is one of its own. */
function databaseFault({ d1_databases: databases }: WranglerConfig, top: WranglerConfig): string | undefined {
  const [{ migrations_dir } = {}] = top.d1_databases;
  const ids = databases.map(({ database_id }) => database_id);
  for (const each of databases) {
    if (!isShardName(each.binding)) return `binds the database ${each.binding}: the names are DB, DB_1, DB_2 …`;
    if (each.migrations_dir !== migrations_dir)
      return `must have migrations_dir = "${migrations_dir}" for ${each.binding}`;
    const same = databases[ids.indexOf(each.database_id)];
    if (same !== each) return `has one database for ${same?.binding} and ${each.binding}: their ids must differ`;
  }
  return undefined;
}

/** Blocks inherit them. With settings of its own, the platform might answer with the files itself: without limits and base path. */
function assetsFault({ assets: own = {} }: WranglerConfig, { assets = {} }: WranglerConfig): string | undefined {
  const names = ['directory', 'binding', 'run_worker_first', 'html_handling'] as const;
  const wrong = names.find((name) => own[name] !== assets[name]);
  return wrong && `must have ${wrong} = ${JSON.stringify(assets[wrong])} in its assets`;
}

function variableFault(vars: object, known: object): string | undefined {
  const secret = SECRETS.find((name) => name in vars);
  if (secret) return `${secret} is a secret: take it out, and set it with \`wrangler secret put\``;
  const stray = Object.keys(vars).find((name) => !(name in known));
  if (stray) return `${stray} is none of the variables at the top: is it misspelt, or in the wrong place?`;
  try {
    return configOf(vars).local ? "DEPLOYMENT must not be local: that is for a developer's machine" : undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

/** What the Worker cannot do without; blocks inherit none. */
function bindingsOf({ d1_databases, durable_objects, queues, ratelimits }: WranglerConfig): string[] {
  return [
    ...d1_databases.map(({ binding }) => binding),
    ...durable_objects.bindings.map(({ name, class_name }) => `${name} (${class_name})`),
    ...(queues.producers ?? []).map(({ binding }) => binding),
    ...ratelimits.map(({ name }) => name),
  ];
}

/** Queues that are written to, and where what they give up goes. */
function queuesOf({ queues }: WranglerConfig): string[] {
  const dead = (queues.consumers ?? []).flatMap(({ dead_letter_queue }) => dead_letter_queue ?? []);
  return [...(queues.producers ?? []).flatMap(({ queue }) => queue ?? []), ...dead];
}
