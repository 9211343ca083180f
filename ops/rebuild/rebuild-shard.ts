import { Failure } from '../../terminal/failure.ts';
import type { AdminCall } from '../admin-api.ts';
import type { IdSource } from './object-ids.ts';

/** A rebuild as `GET /admin/reconciliation` shows it. */
export interface RebuildProgress {
  readonly shard: string;
  readonly finished: number | null;
  readonly position: string | null;
  readonly objects: number;
  readonly passes: number;
  readonly elsewhere: number;
  readonly empty: number;
}

interface Plan {
  readonly shard: string;
  readonly source: IdSource;
  readonly parallel: number;
  /** Whether to continue the stopped rebuild; otherwise a new one starts. */
  readonly continues: boolean;
  /** Called with a line of progress. */
  readonly say: (line: string) => void;
}

/** The maximum of `POST /admin/rebuild`. */
const SLICE_MAX_IDS = 200;

/**
 * Sends the ids of all pass objects to the service in slices, and returns the finished rebuild. Throws Failure if the plan
 * continues a rebuild and the shard has no stopped one. Only the operator can decide whether to continue, because a shard that
 * was restored again since then needs a new rebuild.
 */
export async function rebuildShard(call: AdminCall, plan: Plan): Promise<RebuildProgress> {
  const { shard, source, say } = plan;
  let position = plan.continues ? await findPosition(call, plan) : undefined;
  if (!plan.continues) await sendSlice(call, { shard, objects: [], start: true });
  const positions = new Set<string | undefined>();
  do {
    if (positions.has(position)) throw new Failure(`the list of objects repeats itself at ${position}: see --continue`);
    positions.add(position);
    const { ids, next } = await source(position);
    await sendPage(call, plan, ids);
    await sendSlice(call, { shard, objects: [], position: next ?? null });
    position = next;
    const { objects = 0, passes = 0 } = (await findProgress(call, shard)) ?? {};
    say(`${shard}: ${objects} objects, ${passes} passes of the shard`);
  } while (position !== undefined);
  const done = await findProgress(call, shard);
  if (done === undefined)
    throw new Failure('GET /admin/reconciliation does not show the rebuild: run the command again');
  return done;
}

/** Returns what a rebuild would do. It lists the objects, and calls none. */
export async function planRebuild(call: AdminCall, plan: Plan): Promise<string[]> {
  let position = plan.continues ? await findPosition(call, plan) : undefined;
  let count = 0;
  do {
    const { ids, next } = await plan.source(position);
    count += ids.length;
    position = next;
  } while (position !== undefined);
  const what = plan.continues ? 'continue the stopped rebuild' : 'begin a rebuild';
  return [
    `${what} of ${plan.shard}, and send the ids of ${count} objects to POST /admin/rebuild, ${SLICE_MAX_IDS} at a time`,
  ];
}

/** Returns the position where the stopped rebuild continues, or undefined for the first object. */
async function findPosition(call: AdminCall, { shard, say }: Plan): Promise<string | undefined> {
  const stopped = await findProgress(call, shard);
  if (stopped?.finished !== null)
    throw new Failure(`no rebuild of ${shard} was stopped: start a new one without --continue`);
  say(`${shard}: continues after ${stopped.objects} objects`);
  return stopped.position ?? undefined;
}

async function findProgress(call: AdminCall, shard: string): Promise<RebuildProgress | undefined> {
  const { rebuilds } = await call<{ rebuilds: RebuildProgress[] }>('GET', '/admin/reconciliation');
  return rebuilds.find((each) => each.shard === shard);
}

/** Sends the ids in parallel slices. If a slice fails, it throws the Failure after the other slices have ended. */
async function sendPage(call: AdminCall, { shard, parallel }: Plan, ids: readonly string[]): Promise<void> {
  const slices = Array.from({ length: Math.ceil(ids.length / SLICE_MAX_IDS) }, (_, index) =>
    ids.slice(index * SLICE_MAX_IDS, (index + 1) * SLICE_MAX_IDS),
  );
  const sendNext = async () => {
    for (let slice = slices.shift(); slice !== undefined; slice = slices.shift()) {
      await sendObjects(call, shard, slice);
    }
  };
  const lines = await Promise.allSettled(Array.from({ length: parallel }, sendNext));
  for (const line of lines) if (line.status === 'rejected') throw line.reason;
}

const MAX_TRIES = 5;

async function sendObjects(call: AdminCall, shard: string, ids: readonly string[]): Promise<void> {
  let left = ids;
  for (let tries = 0; tries < MAX_TRIES && left.length > 0; tries += 1) {
    left = (await sendSlice(call, { shard, objects: left })).unreachable;
  }
  if (left.length > 0)
    throw new Failure(
      `${left.length} objects do not answer, for example ${left[0]}: run the command again later with --continue`,
    );
}

interface Slice {
  readonly shard: string;
  readonly objects: readonly string[];
  readonly start?: true;
  readonly position?: string | null;
}

function sendSlice(call: AdminCall, slice: Slice): Promise<{ readonly unreachable: readonly string[] }> {
  return call('POST', '/admin/rebuild', slice);
}
