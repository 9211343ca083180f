import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { type Account, now, type Script, type Version } from './account.ts';
import { ApiRefusal } from './refusal.ts';
import type { ApiRequest, ApiRoute } from './route.ts';
import { readUpload } from './upload.ts';

/** https://developers.cloudflare.com/api/resources/workers/ */

const Deployed = v.strictObject({
  strategy: v.literal('percentage'),
  versions: v.pipe(v.array(v.strictObject({ version_id: v.string(), percentage: v.number() })), v.minLength(1)),
  annotations: v.optional(v.record(v.string(), v.string())),
  code_update_strategy: v.optional(v.unknown()),
});
const Schedules = v.array(v.strictObject({ cron: v.string() }));
const Origins = v.array(
  v.strictObject({
    hostname: v.string(),
    zone_id: v.optional(v.string()),
    zone_name: v.optional(v.string()),
    enabled: v.optional(v.boolean()),
    previews_enabled: v.optional(v.boolean()),
  }),
);
const Domains = v.strictObject({
  override_scope: v.boolean(),
  override_existing_origin: v.boolean(),
  override_existing_dns_record: v.boolean(),
  origins: Origins,
});
const Subdomain = v.strictObject({ enabled: v.boolean(), previews_enabled: v.optional(v.boolean()) });
const Secret = v.strictObject({ name: v.string(), text: v.string(), type: v.literal('secret_text') });
const Secrets = v.strictObject({ secrets: v.record(v.string(), v.nullable(Secret)) });

const SCRIPT = '/workers/scripts/:name';
const permission = 'Workers Scripts';

export const SCRIPT_ROUTES: readonly ApiRoute[] = [
  {
    method: 'GET',
    path: '/workers/services/:name',
    permission,
    handle: ({ account, params }) => {
      const { name, versions } = scriptOf(account, params.name, 10090);
      const migration_tag = versions.at(-1)?.migration_tag;
      const script = { id: name, tag: name, tags: [], last_deployed_from: 'wrangler', migration_tag };
      return { result: { id: name, default_environment: { environment: 'production', script } } };
    },
  },
  {
    method: 'PUT',
    path: SCRIPT,
    permission,
    query: ['excludeScript', 'bindings_inherit'],
    handle: async (request) => {
      const script = request.account.script(request.params.name ?? '');
      const version = await upload(request, script);
      deploy(script, version);
      request.account.scripts.set(script.name, script);
      return { result: { id: script.name, etag: version.id, deployment_id: version.id, startup_time_ms: 1 } };
    },
  },
  {
    method: 'POST',
    path: `${SCRIPT}/versions`,
    permission,
    query: ['bindings_inherit'],
    handle: async (request) => {
      const version = await upload(request, scriptOf(request.account, request.params.name));
      return { result: { ...shownVersion(version), startup_time_ms: 1 } };
    },
  },
  {
    method: 'GET',
    path: `${SCRIPT}/versions`,
    permission,
    query: ['deployable'],
    handle: ({ account, params }) => {
      const items = scriptOf(account, params.name).versions.slice(-10).map(shownVersion).reverse();
      return { result: { items } };
    },
  },
  {
    method: 'GET',
    path: `${SCRIPT}/versions/:version`,
    permission,
    handle: ({ account, params }) => ({
      result: shownVersion(versionOf(scriptOf(account, params.name), params.version)),
    }),
  },
  {
    method: 'GET',
    path: `${SCRIPT}/deployments`,
    permission,
    handle: ({ account, params }) => ({ result: { deployments: scriptOf(account, params.name).deployments } }),
  },
  {
    method: 'POST',
    path: `${SCRIPT}/deployments`,
    permission,
    query: ['force'],
    handle: ({ account, params, json, query }) => {
      const script = scriptOf(account, params.name);
      const { versions, annotations = {} } = v.parse(Deployed, json);
      const wanted = versions.map(({ version_id }) => versionOf(script, version_id));
      if (query.get('force') !== 'true') for (const version of wanted) demandNewestSecrets(script, version);
      const deployment = { id: randomUUID(), created_on: now(), source: 'wrangler', annotations, versions };
      script.deployments.unshift(deployment);
      return { result: deployment };
    },
  },
  {
    method: 'PATCH',
    path: `${SCRIPT}/script-settings`,
    permission,
    handle: ({ account, params, json }) => {
      scriptOf(account, params.name);
      return { result: v.parse(v.record(v.string(), v.unknown()), json) };
    },
  },
  {
    method: 'GET',
    path: `${SCRIPT}/settings`,
    permission,
    handle: ({ account, params }) => {
      const newest = scriptOf(account, params.name).versions.at(-1);
      return { result: { bindings: newest ? bindingsOf(newest) : [] } };
    },
  },
  {
    method: 'GET',
    path: '/workers/workers/:name',
    permission,
    handle: ({ account, params }) => {
      const { name, subdomain } = scriptOf(account, params.name);
      return { result: { id: name, name, subdomain } };
    },
  },
  {
    method: 'GET',
    path: `${SCRIPT}/subdomain`,
    permission,
    handle: ({ account, params }) => ({ result: scriptOf(account, params.name).subdomain }),
  },
  {
    method: 'POST',
    path: `${SCRIPT}/subdomain`,
    permission,
    handle: ({ account, params, json }) => {
      const { enabled, previews_enabled = false } = v.parse(Subdomain, json);
      return { result: Object.assign(scriptOf(account, params.name).subdomain, { enabled, previews_enabled }) };
    },
  },
  {
    method: 'POST',
    path: `${SCRIPT}/domains/changeset`,
    permission,
    query: ['replace_state'],
    handle: ({ account, params, json }) => {
      const { domains } = scriptOf(account, params.name);
      const added = v.parse(Origins, json).filter(({ hostname }) => !domains.includes(hostname));
      return { result: { added, removed: [], updated: [], conflicting: [] } };
    },
  },
  {
    method: 'PUT',
    path: `${SCRIPT}/domains/records`,
    permission,
    handle: ({ account, params, json }) => {
      const script = scriptOf(account, params.name);
      script.domains = v.parse(Domains, json).origins.map(({ hostname }) => hostname);
      return { result: script.domains.map((hostname) => ({ id: randomUUID(), hostname, service: script.name })) };
    },
  },
  {
    method: 'GET',
    path: '/workers/subdomain',
    permission,
    handle: ({ account }) => ({ result: { subdomain: account.subdomain } }),
  },
  {
    method: 'PUT',
    path: `${SCRIPT}/schedules`,
    permission,
    handle: ({ account, params, json }) => {
      const script = scriptOf(account, params.name);
      script.schedules = v.parse(Schedules, json);
      return { result: { schedules: script.schedules } };
    },
  },
  {
    method: 'GET',
    path: `${SCRIPT}/secrets`,
    permission,
    handle: ({ account, params }) => {
      const names = Object.keys(scriptOf(account, params.name).versions.at(-1)?.secrets ?? {});
      return { result: names.map((name) => ({ name, type: 'secret_text' })) };
    },
  },
  {
    method: 'PUT',
    path: `${SCRIPT}/secrets`,
    permission,
    handle: ({ account, params, json }) => {
      const { name, text } = v.parse(Secret, json);
      changeSecrets(scriptOf(account, params.name), { [name]: text });
      return { result: { name, type: 'secret_text' } };
    },
  },
  {
    method: 'PATCH',
    path: `${SCRIPT}/secrets-bulk`,
    permission,
    handle: ({ account, params, json }) => {
      const entries = Object.entries(v.parse(Secrets, json).secrets);
      changeSecrets(
        scriptOf(account, params.name),
        Object.fromEntries(entries.map(([name, secret]) => [name, secret?.text])),
      );
      return { result: { secrets: entries.map(([name]) => ({ name, type: 'secret_text' })) } };
    },
  },
];

function scriptOf({ scripts }: Account, name = '', code = 10007): Script {
  const found = scripts.get(name);
  if (!found) throw new ApiRefusal(404, code, 'This Worker does not exist on your account.');
  return found;
}

function versionOf({ versions }: Script, id = ''): Version {
  const found = versions.find((each) => each.id === id);
  if (!found) throw new ApiRefusal(404, 10092, 'Version not found');
  return found;
}

/** An older version would undo a change of a secret. */
function demandNewestSecrets(script: Script, { number, secrets }: Version): void {
  const running = script.deployments[0]?.versions.map(({ version_id }) => versionOf(script, version_id)) ?? [];
  const newer = running.filter((each) => each.number > number).map((each) => each.secrets);
  const names = newer.flatMap((each) =>
    Object.keys({ ...each, ...secrets }).filter((name) => each[name] !== secrets[name]),
  );
  if (names.length > 0)
    throw new ApiRefusal(400, 10220, `The following secrets have changed: ${[...new Set(names)].join(', ')}`);
}

/** Adds a version. Queues and databases that it binds must exist. */
async function upload({ account, body, contentType }: ApiRequest, script: Script): Promise<Version> {
  const { secrets, ...uploaded } = await readUpload(body, contentType);
  for (const { type, id, queue_name } of uploaded.bindings) {
    if (type === 'd1' && !account.databases.some(({ uuid }) => uuid === id))
      throw new ApiRefusal(400, 10021, `binding of type d1 must have a valid id: ${id}`);
    if (type === 'queue' && !account.queues.some((queue) => queue.queue_name === queue_name))
      throw new ApiRefusal(400, 11000, `Queue "${queue_name}" does not exist.`);
  }
  const newest = script.versions.at(-1);
  const bindings = uploaded.bindings.map((each) => (each.type === 'inherit' ? bindingOf(newest, each.name) : each));
  // Wrangler uploads only migrations that the Worker lacks.
  const migration_tag = uploaded.migration_tag ?? newest?.migration_tag;
  return addVersion(script, { ...uploaded, bindings, migration_tag, secrets: { ...newest?.secrets, ...secrets } });
}

function bindingOf(newest: Version | undefined, wanted: unknown): Version['bindings'][number] {
  const found = newest?.bindings.find(({ name }) => name === wanted);
  if (!found) throw new ApiRefusal(400, 10057, `There is no binding ${wanted} to inherit`);
  return found;
}

function addVersion(script: Script, version: Omit<Version, 'id' | 'number' | 'created_on'>): Version {
  const added = { ...version, id: randomUUID(), number: script.versions.length + 1, created_on: now() };
  script.versions.push(added);
  return added;
}

/** Serves all requests with the version. */
function deploy({ deployments }: Script, { id }: Version): void {
  const versions = [{ version_id: id, percentage: 100 }];
  deployments.unshift({ id: randomUUID(), created_on: now(), source: 'wrangler', annotations: {}, versions });
}

/** A change of secrets is a new version of the same code, which serves at once. */
function changeSecrets(script: Script, changes: Readonly<Record<string, string | undefined>>): void {
  const newest = script.versions.at(-1);
  if (!newest) throw new ApiRefusal(404, 10007, 'This Worker does not exist on your account.');
  const running = script.deployments[0]?.versions ?? [];
  if (running.length !== 1 || running[0]?.version_id !== newest.id)
    throw new ApiRefusal(400, 10215, 'The latest version of the Worker is not deployed.');
  const entries = Object.entries({ ...newest.secrets, ...changes }).filter(([, text]) => text !== undefined);
  const secrets = Object.fromEntries(entries) as Record<string, string>;
  deploy(
    script,
    addVersion(script, { ...newest, secrets, triggered_by: 'secret', tag: undefined, message: undefined }),
  );
}

const bindingsOf = ({ bindings, secrets }: Version) => [
  ...bindings,
  ...Object.keys(secrets).map((name) => ({ name, type: 'secret_text' })),
];

function shownVersion(version: Version) {
  const { id, number, created_on, triggered_by, tag, message, compatibility_date, migration_tag } = version;
  return {
    id,
    number,
    metadata: { created_on, modified_on: created_on, source: 'wrangler', author_email: 'operator@acme.test' },
    annotations: {
      'workers/triggered_by': triggered_by,
      ...(tag && { 'workers/tag': tag }),
      ...(message && { 'workers/message': message }),
    },
    resources: {
      script: { etag: id, handlers: ['fetch'], last_deployed_from: 'wrangler' },
      script_runtime: { compatibility_date, migration_tag, usage_model: 'standard' },
      bindings: bindingsOf(version),
    },
  };
}
