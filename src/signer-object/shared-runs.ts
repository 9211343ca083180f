/** Runs work, one run at a time. Callers that arrive during a run share the next one. */
export class SharedRuns {
  #current: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  /** Resolves when a run that began after this call has ended. */
  next(work: () => Promise<void>): Promise<void> {
    this.#next ??= this.#current.then(() => {
      this.#next = undefined;
      this.#current = work();
      return this.#current;
    });
    return this.#next;
  }
}
