import type { Milliseconds, UnixSeconds } from '../lib/units.ts';
import type { GatekeeperPlace } from '../store/validity.ts';
import { type Gap, type History, NO_HISTORY } from './places.ts';
import { type WaitingChange, WaitingChanges } from './waiting-changes.ts';

const BEGUN = 'begun';
const PASSES_SINCE = 'passes-since';
const HISTORY = 'history';
const COUNTS = 'counts';
const REPORTED = 'reported-at';
const RECHECKED = 'rechecked-at';
const RECHECKED_UP_TO = 'rechecked-up-to';

/** Beyond this number, the gatekeeper whose removal was found first is dropped from the status. D1 keeps it. */
const REMOVED_MAX = 100;
/** Beyond this number, the entry whose last token is the oldest is dropped. */
const ISSUERS_MAX = 100;

/** The state of a watcher, for the operator and the metrics. */
export interface WatcherStatus {
  /** Whether the configuration lets it watch: the network has endpoints, and its switch is on. */
  readonly isOn: boolean;
  /** Time up to which it has covered the chain (Unix seconds); null: it has covered nothing yet. */
  readonly coveredUntil: number | null;
  /** Number of spans of the chain that it has not read yet. */
  readonly gaps: number;
  /** Number of those that no endpoint serves. The reconciliation reads the passes of the network instead. */
  readonly unservedGaps: number;
  /** Number of changes that wait for a reading or for their final block. */
  readonly waiting: number;
  /** Number of changes by others that passes have adopted since the watcher began. */
  readonly foreignChanges: number;
  /** Tokens that others have issued to wallets without a pass since the watcher began. */
  readonly issuedByOthers: readonly IssuedByOthers[];
  /** Gatekeepers whose removal has voided the tokens that they had issued. */
  readonly removedGatekeepers: readonly { readonly gatekeeperNetwork: string; readonly gatekeeper: string }[];
  /** Why the last reading failed; null: it did not. */
  readonly why: string | null;
}

/** Tokens that one gatekeeper has issued. */
export interface IssuedByOthers {
  readonly gatekeeperNetwork: string;
  /** Null: unknown. */
  readonly gatekeeper: string | null;
  readonly tokens: number;
  /** Unix seconds. */
  readonly lastAt: number;
}

interface Counts extends Pick<WatcherStatus, 'foreignChanges'> {
  readonly issuedByOthers: readonly (IssuedByOthers & Partial<InContract>)[];
  /** Gatekeepers whose removal has voided the tokens that they had issued. */
  readonly removedGatekeepers: readonly Removed[];
  /** Gatekeepers that were removed while that voided nothing. Their gatekeeper network may decide otherwise later. */
  readonly lostGatekeepers: readonly Removed[];
}

/** The contract of a gatekeeper network. An entry of an earlier release lacks it. */
interface InContract {
  readonly contract: string;
}

type Removed = WatcherStatus['removedGatekeepers'][number] & InContract;

const NO_COUNTS: Counts = { foreignChanges: 0, issuedByOthers: [], removedGatekeepers: [], lostGatekeepers: [] };

type Issuer = Pick<IssuedByOthers, 'gatekeeperNetwork' | 'gatekeeper'> & InContract;

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

  /** @param passesSince No pass of the network is older (ms). */
  begin(passesSince: Milliseconds): void {
    this.commit(() => {
      this.changes.createTable();
      this.#storage.kv.put(BEGUN, true);
      this.#storage.kv.put(PASSES_SINCE, passesSince);
    });
  }

  /** No pass of the network is older (ms). 0: an earlier release has begun, or nobody knows. */
  get passesSince(): Milliseconds {
    return this.#storage.kv.get<Milliseconds>(PASSES_SINCE) ?? 0;
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

  /**
   * Returns the turn that asks about these changes: the scan's, or the next one if a change would hear the same endpoint again. Retries that
   * are an even number of scans apart would hear the same one of two forever.
   */
  turnFor(asked: readonly WaitingChange[], endpoints: number): number {
    const { turn } = this.history;
    const hearsAgain = ({ endedBy }: WaitingChange) => endedBy !== undefined && (turn - endedBy) % endpoints === 0;
    return asked.some(hearsAgain) ? turn + 1 : turn;
  }

  /**
   * Whether a change ends that belongs to no pass, or that its row shows, by the word of the endpoint of this turn. If there are several,
   * another one looks first.
   */
  isEndedByTwo(waiting: WaitingChange, turn: number, endpoints: number): boolean {
    const { endedBy } = waiting;
    if (endedBy === undefined) this.changes.setEndedBy(waiting, turn);
    return endpoints === 1 || (endedBy !== undefined && (turn - endedBy) % endpoints !== 0);
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

  countIssued({ gatekeeperNetwork, gatekeeper, contract }: Issuer, now: UnixSeconds, added = 1): void {
    const { counts } = this;
    const isSame = (each: Counts['issuedByOthers'][number]) =>
      each.gatekeeperNetwork === gatekeeperNetwork &&
      each.gatekeeper === gatekeeper &&
      (each.contract ?? contract) === contract;
    const tokens = (counts.issuedByOthers.find(isSame)?.tokens ?? 0) + added;
    const others = counts.issuedByOthers.filter((each) => !isSame(each)).toSorted((a, b) => b.lastAt - a.lastAt);
    const newest = { gatekeeperNetwork, gatekeeper, contract, tokens, lastAt: now };
    const issuedByOthers = [newest, ...others].slice(0, ISSUERS_MAX);
    this.#storage.kv.put<Counts>(COUNTS, { ...counts, issuedByOthers });
  }

  /**
   * Returns whether that is news.
   * @param isKept Whether the gatekeeper is dropped last, because it is one of this deployment.
   */
  setRemoved(gatekeeper: Removed, isRemoved: boolean, isKept?: (each: Removed) => boolean): boolean {
    return this.#setIn('removedGatekeepers', gatekeeper, isRemoved, isKept);
  }

  /** Remembers whether the gatekeeper was removed and its tokens count all the same. */
  setLost(gatekeeper: Removed, isLost: boolean): void {
    this.#setIn('lostGatekeepers', gatekeeper, isLost);
  }

  #setIn(
    list: 'removedGatekeepers' | 'lostGatekeepers',
    gatekeeper: Removed,
    isIn: boolean,
    isKept: (each: Removed) => boolean = () => false,
  ): boolean {
    const { counts } = this;
    const nameOf = (each: Removed) => `${each.contract.toLowerCase()} ${each.gatekeeperNetwork} ${each.gatekeeper}`;
    const others = counts[list].filter((each) => nameOf(each) !== nameOf(gatekeeper));
    const isNews = isIn === (others.length === counts[list].length);
    if (!isNews) return false;
    const all = isIn ? [...others, gatekeeper] : others;
    const sorted = [...all.filter((each) => !isKept(each)), ...all.filter(isKept)];
    this.#storage.kv.put<Counts>(COUNTS, { ...counts, [list]: sorted.slice(-REMOVED_MAX) });
    return true;
  }

  /** When the gatekeepers were last checked again (ms), and the place that this round has reached; undefined: it has ended. */
  get recheck(): { readonly at: Milliseconds; readonly after?: GatekeeperPlace | undefined } {
    const { kv } = this.#storage;
    return { at: kv.get<Milliseconds>(RECHECKED) ?? 0, after: kv.get<GatekeeperPlace>(RECHECKED_UP_TO) };
  }

  setRecheck(at: Milliseconds, after: GatekeeperPlace | undefined): void {
    const { kv } = this.#storage;
    kv.put(RECHECKED, at);
    if (after === undefined) kv.delete(RECHECKED_UP_TO);
    else kv.put(RECHECKED_UP_TO, after);
  }
}
