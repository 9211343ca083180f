/** A place in a list that is sorted by time and, within a second, by id. */
export interface Cursor {
  /** Unix seconds. */
  readonly at: number;
  readonly id: string;
}

/** As callers hand it in again, to go on behind it. */
export function formatCursor({ at, id }: Cursor): string {
  return `${at}:${id}`;
}

/** Undefined for a text that is none. */
export function parseCursor(text: string): Cursor | undefined {
  const [, at, id] = /^(\d{1,12}):([\w-]{1,100})$/.exec(text) ?? [];
  return at === undefined || id === undefined ? undefined : { at: Number(at), id };
}
