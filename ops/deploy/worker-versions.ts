import * as v from 'valibot';
import { Failure } from '../../terminal/failure.ts';
import { runWranglerForJson, WranglerFailure } from '../../terminal/wrangler.ts';
import { RELEASE_VARIABLES } from './code-release.ts';

/** The parts of Cloudflare's answers that the commands read. */
const Annotations = v.optional(
  v.object({ 'workers/tag': v.optional(v.string()), 'workers/triggered_by': v.optional(v.string()) }),
  {},
);
const ListedVersion = v.object({
  id: v.string(),
  metadata: v.object({ created_on: v.string() }),
  annotations: Annotations,
});
const ViewedVersion = v.object({
  ...ListedVersion.entries,
  resources: v.object({
    bindings: v.array(v.object({ type: v.string(), name: v.string(), text: v.optional(v.string()) })),
    script_runtime: v.optional(v.object({ migration_tag: v.optional(v.string()) }), {}),
  }),
});
const Deployments = v.array(
  v.object({ versions: v.array(v.object({ version_id: v.string(), percentage: v.number() })) }),
);

/** A version in the list of the newest ones. */
export interface RecentVersion {
  readonly id: string;
  readonly createdOn: string;
  readonly tag: string | undefined;
  /** Whether a change of a secret made it. It has the code of the version before. */
  readonly isSecretChange: boolean;
}

/** A version with everything that it binds. */
export interface WorkerVersion extends RecentVersion {
  /** Undefined: `npm run deploy` did not make the version, nor the version that it comes from. */
  readonly release: string | undefined;
  readonly previous: string | undefined;
  /** The tag of the newest migration of Durable Objects. */
  readonly classes: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

/** A version that answers requests, and its share in percent. */
export interface RunningVersion extends WorkerVersion {
  readonly percentage: number;
}

/** The code of Cloudflare's error for a Worker that does not exist. */
const NO_SUCH_WORKER = 10007;

/**
 * Returns the versions that answer requests: one, two during a gradual deployment, or none before the first deployment.
 * @param config The configuration file of the deployment.
 */
export async function readRunningVersions(config: string): Promise<RunningVersion[]> {
  const newest = (await readDeployments(config)).at(-1);
  const shares = newest?.versions.filter(({ percentage }) => percentage > 0) ?? [];
  return Promise.all(
    shares.map(async ({ version_id, percentage }) => ({ ...(await readVersion(config, version_id)), percentage })),
  );
}

async function readDeployments(config: string): Promise<v.InferOutput<typeof Deployments>> {
  try {
    return await readJson(Deployments, ['deployments', 'list'], config);
  } catch (fault) {
    if (fault instanceof WranglerFailure && fault.apiCode === NO_SUCH_WORKER) return [];
    throw fault;
  }
}

/** Returns the ten newest versions, the newest first. */
export async function readRecentVersions(config: string): Promise<RecentVersion[]> {
  const listed = await readJson(v.array(ListedVersion), ['versions', 'list'], config);
  return listed.map(recentOf).toSorted((a, b) => (a.createdOn < b.createdOn ? 1 : -1));
}

export async function readVersion(config: string, id: string): Promise<WorkerVersion> {
  const viewed = await readJson(ViewedVersion, ['versions', 'view', id], config);
  const { bindings, script_runtime } = viewed.resources;
  const named = (type: string) => bindings.filter((each) => each.type === type);
  const variables = Object.fromEntries(named('plain_text').map(({ name, text = '' }) => [name, text]));
  return {
    ...recentOf(viewed),
    release: variables[RELEASE_VARIABLES.release] || undefined,
    previous: variables[RELEASE_VARIABLES.previous] || undefined,
    classes: script_runtime.migration_tag,
    variables,
    secrets: named('secret_text').map(({ name }) => name),
  };
}

const recentOf = ({ id, metadata, annotations }: v.InferOutput<typeof ListedVersion>): RecentVersion => ({
  id,
  createdOn: metadata.created_on,
  tag: annotations['workers/tag'],
  isSecretChange: annotations['workers/triggered_by'] === 'secret',
});

async function readJson<Schema extends v.GenericSchema>(
  schema: Schema,
  command: readonly string[],
  config: string,
): Promise<v.InferOutput<Schema>> {
  const parsed = v.safeParse(schema, await runWranglerForJson([...command, '--json', '--config', config]));
  if (parsed.success) return parsed.output;
  throw new Failure(`wrangler ${command[0]} ${command[1]} printed an answer of an unknown shape`);
}
