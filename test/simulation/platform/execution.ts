import { AsyncLocalStorage } from 'node:async_hooks';
import type { Scheduler, Task } from './scheduler.ts';

/** A part of the life of an object in which only its own events run (`blockConcurrencyWhile`). */
export class Section {
  /** The section in which it began. */
  readonly parent: Section | undefined;
  isClosed = false;

  constructor(parent: Section | undefined) {
    this.parent = parent;
  }
}

/** Returns the section whose events run now instead of those of a closed one: work that outlives its section continues outside of it. */
function openAround(section: Section | undefined): Section | undefined {
  let open = section;
  while (open?.isClosed) open = open.parent;
  return open;
}

/** A running event of the Worker, or the life of an object between two restarts. Everything that it began ends with it. */
export class Execution {
  readonly name: string;
  isDead = false;
  /** Messages that wait until the writes before them are stored; undefined: all writes are stored. */
  #gate: (() => void)[] | undefined;
  /** The innermost section; undefined: every event runs. */
  #section: Section | undefined;
  /** Events that wait for the end of sections. */
  #waiting: { readonly section: Section | undefined; run(): void }[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** From now on, nothing leaves before `openGate`. */
  closeGate(): void {
    this.#gate ??= [];
  }

  /** Whether something waits behind its gate. */
  get isHolding(): boolean {
    return this.#gate !== undefined && this.#gate.length > 0;
  }

  openGate(): void {
    if (this.isDead) return;
    const waiting = this.#gate ?? [];
    this.#gate = undefined;
    for (const send of waiting) send();
  }

  /** Sends now, or when all earlier writes are stored. A dead execution sends nothing. */
  emit(send: () => void): void {
    if (this.isDead) return;
    if (this.#gate === undefined) send();
    else this.#gate.push(send);
  }

  /** Runs an event of that section now, or when no other section is open. A dead execution runs nothing. */
  admit(section: Section | undefined, run: () => void): void {
    if (this.isDead) return;
    if (openAround(section) === this.#section) run();
    else this.#waiting.push({ section, run });
  }

  /** Opens a section inside that one. `begin` runs in it, as soon as the other one is the innermost. */
  openSection(parent: Section | undefined, begin: (section: Section) => void): void {
    this.admit(parent, () => {
      const section = new Section(openAround(parent));
      this.#section = section;
      begin(section);
    });
  }

  /** @param later Runs each waiting event by itself: the promises of one settle before the next begins. */
  closeSection(section: Section, later: (run: () => void) => void): void {
    section.isClosed = true;
    this.#section = openAround(section);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { section: of, run } of waiting) later(() => this.admit(of, run));
  }

  /** It stops at once, wherever it waits, and what waits behind its gate is never sent. */
  die(): void {
    this.isDead = true;
    this.#gate = [];
    this.#waiting = [];
  }
}

/** The code that runs: of an execution, and of one of its sections. */
interface Running {
  readonly execution: Execution;
  readonly section: Section | undefined;
}

const running = new AsyncLocalStorage<Running>();

/** Returns the execution whose code runs; undefined outside the Worker. */
export const currentExecution = (): Execution | undefined => running.getStore()?.execution;

/** Returns the section whose code runs. */
export const currentSection = (): Section | undefined => running.getStore()?.section;

/** Runs code of that execution. */
export const runIn = <T>(execution: Execution, work: () => T, section?: Section): T =>
  running.run({ execution, section }, work);

/** Returns a function that continues the code that runs now, when its execution admits the event. Outside the Worker, it does so at once. */
export function continuation(): (resume: () => void) => void {
  const from = running.getStore();
  return (resume) => {
    if (from === undefined) resume();
    else from.execution.admit(from.section, resume);
  };
}

/** How a message on its way fares. */
export interface Journey {
  /** Milliseconds until it arrives. */
  readonly there: number;
  /** Milliseconds until its answer arrives. */
  readonly back: number;
  /** The fault that loses it before or after its work. */
  readonly loses?: 'before' | 'after' | undefined;
}

/** Returns the error of a connection that ended. */
export const connectionLost = (): Error => Object.assign(new Error('Network connection lost.'), { retryable: true });

/**
 * Sends a message of the current execution and returns its answer: later, perhaps never, and not before the writes of the execution are
 * stored.
 * @param work The work of the receiver.
 */
export function send<T>(scheduler: Scheduler, label: string, journey: Journey, work: () => T | Promise<T>): Promise<T> {
  const from = currentExecution();
  const resume = continuation();
  return new Promise<T>((resolve, reject) => {
    const answer = (settle: () => void) => scheduler.after(journey.back, `answer ${label}`, () => resume(settle));
    const fail = (fault: unknown) => answer(() => reject(fault));
    const perform = async () => {
      if (journey.loses === 'before') throw connectionLost();
      const result = await work();
      if (journey.loses === 'after') throw connectionLost();
      return result;
    };
    const arrive = () => {
      // The end of the sender may overtake its message.
      if (from?.isDead && scheduler.chance.happens(0.5, `overtake ${label}`)) return;
      void perform().then((result) => answer(() => resolve(result)), fail);
    };
    const leave = () => void scheduler.after(journey.there, label, arrive);
    if (from === undefined) leave();
    else from.emit(leave);
  });
}

/** Runs it after a time, unless the execution that asks has died by then. */
export function runLater(scheduler: Scheduler, ms: number, label: string, work: () => void): Task {
  const from = running.getStore();
  const resume = continuation();
  return scheduler.after(ms, label, () => resume(() => (from === undefined ? work() : running.run(from, work))));
}
