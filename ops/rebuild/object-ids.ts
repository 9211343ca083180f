import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../scripts/failure.ts';
import { storageFolderOf } from '../../scripts/wrangler.ts';

/** Some ids of pass objects, and where the list continues; undefined: nowhere. */
export interface IdPage {
  readonly ids: readonly string[];
  readonly next: string | undefined;
}

/** Lists ids from a position on, or from the beginning. */
export type IdSource = (position: string | undefined) => Promise<IdPage>;

const PAGE_IDS = 2_000;

/** The ids of a list that is known as a whole. */
export function idsOfList(ids: readonly string[]): IdSource {
  return async (position = '0') => {
    if (!/^\d{1,12}$/.test(position)) throw new Failure(wrongPosition(position));
    const [from, to] = [Number(position), Number(position) + PAGE_IDS];
    return { ids: ids.slice(from, to), next: to < ids.length ? String(to) : undefined };
  };
}

/** Also where the ids come from another source than the one that a stopped rebuild had. */
const wrongPosition = (position: string) =>
  `the list of objects has no position ${position}, where the last rebuild stopped: begin anew, without --continue`;

const OBJECT_ID = /^[0-9a-f]{64}$/;

/** The ids in a file, one on each line. */
export async function idsInFile(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Failure(`--ids: ${file} cannot be read`, 2);
  });
  const ids = text.split(/\s+/).filter(Boolean);
  const wrong = ids.find((id) => !OBJECT_ID.test(id));
  if (wrong !== undefined) throw new Failure(`--ids: "${wrong.slice(0, 80)}" is no id of an object`, 2);
  return [...new Set(ids)];
}

/** The ids of the pass objects that wrangler keeps in a state folder: a file for each. */
export async function idsInState(state: string, script: string): Promise<string[]> {
  const folder = join(storageFolderOf(state), 'v3', 'do', `${script}-${CLASS_NAME}`);
  // No object was stored yet, so wrangler has made no folder.
  const files = await readdir(folder).catch(() => [] as string[]);
  const ids = files.filter((file) => file.endsWith('.sqlite')).map((file) => file.slice(0, -'.sqlite'.length));
  return ids.filter((id) => OBJECT_ID.test(id)).toSorted();
}

export const CLASS_NAME = 'PassObject';
