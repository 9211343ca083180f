import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { CODE_UPDATE_STRATEGY } from './code-update.ts';
import type { DeploymentValues } from './deployment-values.ts';

/** The parts of `wrangler.toml` that get a deployment's own values. */
export interface Template {
  readonly name: string;
  readonly main: string;
  readonly alias?: object;
  readonly define?: object;
  readonly build: { readonly command: string; readonly cwd?: string };
  readonly assets: { readonly directory: string };
  readonly vars: Readonly<Record<string, unknown>>;
  readonly d1_databases: readonly { readonly migrations_dir: string }[];
  readonly durable_objects: object;
  readonly queues: { readonly producers: readonly Queue[]; readonly consumers: readonly Consumer[] };
  readonly ratelimits: readonly { readonly name: string; readonly simple: object }[];
  readonly observability: { readonly logs: object; readonly traces: object };
}

type Queue = { readonly queue: string };
type Consumer = Queue & { readonly dead_letter_queue?: string };

/** All modules beside the main one belong to the Worker. */
const UPLOADED_AS_IT_IS = {
  no_bundle: true,
  find_additional_modules: true,
  rules: [{ type: 'ESModule', globs: ['*.js'] }],
} as const;

/** The database id before the database exists. */
const NO_DATABASE = '00000000-0000-0000-0000-000000000000';

/**
 * Returns the complete configuration of a deployment for wrangler: the template with the deployment's own values. Names that must
 * differ between the deployments of an account derive from the name of the Worker. Pure.
 * @param template With absolute paths: wrangler reads a relative one from the folder of the rendered file.
 */
export function renderConfig(template: Template, deployment: string, values: DeploymentValues): object {
  const { name = `${template.name}-${deployment}`, account_id, routes, workers_dev = !routes } = values;
  const own = (queue: string) => queue.replace(new RegExp(`^${template.name}-`), `${name}-`);
  return {
    ...template,
    name,
    ...(account_id && { account_id }),
    ...(routes && { routes }),
    workers_dev,
    vars: { ...template.vars, DEPLOYMENT: deployment === 'staging' ? 'staging' : 'production', ...values.vars },
    d1_databases: databasesOf(template, name, values),
    durable_objects: { ...template.durable_objects, code_update_strategy: CODE_UPDATE_STRATEGY },
    queues: {
      producers: template.queues.producers.map((each) => ({ ...each, queue: own(each.queue) })),
      consumers: template.queues.consumers.map((each) => ({
        ...each,
        queue: own(each.queue),
        ...(each.dead_letter_queue && { dead_letter_queue: own(each.dead_letter_queue) }),
      })),
    },
    ratelimits: template.ratelimits.map((each) => ({
      ...each,
      namespace_id: namespaceId(name, each.name),
      simple: values.ratelimits[each.name] ?? each.simple,
    })),
    observability: {
      ...template.observability,
      logs: { ...template.observability.logs, ...values.observability.logs },
      traces: { ...template.observability.traces, ...values.observability.traces },
    },
  };
}

/** The shards of the deployment. Until it has one, the first database of the template under a name of its own, without an id. */
function databasesOf({ d1_databases: [first] }: Template, name: string, { d1_databases: own }: DeploymentValues) {
  const shards = own.length > 0 ? own : [{ database_name: name, database_id: NO_DATABASE }];
  return shards.map((shard) => ({ ...first, ...shard }));
}

/** Rate limits of an account with the same id share one counter. A positive number from the names: nobody has to choose it. */
function namespaceId(name: string, limit: string): string {
  const digest = createHash('sha256').update(`${name}/${limit}`).digest();
  return String((digest.readUInt32BE() >>> 1) + 1);
}

/** The folder with the modules of a release. */
const RELEASED = 'dist/worker';

/**
 * Returns the template with absolute paths, and with the Worker as `tools/build.ts` bundles it. Wrangler uploads its modules as they are,
 * because its own bundler would make one file of them.
 */
export function withBundledWorker(template: Template, folder: string): Template {
  const { alias: _, define: __, build, assets, d1_databases, ...rest } = template;
  return {
    ...rest,
    main: resolve(folder, RELEASED, 'worker.js'),
    ...UPLOADED_AS_IT_IS,
    build: { ...build, command: `${build.command} --worker ${RELEASED}`, cwd: folder },
    assets: { ...assets, directory: resolve(folder, assets.directory) },
    d1_databases: d1_databases.map((each) => ({ ...each, migrations_dir: resolve(folder, each.migrations_dir) })),
  };
}
