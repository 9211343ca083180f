import type { Milliseconds } from '../lib/brand.ts';
import { within } from '../lib/with-timeout.ts';
import { log, logFault } from '../log/log.ts';
import type { SignerName } from '../network/signer-name.ts';
import type { Step } from '../pass/step.ts';
import { STEP_KINDS } from '../pass/step-kinds.ts';
import { resumeClients } from './parked-steps.ts';

const KEY = 'suspendedClients';
/** How long a list is fresh. A run takes seconds, so the signer signs a step with a list that is at most a minute old. */
const FRESH_MS = 30_000;
const READ_TIMEOUT_MS = 2_000;
/** How soon the list is read again after a failure. */
export const SUSPENSIONS_RETRY_MS = 5_000;

/**
 * The OAuth clients whose steps the signer does not sign, except those that take access away. While the list cannot be read, the
 * last one applies, even after the object restarts. Before the first list, the steps of all clients wait, with the same
 * exceptions.
 */
export class SuspendedClients {
  readonly #storage: DurableObjectStorage;
  readonly #signer: SignerName;
  readonly #read: () => Promise<readonly string[]>;
  #clients: readonly string[] | undefined;
  /** When to read the list again. */
  #dueAt: Milliseconds = 0;

  constructor(storage: DurableObjectStorage, signer: SignerName, read: () => Promise<readonly string[]>) {
    this.#storage = storage;
    this.#signer = signer;
    this.#read = read;
    this.#clients = storage.kv.get<readonly string[]>(KEY);
  }

  /** Whether no client is known to be suspended. */
  get isEmpty(): boolean {
    return this.#clients?.length === 0;
  }

  /** Reads the list if it is not fresh, and makes the steps of resumed clients due. */
  async refresh(now: Milliseconds): Promise<void> {
    if (now < this.#dueAt && now >= this.#dueAt - FRESH_MS) return;
    try {
      const clients = await within(READ_TIMEOUT_MS, this.#read(), 'the database');
      this.#apply(clients.toSorted(), now);
      this.#dueAt = now + FRESH_MS;
    } catch (fault) {
      logFault('signer.suspensions_unread', fault, { signer: this.#signer });
      this.#dueAt = now + SUSPENSIONS_RETRY_MS;
    }
  }

  #apply(clients: readonly string[], now: Milliseconds): void {
    if (JSON.stringify(clients) === JSON.stringify(this.#clients)) return;
    this.#storage.transactionSync(() => {
      this.#storage.kv.put(KEY, clients);
      resumeClients(this.#storage.sql, clients, now);
    });
    this.#clients = clients;
    log('signer.suspensions_changed', { signer: this.#signer, suspended_clients: clients.length });
  }

  /** Whether the step may be signed; 'unknown' if no list was ever read. */
  allows({ kind, client }: Pick<Step, 'kind' | 'client'>): boolean | 'unknown' {
    if (client === undefined || STEP_KINDS[kind].takesAccessAway) return true;
    return this.#clients === undefined ? 'unknown' : !this.#clients.includes(client);
  }
}
