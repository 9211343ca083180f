import { callObject } from '../message/call-object.ts';
import type { Backend } from '../operations/backend.ts';
import type { RebuildCounts, RebuildPlace } from '../store/rebuilds.ts';
import type { RestoredPass } from '../store/unsettled.ts';

/** Some pass objects whose rows in a shard are to be written again. */
interface RebuildSlice {
  readonly shard: string;
  /** Ids of pass objects. */
  readonly objects: readonly string[];
  /** Whether a new rebuild of the shard begins. */
  readonly start?: boolean | undefined;
  /** Position at which the list of objects continues after this slice; null: this slice is the last. */
  readonly position?: RebuildPlace;
}

interface RebuiltSlice extends RebuildCounts {
  /** Ids of the objects that did not answer. Send them again. */
  readonly unreachable: readonly string[];
}

/**
 * Writes the rows of those pass objects that belong to the shard. The version guard keeps newer rows, so a slice may arrive
 * twice, late, or at the same time as others. Throws if the database does not answer.
 */
export async function rebuildSlice(slice: RebuildSlice, backend: Backend): Promise<RebuiltSlice> {
  const { shard, objects, start = false, position } = slice;
  const { store } = backend;
  if (start) await store.beginRebuild(shard);
  const answers = await readPasses(objects, backend);
  const passes = answers.flatMap(({ id, pass }) => (pass === undefined ? [] : [{ id, pass }]));
  const inShard = await store.passesIn(
    shard,
    passes.map(({ pass }) => pass.publication),
  );
  const here = passes.filter(({ pass }) => inShard.includes(pass.publication));
  const unread = await restore(here, shard, backend);
  const answered = answers.filter(({ id }) => !unread.includes(id));
  const counts = {
    objects: answered.length,
    passes: here.length - unread.length,
    elsewhere: passes.length - here.length,
    empty: answers.length - passes.length,
  };
  await store.advanceRebuild(shard, counts, position);
  const ids = new Set(answered.map(({ id }) => id));
  return { ...counts, unreachable: objects.filter((id) => !ids.has(id)) };
}

interface ReadPass {
  /** Id of the pass object. */
  readonly id: string;
  readonly pass: RestoredPass;
}

/**
 * Writes the rows of these passes. A pass on the operator's list may settle and leave the list before its entry is written
 * here, so this reads listed passes again until they match the written rows. Returns the ids of objects that did not answer the
 * second reading.
 */
async function restore(passes: readonly ReadPass[], shard: string, backend: Backend): Promise<string[]> {
  await backend.store.restoreRows(
    shard,
    passes.map(({ pass }) => pass),
  );
  const listed = new Map(
    passes.flatMap(({ id, pass }) => (pass.listedSince === undefined ? [] : [[id, pass.listedSince]])),
  );
  if (listed.size === 0) return [];
  const answers = await readPasses([...listed.keys()], backend);
  const changed = answers.flatMap(({ id, pass }) =>
    pass === undefined || pass.listedSince === listed.get(id) ? [] : [{ id, pass }],
  );
  const answered = new Set(answers.map(({ id }) => id));
  const unread = [...listed.keys()].filter((id) => !answered.has(id));
  return changed.length === 0 ? unread : [...unread, ...(await restore(changed, shard, backend))];
}

/** Returns the passes of these objects, without the objects that do not answer. */
async function readPasses(
  ids: readonly string[],
  backend: Backend,
): Promise<{ readonly id: string; readonly pass: RestoredPass | undefined }[]> {
  const answers = await Promise.all(ids.map((id) => readPass(id, backend)));
  return answers.filter((answer) => answer !== undefined);
}

/** Returns the pass of an object; undefined if the object does not answer. */
function readPass(
  id: string,
  { passObjectWithId }: Backend,
): Promise<{ readonly id: string; readonly pass: RestoredPass | undefined } | undefined> {
  return callObject(async () => ({ id, pass: await passObjectWithId(id).readForRebuild() }), 'pass', id);
}
