import { FIRST_SHARD } from '../config/shard-name.ts';
import { logFault } from '../log/log.ts';
import { type PassKey, passName } from '../pass/pass.ts';
import type { Inspection } from '../pass-object/pass-object.ts';
import { type Publication, publishPasses } from '../store/passes.ts';
import { correctRow, rowsOf } from '../store/read-model.ts';
import { shardOf } from '../store/shards.ts';
import type { Difference, Tally } from './differences.ts';
import type { Slice } from './reconciliation-slice.ts';

/**
 * Compares rows of the read model with their pass objects, and repairs what differs. Returns the passes as their objects
 * have them. Throws when the database does not answer.
 */
export async function compareRows(passes: Slice['passes'], tally: Tally, env: Env): Promise<Inspection[]> {
  const looked = await Promise.all(passes.map(({ key, row }) => inspectPass(key, row, tally, env)));
  const there = looked.filter((each) => each !== undefined);
  for (const { inspected } of there) if (inspected.wasWithoutAlarm) tally.report('no-alarm', inspected.publication);
  const byShard = Map.groupBy(there, ({ inspected: { publication } }) => publication.shard ?? FIRST_SHARD);
  await Promise.all([...byShard].map(([shard, group]) => repairRows(group, tally, shardOf(env, shard).db)));
  return there.map(({ inspected }) => inspected);
}

interface InspectedRow {
  readonly row: Publication | undefined;
  readonly inspected: Inspection;
}

async function inspectPass(
  key: PassKey,
  row: Publication | undefined,
  tally: Tally,
  env: Env,
): Promise<InspectedRow | undefined> {
  try {
    const inspected = await env.PASSES.getByName(passName(key)).inspect();
    if (inspected !== undefined) return { row, inspected };
    if (row !== undefined) tally.report('no-pass-object', row);
  } catch (fault) {
    logFault('pass-unreachable', fault, { pass: row?.id });
    tally.count('object-unreachable');
  }
  return undefined;
}

async function repairRows(looked: readonly InspectedRow[], tally: Tally, db: D1Database): Promise<void> {
  const suspect = looked.filter(({ row, inspected }) => differenceOf(row, inspected.publication) !== undefined);
  // What moved on between the two looks is no difference: its newest row is on its way, or there.
  const now = await rowsOf(
    db,
    suspect.map(({ inspected }) => inspected.publication.key),
  );
  const behind: Publication[] = [];
  for (const [index, { row, inspected }] of suspect.entries()) {
    const { publication } = inspected;
    const isAltered = differenceOf(row, publication) === 'row-altered';
    const difference = isAltered ? 'row-altered' : differenceOf(now[index], publication);
    if (difference === undefined || (difference === 'row-altered' && !isAltered)) continue;
    tally.report(difference, publication);
    if (isAltered && row !== undefined) await correctRow(db, publication, row.version);
    else behind.push(publication);
  }
  await publishPasses(db, behind);
}

/** The row was read before its pass was asked: it cannot be newer, unless somebody else has written it. */
function differenceOf(row: Publication | undefined, pass: Publication): Difference | undefined {
  if (row === undefined) return 'row-missing';
  if (row.version < pass.version) return 'row-stale';
  const isSame = row.version === pass.version && row.id === pass.id && row.state === pass.state;
  return isSame && row.record === pass.record ? undefined : 'row-altered';
}
