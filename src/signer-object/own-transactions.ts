/** Enough for the minutes in which a watcher asks about a transaction. */
const KEPT_MAX = 10_000;

/**
 * The newest transactions that the signer has signed since the object started, so that a watcher can tell them from those of others.
 * In memory only: after a restart, an own transaction costs the watcher one reading, which finds nothing new.
 */
export class OwnTransactions {
  readonly #identifiers = new Set<string>();

  add(identifier: string): void {
    this.#identifiers.add(identifier);
    const [oldest] = this.#identifiers;
    if (this.#identifiers.size > KEPT_MAX && oldest !== undefined) this.#identifiers.delete(oldest);
  }

  has(identifier: string): boolean {
    return this.#identifiers.has(identifier);
  }
}
