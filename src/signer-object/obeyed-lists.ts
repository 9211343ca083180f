import { type EmergencyLists, emergencyListsIn } from '../config/emergency-lists.ts';

const KEY = 'emergencyLists';

/**
 * The emergency lists that a signer obeys: the lists in its variables, or newer ones that a call has brought. The platform may leave a running
 * object its old variables for minutes, in which a leaked key must not sign. Newer lists stay stored, so that they also count after a
 * restart with older variables.
 */
export class ObeyedLists {
  readonly #kv: DurableObjectStorage['kv'];
  #lists: EmergencyLists;

  /** @param env The variables with which the object started. */
  constructor({ kv }: DurableObjectStorage, env: object) {
    this.#kv = kv;
    const own = emergencyListsIn(env);
    const stored = kv.get<EmergencyLists>(KEY);
    this.#lists = stored !== undefined && stored.number > own.number ? stored : own;
  }

  get number(): number {
    return this.#lists.number;
  }

  get suspendedClients(): readonly string[] {
    return this.#lists.suspendedClients;
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
