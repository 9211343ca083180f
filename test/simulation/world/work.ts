/** The work of a world: how often each kind of thing happened. */
export type Work = Readonly<Record<string, number>>;

/** Tasks that only move something on its way, or that the world does itself. */
const WAY = /^(answer|arrive|block|blocks|enter|leave|open|restart) /;

/** Counts tasks, and events of the log, by their kind. */
export class WorkCounter {
  readonly #counts = new Map<string, number>();

  /** @param label The label of a task: it names an object, a host or a path. */
  noteTask(label: string): void {
    if (!WAY.test(label)) this.#add(kindOf(label));
  }

  /** @param line A line of the Worker's log. */
  noteLine(line: string): void {
    this.#add(`log ${(JSON.parse(line) as { event?: string }).event}`);
  }

  /** @param seconds The simulated time of the world. */
  total(seconds: number): Work {
    return { ...Object.fromEntries(this.#counts), seconds };
  }

  #add(kind: string): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }
}

/** Returns the label without the name of an object, the number of an endpoint, and the path of a request. */
const kindOf = (label: string): string =>
  label
    .replace(/^([A-Za-z ]*[A-Z]{2,})\/[^.]*/, '$1')
    .replace(/^(request \w+) .*/, '$1')
    .replace(/-\d+\.example$/, '');

/** Returns both together, by the name of the kind. */
export function addWork(one: Work, other: Work): Work {
  const kinds = [...new Set([...Object.keys(one), ...Object.keys(other)])].toSorted();
  return Object.fromEntries(kinds.map((kind) => [kind, (one[kind] ?? 0) + (other[kind] ?? 0)]));
}
