import { type EmergencyLists, emergencyListsIn } from '../config/emergency-lists.ts';

const KEY = 'emergencyLists';

/**
 * The emergency lists that a signer obeys: the lists in its variables, or newer ones that a call has brought. The platform may leave a running
 * object its old variables for minutes, in which a leaked key must not sign. Newer lists stay stored, so that they also count after a
 * restart with older variables.
 */
export class ObeyedLists {
  readonly #kv: DurableObjectStorage['kv'];
  readonly #own: EmergencyLists;
  #lists: EmergencyLists;

  /** @param env The variables with which the object started. */
  constructor({ kv }: DurableObjectStorage, env: object) {
    this.#kv = kv;
    this.#own = emergencyListsIn(env);
    const stored = kv.get<EmergencyLists>(KEY);
    this.#lists = stored !== undefined && stored.number > this.#own.number ? stored : this.#own;
  }

  get number(): number {
    return this.#lists.number;
  }

  /** The clients of both lists: a number from a clock that is behind must not end a suspension that the variables have. */
  get suspendedClients(): readonly string[] {
    return [...this.#own.suspendedClients, ...this.#lists.suspendedClients];
  }

  stopsKey(address: string): boolean {
    return this.#lists.compromisedGatekeepers.includes(address);
  }

  /** Obeys these lists from now on if they are newer. Returns whether they are. */
  learn(lists: EmergencyLists): boolean {
    if (lists.number <= this.number) return false;
    this.#kv.put<EmergencyLists>(KEY, lists);
    this.#lists = lists;
    return true;
  }
}
