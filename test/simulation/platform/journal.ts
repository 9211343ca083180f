/** A value before a change, and whether there was one. */
type Before<V> = readonly [key: string, value: V | undefined, existed: boolean];

/** A map whose changes can be undone to a mark. */
export class JournaledMap<V> {
  readonly #values = new Map<string, V>();
  /** The values before each change, the oldest first. */
  readonly #undo: Before<V>[] = [];

  get(key: string): V | undefined {
    return this.#values.get(key);
  }

  /** Returns the keys in the order of their bytes. */
  keys(): string[] {
    return [...this.#values.keys()].toSorted(byBytes);
  }

  set(key: string, value: V): void {
    this.#note(key);
    this.#values.set(key, value);
  }

  /** Returns whether it was there. */
  delete(key: string): boolean {
    if (!this.#values.has(key)) return false;
    this.#note(key);
    return this.#values.delete(key);
  }

  /** Returns a place to which `undoTo` returns. */
  mark(): number {
    return this.#undo.length;
  }

  undoTo(mark: number): void {
    while (this.#undo.length > mark) {
      const [key, before, existed] = this.#undo.pop() as Before<V>;
      if (existed) this.#values.set(key, before as V);
      else this.#values.delete(key);
    }
  }

  /** Forgets how to undo the changes so far. */
  keep(): void {
    this.#undo.length = 0;
  }

  #note(key: string): void {
    this.#undo.push([key, this.#values.get(key), this.#values.has(key)]);
  }
}

const SURROGATE = /[\ud800-\udfff]/;

/** Code units have the order of the bytes of UTF-8, except surrogate pairs. */
function byBytes(a: string, b: string): number {
  if (SURROGATE.test(a) || SURROGATE.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}
