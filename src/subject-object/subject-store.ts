import type { Milliseconds, UnixSeconds } from '../lib/units.ts';
import type { PassStub } from '../message/hand-over.ts';
import type { PassKey } from '../pass/pass.ts';
import type { SubjectChange, SubjectRules } from '../pass/subject-changes.ts';
import type { WantedState } from '../pass/vocabulary.ts';

/** A pass of the subject, or one that may be on its way to it. */
export interface Row {
  /** Its pass object refuses a request that arrives later; undefined: the pass has the subject. */
  readonly until?: Milliseconds | undefined;
  /** It is revoked for good, so no rule asks it again. */
  readonly isFinal?: true | undefined;
  /** Number of the newest change of the state that the pass has followed. */
  readonly stateChange?: number | undefined;
  /** Number of the newest renewal that it has followed. */
  readonly renewal?: number | undefined;
}

/** A change of all passes of the subject, and how far it has come. */
export interface Run {
  readonly number: number;
  readonly change: Omit<SubjectChange, 'subject' | 'number' | 'requestedAt' | 'hasEnded'>;
  readonly rules: SubjectRules;
  readonly quota?: Parameters<PassStub['changeForSubject']>[1];
  readonly at: Milliseconds;
  /** Number of passes when it began. */
  readonly total: number;
  /** Number of passes that have followed it, or had no need. */
  readonly done: number;
  /** Number of those that refused, by the code. */
  readonly refused: Readonly<Record<string, number>>;
  /** The last pass of the slice before; undefined: a round begins. */
  readonly place?: string | undefined;
  /** Number of passes of this round that need another one. */
  readonly later: number;
  /** Number of rounds that left some passes. */
  readonly tries: number;
  /** When its next slice is due. */
  readonly due: Milliseconds;
  readonly finishedAt?: Milliseconds | undefined;
}

export interface StoredSubject {
  readonly state: WantedState;
  /** Number of its changes so far. */
  readonly runs: number;
  readonly stateChange?: Run | undefined;
  readonly renewal?: Run | undefined;
}

export const AT_ONCE: Milliseconds = 0;

export const isOpen = (run: Run | undefined): run is Run => run !== undefined && run.finishedAt === undefined;
export const isDue = (run: Run | undefined): run is Run => isOpen(run) && run.due <= Date.now();
/** Whether a pass has refused the newest change of the state. It may follow a repetition. */
export const hasRefusal = ({ stateChange }: StoredSubject) => Object.keys(stateChange?.refused ?? {}).length > 0;

export interface NamedRow {
  readonly name: string;
  readonly key: PassKey;
  readonly row: Row;
}

/** Returns how a refusal names a pass. */
export const namesOf = ({ chain: type, network, wallet: walletAddress }: PassKey) => ({
  chain: { type, network },
  walletAddress,
});

const SUBJECT = 'subject';
const PREFIX = 'pass:';

const nameOf = ({ chain, network, wallet }: PassKey) => `${PREFIX}${chain}/${network}/${wallet}`;

/** The storage of a subject: itself, and a row per pass. A subject without passes has nothing, so reading it leaves no trace. */
export class SubjectStore {
  readonly #kv: SyncKvStorage;
  readonly #gatekeeperNetwork: string;

  constructor({ kv }: DurableObjectStorage, gatekeeperNetwork: string) {
    this.#kv = kv;
    this.#gatekeeperNetwork = gatekeeperNetwork;
  }

  load(): StoredSubject {
    return this.#kv.get<StoredSubject>(SUBJECT) ?? { state: 'ACTIVE', runs: 0 };
  }

  save(subject: StoredSubject): StoredSubject {
    this.#kv.put(SUBJECT, subject);
    return subject;
  }

  row(key: PassKey): Row | undefined {
    return this.#kv.get<Row>(nameOf(key));
  }

  put(key: PassKey, row: Row): void {
    this.#kv.put(nameOf(key), row);
  }

  remove(key: PassKey): void {
    this.#kv.delete(nameOf(key));
  }

  count(): number {
    return [...this.#kv.list({ prefix: PREFIX })].length;
  }

  /** Returns the rows after that name in their order, at most `limit`. */
  rowsAfter(startAfter?: string, limit?: number): NamedRow[] {
    return [
      ...this.#kv.list<Row>({
        prefix: PREFIX,
        ...(startAfter !== undefined && { startAfter }),
        ...(limit !== undefined && { limit }),
      }),
    ].map(([name, row]) => {
      const [chain, network, wallet] = name.slice(PREFIX.length).split('/');
      return { name, row, key: { gatekeeperNetwork: this.#gatekeeperNetwork, chain, network, wallet } as PassKey };
    });
  }
}

/** A change as the API shows it. */
export interface Progress extends Pick<Run, 'total' | 'done' | 'refused'> {
  readonly state?: WantedState | undefined;
  readonly expiryTimestamp?: UnixSeconds | undefined;
  readonly requestId?: string | undefined;
  readonly requestedAt: string;
  readonly finishedAt?: string | undefined;
}

const isoTime = (at: Milliseconds) => new Date(at).toISOString();

export function progressOf({ change, at, total, done, refused, finishedAt }: Run): Progress {
  const { state, expiry: expiryTimestamp, by } = change;
  const [requestedAt, ended] = [isoTime(at), finishedAt === undefined ? undefined : isoTime(finishedAt)];
  // A pass that has got the subject since then follows too.
  const all = Math.max(total, done);
  return { state, expiryTimestamp, requestId: by.requestId, requestedAt, total: all, done, refused, finishedAt: ended };
}
