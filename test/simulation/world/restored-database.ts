import { READ_SEQUENCES, raiseSequences, sequencesIn } from '../../../ops/restore/raise-sequences.ts';
import { READ_USAGE, restoreUsage, usageIn } from '../../../ops/restore/restore-usage.ts';
import type { DatabaseCopy } from '../platform/d1-database.ts';
import type { SqlValue } from '../platform/sql-database.ts';
import { readRows } from './database.ts';
import type { World } from './world.ts';

/** The operator restores D1 (docs/operators/runbook/restore-d1.md), with the SQL of `npm run restore`. */

const SHARD = 'DB';
/** Every isolate and object has the variable by then. */
const CLOSED_SECONDS = 360;
const PARTNER_FIELDS = ['status', 'daily_issuances', 'daily_changes'];
const PREFIX = 'PASSES/';
const TRIES = 3;

/** The tables that have rows before the first request. */
const FIRST_TABLES = ['gatekeeper_networks', 'partners'];

/** Returns the version of D1 without passes. */
const firstOf = (copy: DatabaseCopy): DatabaseCopy =>
  new Map([...copy].map(([table, rows]) => [table, FIRST_TABLES.includes(table) ? rows : []]));

/** Closes D1, returns it to the copy, opens it again, imports the partners and rebuilds the rows. */
export async function restoreDatabase(world: World, copy: DatabaseCopy | undefined): Promise<void> {
  const { platform, deployment, incidents } = world;
  const database = platform.databases[SHARD];
  if (database === undefined) return;
  const sequences = sequencesIn(readRows(platform, READ_SEQUENCES) as never);
  const partners = readRows(platform, `SELECT client_id, ${PARTNER_FIELDS} FROM partners`);
  const restored = { from: world.now, rebuiltAt: Number.POSITIVE_INFINITY, sequences };
  incidents.restores.push(restored);
  deployment.deployClosed(SHARD);
  await world.pass(CLOSED_SECONDS);
  const usageOf = () => usageIn(readRows(platform, READ_USAGE) as never);
  const usage = usageOf();
  database.restore(copy ?? firstOf(database.copy()));
  for (const statement of [...raiseSequences(sequences), ...restoreUsage(usage, usageOf())]) database.write(statement);
  for (const { client_id: id, ...fields } of partners)
    database.write(
      `UPDATE partners SET ${PARTNER_FIELDS.map((name) => `${name} = ?`)} WHERE client_id = ?`,
      ...(Object.values(fields) as SqlValue[]),
      String(id),
    );
  deployment.deployClosed('');
  await rebuild(world);
}

/** Returns the version of each pass in its object, by its id. */
function storedVersions({ platform: { namespaces } }: World): Map<string, number> {
  const passes = namespaces.PASSES.all.flatMap(({ storage }) => {
    const stored = storage.kv.get('pass') as
      | { readonly pass: { readonly id: string; readonly version: number } }
      | undefined;
    return stored?.pass ?? [];
  });
  return new Map(passes.map(({ id, version }) => [id, version]));
}

/** Has the pass objects write their rows, as `npm run rebuild` does, unless too much fails. */
export async function rebuild(world: World): Promise<void> {
  const send = async (body: object) => {
    const { status, answer } = await world.requests.repeatedAnswerTo('operator', 'POST', '/admin/rebuild', {
      shard: SHARD,
      ...body,
    });
    return status === 200 ? (answer as { readonly unreachable: readonly string[] }).unreachable : undefined;
  };
  const { PASSES } = world.platform.namespaces;
  let left: readonly string[] | undefined = PASSES.all.map(({ label }) =>
    PASSES.idFromName(label.slice(PREFIX.length)).toString(),
  );
  const versions = storedVersions(world);
  if ((await send({ start: true, objects: [] })) === undefined) return;
  for (let tries = 0; tries < TRIES && left !== undefined && left.length > 0; tries += 1)
    left = await send({ objects: left });
  if (left?.length !== 0 || (await send({ objects: [], position: null })) === undefined) return;
  const rows = readRows(world.platform, 'SELECT id, version FROM passes');
  const rebuilt = new Map(rows.map(({ id, version }) => [String(id), Number(version)]));
  for (const [id, version] of versions)
    if ((rebuilt.get(id) ?? -1) < version) world.incidents.oldRows.push(`${id} ${version}`);
  for (const restored of world.incidents.restores) restored.rebuiltAt = Math.min(restored.rebuiltAt, world.now);
}
