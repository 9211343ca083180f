import type { Milliseconds, UnixSeconds } from '../lib/brand.ts';
import { type Gap, type History, NO_HISTORY } from './places.ts';
import type { IssuedByOthers, WatcherStatus } from './status.ts';
import { WaitingChanges } from './waiting-changes.ts';

const BEGUN = 'begun';
const HISTORY = 'history';
const COUNTS = 'counts';
const REPORTED = 'reported-at';
const RECHECKED = 'rechecked-at';

/** Beyond this number, the gatekeeper whose removal was found first is dropped from the status. D1 keeps it. */
const REMOVED_MAX = 100;
/** Beyond this number, the entry whose last token is the oldest is dropped. */
const ISSUERS_MAX = 100;

interface Counts extends Pick<WatcherStatus, 'foreignChanges' | 'issuedByOthers'> {
  readonly removedGatekeepers: readonly Removed[];
}

type Removed = WatcherStatus['removedGatekeepers'][number] & { readonly contract: string };

const NO_COUNTS: Counts = { foreignChanges: 0, issuedByOthers: [], removedGatekeepers: [] };

type Issuer = Pick<IssuedByOthers, 'gatekeeperNetwork' | 'gatekeeper'>;

/** All that a watcher stores. It is empty until the watcher begins. Every method is synchronous. */
export class WatcherStore {
  readonly #storage: DurableObjectStorage;
  readonly changes: WaitingChanges;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.changes = new WaitingChanges(storage.sql);
  }

  get hasBegun(): boolean {
    return this.#storage.kv.get<boolean>(BEGUN) === true;
  }

  begin(): void {
    this.commit(() => {
      this.changes.createTable();
      this.#storage.kv.put(BEGUN, true);
    });
  }

  /** Runs the work in one commit. */
  commit<T>(work: () => T): T {
    return this.#storage.transactionSync(work);
  }

  /** Read it again after each `await`: a call may have closed a gap meanwhile. */
  get history(): History {
    return this.#storage.kv.get<History>(HISTORY) ?? NO_HISTORY;
  }

  setHistory(history: History): void {
    this.#storage.kv.put(HISTORY, history);
  }

  changeGaps(change: (gaps: readonly Gap[]) => readonly Gap[]): void {
    const { history } = this;
    this.setHistory({ ...history, gaps: change(history.gaps) });
  }

  /** When the reconciliation was last asked to read the network's passes (ms). */
  get reportedAt(): Milliseconds {
    return this.#storage.kv.get<Milliseconds>(REPORTED) ?? 0;
  }

  setReportedAt(now: Milliseconds): void {
    this.#storage.kv.put(REPORTED, now);
  }

  get counts(): Counts {
    return { ...NO_COUNTS, ...this.#storage.kv.get<Counts>(COUNTS) };
  }

  countForeignChanges(adopted: number): void {
    if (adopted === 0) return;
    const { counts } = this;
    this.#storage.kv.put<Counts>(COUNTS, { ...counts, foreignChanges: counts.foreignChanges + adopted });
  }

  countIssued({ gatekeeperNetwork, gatekeeper }: Issuer, now: UnixSeconds, added = 1): void {
    const { counts } = this;
    const isSame = (each: Issuer) => each.gatekeeperNetwork === gatekeeperNetwork && each.gatekeeper === gatekeeper;
    const tokens = (counts.issuedByOthers.find(isSame)?.tokens ?? 0) + added;
    const others = counts.issuedByOthers.filter((each) => !isSame(each)).toSorted((a, b) => b.lastAt - a.lastAt);
    const issuedByOthers = [{ gatekeeperNetwork, gatekeeper, tokens, lastAt: now }, ...others].slice(0, ISSUERS_MAX);
    this.#storage.kv.put<Counts>(COUNTS, { ...counts, issuedByOthers });
  }

  /**
   * Returns whether that is news.
   * @param isKept Whether the gatekeeper is dropped last, because it is one of this deployment.
   */
  setRemoved(gatekeeper: Removed, isRemoved: boolean, isKept: (each: Removed) => boolean = () => false): boolean {
    const { counts } = this;
    const isSame = (each: Removed) =>
      each.gatekeeperNetwork === gatekeeper.gatekeeperNetwork && each.gatekeeper === gatekeeper.gatekeeper;
    const others = counts.removedGatekeepers.filter((each) => !isSame(each));
    const isNews = isRemoved === (others.length === counts.removedGatekeepers.length);
    if (!isNews) return false;
    const removed = isRemoved ? [...others, gatekeeper] : others;
    const sorted = [...removed.filter((each) => !isKept(each)), ...removed.filter(isKept)];
    this.#storage.kv.put<Counts>(COUNTS, { ...counts, removedGatekeepers: sorted.slice(-REMOVED_MAX) });
    return true;
  }

  /** When the removed gatekeepers were last checked again (ms). */
  get recheckedAt(): Milliseconds {
    return this.#storage.kv.get<Milliseconds>(RECHECKED) ?? 0;
  }

  setRecheckedAt(now: Milliseconds): void {
    this.#storage.kv.put(RECHECKED, now);
  }
}
