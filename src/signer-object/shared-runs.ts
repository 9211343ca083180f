/** One run at a time. Callers that come while a run is under way share the next one. */
export class SharedRuns {
  #current: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  /** Returns when a run has ended that began after this call. */
  next(work: () => Promise<void>): Promise<void> {
    this.#next ??= this.#current.then(() => {
      this.#next = undefined;
      this.#current = work();
      return this.#current;
    });
    return this.#next;
  }
}
