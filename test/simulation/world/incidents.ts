import { type PassKey, textOf } from './networks.ts';

/** A publication that the closed database has refused comes again by then. */
const REPUBLISHED_MS = 10 * 60_000;

/** A return of D1 to an older version. */
interface Restore {
  /** Unix milliseconds. */
  readonly from: number;
  /** When its rows were rebuilt (Unix milliseconds). */
  rebuiltAt: number;
  /** The newest sequence of each feed before. */
  readonly sequences: Readonly<Record<string, number>>;
}

/** Events of a world that its rest and its judges take into account. */
export class Incidents {
  /** Until when (Unix milliseconds) D1 was to be away or full, and passes may wait to be written again. */
  outageUntil = 0;
  /** When D1 was to be full (Unix milliseconds). */
  readonly fullTimes: { readonly from: number; readonly until: number }[] = [];
  readonly restores: Restore[] = [];
  /** The passes whose row was missing or older than their object after a rebuild, with the version of the object. */
  readonly oldRows: string[] = [];
  /** Whether blocks have left a chain. */
  hasReorged = false;
  /** Whether an endpoint has lost its index. */
  hasLostIndex = false;
  /** Whether the operator has suspended a client. */
  hasSuspended = false;
  /** Whether an authority has changed roles or features, so that a pass may need a gatekeeper that is none. */
  rolesChanged = false;
  /** Whether the code of a contract was replaced, or the operator has accepted other code. */
  codeChanged = false;
  /** Whether somebody else has used a key of the Worker: a step that loses three nonces waits for the operator. */
  hasUsedKey = false;
  /** Whether a signer has lost its store. */
  hasLostStore = false;
  /** Whether only the reconciliation repairs a record: somebody changed its row by hand, or the only endpoint of its network lied. */
  needsReconciliation = false;
  /** When an authority has changed whether the tokens of removed gatekeepers are void (Unix milliseconds). */
  readonly voidings: number[] = [];
  /** The passes whose row somebody changed by hand. */
  readonly changedRows = new Set<string>();
  /** Whether D1 may have older rows than before, from a restore until a minute after the rebuild. */
  mayBeRestored(at: number): boolean {
    return this.restores.some(({ from, rebuiltAt }) => at >= from && at < rebuiltAt + REPUBLISHED_MS);
  }

  readonly #changedByOthers = new Set<string>();

  /** Notes that somebody else changes the token of a wallet. */
  noteOthers(key: PassKey): void {
    this.#changedByOthers.add(textOf(key));
  }

  /** Whether somebody else has changed the token of the wallet; without one, of any wallet. */
  hasOthers(key?: PassKey): boolean {
    return key === undefined ? this.#changedByOthers.size > 0 : this.#changedByOthers.has(textOf(key));
  }
}
