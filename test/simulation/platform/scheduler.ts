import type { Chance } from './chance.ts';

/** Work that the scheduler runs at a time. */
export interface Task {
  readonly at: number;
  readonly label: string;
  readonly run: () => unknown;
  isCancelled: boolean;
  /** Its place among the tasks that are due. */
  readonly priority: number;
}

const realImmediate = globalThis.setImmediate;

/** The only source of time and order: of the tasks that are due, chance decides which one runs; if none is due, time jumps to the next. */
export class Scheduler {
  readonly chance: Chance;
  /** The time (Unix milliseconds). */
  now: number;
  /** Number of tasks that ran. */
  steps = 0;
  /** Called before each task. */
  onTask: (label: string) => void = () => {};
  /** Called after each task, when nothing more happens without another one. */
  onStep: () => void = () => {};
  readonly #due = new Heap((a, b) => a.priority < b.priority);
  readonly #later = new Heap((a, b) => a.at < b.at || (a.at === b.at && a.priority < b.priority));
  readonly #log: ((line: string) => void) | undefined;

  /** @param log Receives a line for each task. */
  constructor(chance: Chance, now: number, log?: (line: string) => void) {
    this.chance = chance;
    this.now = now;
    this.#log = log;
  }

  /** Runs it `ms` milliseconds from now, among everything else that is due then. */
  after(ms: number, label: string, run: () => unknown): Task {
    const at = this.now + Math.max(0, ms);
    const task = { at, label, run, isCancelled: false, priority: this.chance.draw(label) };
    (ms > 0 ? this.#later : this.#due).add(task);
    return task;
  }

  /** Runs tasks until the condition is true, none is left, or the time has come. Returns whether the condition is true. */
  async runUntil(condition: () => boolean, until = Number.POSITIVE_INFINITY): Promise<boolean> {
    await quiet();
    while (!condition()) {
      const task = this.#next(until);
      if (task === undefined) return condition();
      this.steps += 1;
      this.#log?.(`${this.now} ${task.label}`);
      this.onTask(task.label);
      await task.run();
      await quiet();
      this.onStep();
    }
    return true;
  }

  #next(until: number): Task | undefined {
    for (;;) {
      if (this.#due.first === undefined) {
        const { first } = this.#later;
        if (first === undefined || first.at > until) {
          if (until !== Number.POSITIVE_INFINITY) this.now = Math.max(this.now, until);
          return undefined;
        }
        this.now = Math.max(this.now, first.at);
        while (this.#later.first !== undefined && this.#later.first.at <= this.now)
          this.#due.add(this.#later.removeFirst());
      }
      const task = this.#due.removeFirst();
      if (!task.isCancelled) return task;
    }
  }
}

/** Resolves when all promises have settled that can settle without another task. */
const quiet = (): Promise<void> => new Promise((resolve) => realImmediate(resolve));

/** Tasks in an order: adding and removing the first take logarithmic time. */
class Heap {
  readonly #tasks: Task[] = [];
  readonly #isBefore: (a: Task, b: Task) => boolean;

  constructor(isBefore: (a: Task, b: Task) => boolean) {
    this.#isBefore = isBefore;
  }

  get first(): Task | undefined {
    return this.#tasks[0];
  }

  add(task: Task): void {
    const tasks = this.#tasks;
    let index = tasks.push(task) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(task, tasks[parent] as Task)) break;
      tasks[index] = tasks[parent] as Task;
      index = parent;
    }
    tasks[index] = task;
  }

  removeFirst(): Task {
    const tasks = this.#tasks;
    const first = tasks[0] as Task;
    const last = tasks.pop() as Task;
    if (tasks.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= tasks.length) break;
      if (child + 1 < tasks.length && this.#isBefore(tasks[child + 1] as Task, tasks[child] as Task)) child += 1;
      if (!this.#isBefore(tasks[child] as Task, last)) break;
      tasks[index] = tasks[child] as Task;
      index = child;
    }
    tasks[index] = last;
    return first;
  }
}
