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
  const read = await Promise.all(objects.map((id) => readPass(id, backend)));
  const answers = read.filter((answer) => answer !== undefined);
  const passes = answers.flatMap(({ pass }) => pass ?? []);
  const here = passes.filter(({ publication }) => store.isIn(publication, shard));
  await store.restoreRows(shard, here);
  const counts = {
    objects: answers.length,
    passes: here.length,
    elsewhere: passes.length - here.length,
    empty: answers.length - passes.length,
  };
  await store.advanceRebuild(shard, counts, position);
  return { ...counts, unreachable: objects.filter((_, index) => read[index] === undefined) };
}

/** Undefined if the object does not answer. */
function readPass(
  id: string,
  { passObjectWithId }: Backend,
): Promise<{ readonly pass: RestoredPass | undefined } | undefined> {
  return callObject(async () => ({ pass: await passObjectWithId(id).readForRebuild() }), 'pass', id);
}
