import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../terminal/failure.ts';
import { storageFolderOf } from '../../terminal/wrangler.ts';
import { readText } from '../files.ts';

/** Some ids of pass objects, and the position where the list continues; undefined at the end of the list. */
export interface IdPage {
  readonly ids: readonly string[];
  readonly next: string | undefined;
}

/** Lists ids from a position, or from the beginning if the position is undefined. */
export type IdSource = (position: string | undefined) => Promise<IdPage>;

const PAGE_IDS = 2_000;

/** Serves a complete list of ids in pages. */
export function idsOfList(ids: readonly string[]): IdSource {
  return async (position = '0') => {
    if (!/^\d{1,12}$/.test(position)) throw new Failure(wrongPosition(position));
    const [from, to] = [Number(position), Number(position) + PAGE_IDS];
    return { ids: ids.slice(from, to), next: to < ids.length ? String(to) : undefined };
  };
}

/** Also the message if the stopped rebuild read its ids from another source. */
const wrongPosition = (position: string) =>
  `the list of objects has no position ${position}, where the last rebuild stopped: start again without --continue`;

const OBJECT_ID = /^[0-9a-f]{64}$/;

/** Returns the ids of a file with one id per line. */
export function idsInFile(file: string): string[] {
  const ids = readText(file, '--ids').split(/\s+/).filter(Boolean);
  const wrong = ids.find((id) => !OBJECT_ID.test(id));
  if (wrong !== undefined)
    throw new Failure(`--ids: "${wrong.slice(0, 80)}" is not the id of an object: write 64 hex digits per line`, 2);
  return [...new Set(ids)];
}

/** Returns the ids of the pass objects in a state folder, where wrangler stores one file per object. */
export async function idsInState(state: string, script: string): Promise<string[]> {
  const folder = join(storageFolderOf(state), 'v3', 'do', `${script}-${CLASS_NAME}`);
  // Wrangler creates the folder with the first object.
  const files = await readdir(folder).catch(() => [] as string[]);
  const ids = files.filter((file) => file.endsWith('.sqlite')).map((file) => file.slice(0, -'.sqlite'.length));
  return ids.filter((id) => OBJECT_ID.test(id)).toSorted();
}

export const CLASS_NAME = 'PassObject';
