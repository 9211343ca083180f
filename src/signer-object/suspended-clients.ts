import type { Milliseconds } from '../lib/brand.ts';
import { FreshValue } from '../lib/fresh-value.ts';
import { SECOND_MS } from '../lib/time.ts';
import { within } from '../lib/with-timeout.ts';
import { log, logFault } from '../log/log.ts';
import type { SignerName } from '../network/signer-name.ts';
import type { Step } from '../pass/step.ts';
import { STEP_KINDS } from '../pass/step-kinds.ts';
import { commit } from './commit.ts';
import type { StepTable } from './step-table.ts';

/** The last list of the database. */
const KEY = 'suspendedClients';
/** That list with the emergency list, when the steps of all other clients were last made due. */
const EFFECTIVE_KEY = 'effectiveSuspensions';
/** A run takes seconds, so the signer signs a step with a list that is at most a minute old. */
const FRESH_MS = 30 * SECOND_MS;
const READ_TIMEOUT_MS = 2 * SECOND_MS;
/** How soon the list is read again after a failure. */
const RETRY_MS = 5 * SECOND_MS;
const AGES = { freshMs: FRESH_MS, pauseMs: RETRY_MS };

/**
 * The OAuth clients whose steps the signer does not sign, except those that take access away. While the list cannot be read, the
 * last one applies, even after the object restarts. Before the first list, the steps of all clients wait, with the same
 * exceptions.
 */
export class SuspendedClients {
  readonly #storage: DurableObjectStorage;
  readonly #steps: StepTable;
  readonly #signer: SignerName;
  readonly #read: () => Promise<readonly string[]>;
  /** Returns the clients that the emergency lists suspend, also while the database does not answer. */
  readonly #listed: () => readonly string[];
  #list = new FreshValue<readonly string[]>(AGES);
  #clients: readonly string[] | undefined;
  #effective: readonly string[] | undefined;

  constructor(
    storage: DurableObjectStorage,
    steps: StepTable,
    signer: SignerName,
    read: () => Promise<readonly string[]>,
    listed: () => readonly string[],
  ) {
    this.#storage = storage;
    this.#steps = steps;
    this.#signer = signer;
    this.#read = read;
    this.#listed = listed;
    this.#clients = storage.kv.get<readonly string[]>(KEY);
    this.#effective = storage.kv.get<readonly string[]>(EFFECTIVE_KEY) ?? this.#clients;
  }

  /** Whether no client is known to be suspended. */
  get isEmpty(): boolean {
    return this.#clients?.length === 0 && this.#listed().length === 0;
  }

  /** Reads the list again, because it has changed. An earlier reading that is under way no longer counts. */
  reread(now: Milliseconds): Promise<void> {
    this.#list = new FreshValue(AGES);
    return this.refresh(now);
  }

  /** Reads the list if it is not fresh, and makes the steps of resumed clients due. */
  async refresh(now: Milliseconds): Promise<void> {
    const list = this.#list;
    const read = async () => (await within(READ_TIMEOUT_MS, this.#read(), 'the database')).toSorted();
    const before = list.startedAt;
    const logUnread = (fault: unknown) => logFault('signer.suspensions_unread', fault, { signer: this.#signer });
    try {
      const clients = await list.get(read, now);
      if (list === this.#list && !isSame(clients, this.#clients)) {
        this.#storage.kv.put(KEY, clients);
        this.#clients = clients;
      }
    } catch (fault) {
      if (list.startedAt !== before) logUnread(fault);
    }
    try {
      this.resume(now);
    } catch (fault) {
      logUnread(fault);
    }
  }

  /** Makes the steps of clients due that are no longer suspended. It needs no database: the emergency list may have changed. */
  resume(now: Milliseconds): void {
    const all = [...new Set([...(this.#clients ?? []), ...this.#listed()])].toSorted();
    if (isSame(all, this.#effective)) return;
    commit({ storage: this.#storage, steps: this.#steps }, () => {
      this.#storage.kv.put(EFFECTIVE_KEY, all);
      this.#steps.endSuspensions(all, now);
    });
    this.#effective = all;
    log('signer.suspensions_changed', { signer: this.#signer, suspended_clients: all.length });
  }

  /** Whether the step may be signed; 'unknown' if no list was ever read. */
  allows({ kind, client }: Pick<Step, 'kind' | 'client'>): boolean | 'unknown' {
    if (client === undefined || STEP_KINDS[kind].takesAccessAway) return true;
    if (this.#listed().includes(client)) return false;
    return this.#clients === undefined ? 'unknown' : !this.#clients.includes(client);
  }
}

const isSame = (one: readonly string[], other: readonly string[] | undefined) =>
  JSON.stringify(one) === JSON.stringify(other);
