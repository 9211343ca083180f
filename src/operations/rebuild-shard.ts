import type { RebuildCounts, RebuildPlace } from '../store/rebuilds.ts';
import type { RestoredPass } from '../store/restore-list.ts';
import type { Backend } from './backend.ts';
import { callObject } from './call-object.ts';

/** Some pass objects, to bring their rows of a shard up to date. */
export interface RebuildSlice {
  readonly shard: string;
  /** Ids of pass objects. */
  readonly objects: readonly string[];
  /** Whether a new rebuild of the shard begins. */
  readonly start?: boolean | undefined;
  /** Where the list of the objects continues behind this slice; null: nowhere. */
  readonly position?: RebuildPlace;
}

export interface RebuiltSlice extends RebuildCounts {
  /** Ids of the objects that did not answer: to be asked again. */
  readonly unreachable: readonly string[];
}

/**
 * Writes the rows of these pass objects that belong to the shard. The version guard keeps newer rows, so a slice may come
 * twice, late, and beside others. Throws if the database does not answer.
 */
export async function rebuildSlice(slice: RebuildSlice, backend: Backend): Promise<RebuiltSlice> {
  const { shard, objects, start = false, position } = slice;
  const { store } = backend;
  if (start) await store.beginRebuild(shard);
  const answers = await readPasses(objects, backend);
  const passes = answers.flatMap(({ id, pass }) => (pass === undefined ? [] : [{ id, pass }]));
  const here = passes.filter(({ pass }) => store.isIn(pass.publication, shard));
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
  /** Of the pass object. */
  readonly id: string;
  readonly pass: RestoredPass;
}

/**
 * Writes the rows of these passes. A pass on the operator's list may settle and leave the list before its entry is written
 * here, so listed passes are read again until they are as they were written. Returns the ids of objects that did not answer again.
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

/** Reads passes from their objects; leaves out the objects that do not answer. */
async function readPasses(
  ids: readonly string[],
  backend: Backend,
): Promise<{ readonly id: string; readonly pass: RestoredPass | undefined }[]> {
  const answers = await Promise.all(ids.map((id) => readPass(id, backend)));
  return answers.filter((answer) => answer !== undefined);
}

/** Undefined if the object does not answer. */
function readPass(
  id: string,
  { passObjectWithId }: Backend,
): Promise<{ readonly id: string; readonly pass: RestoredPass | undefined } | undefined> {
  return callObject(async () => ({ id, pass: await passObjectWithId(id).readForRebuild() }), 'pass', id);
}
