/** A place in a list that is sorted by time and, within a second, by id. */
export interface Position {
  /** Unix seconds. */
  readonly at: number;
  readonly id: string;
}

/** As callers hand it in again, to go on behind it. */
export function positionText({ at, id }: Position): string {
  return `${at}:${id}`;
}

/** Undefined for a text that is none. */
export function positionIn(text: string): Position | undefined {
  const [, at, id] = /^(\d{1,12}):([\w-]{1,100})$/.exec(text) ?? [];
  return at === undefined || id === undefined ? undefined : { at: Number(at), id };
}
