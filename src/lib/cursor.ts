/** A place in a list that is sorted by time and, within a second, by id. */
export interface Cursor {
  /** Unix seconds. */
  readonly at: number;
  readonly id: string;
}

/** Returns the cursor as text. A caller sends it again to continue after that place. */
export function formatCursor({ at, id }: Cursor): string {
  return `${at}:${id}`;
}

/** Returns the cursor in the text; undefined if the text is no cursor. */
export function parseCursor(text: string): Cursor | undefined {
  const [, at, id] = /^(\d{1,12}):([\w-]{1,100})$/.exec(text) ?? [];
  return at === undefined || id === undefined ? undefined : { at: Number(at), id };
}
