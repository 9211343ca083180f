import type { SimulatedObject } from '../platform/objects.ts';
import { hasTables } from './transactions.ts';

/** The most alarms of a class of objects within a time. */
interface Limit {
  readonly label: string;
  readonly seconds: number;
  readonly alarms: number;
}

/**
 * docs/reliability.md, Retries: a watcher reads every two blocks, at least every 5 s. A signer tracks confirmed steps every 15 s,
 * announces outcomes after 30 s, and looks sooner only while a step waits or is in no block. A wake that a call sets comes on top. The
 * second run of an alarm that the platform doubles does not count, because the object has asked for one.
 */
const WATCHERS: readonly Limit[] = [
  { label: 'WATCHERS/sepolia', seconds: 60, alarms: 5 },
  { label: 'WATCHERS/devnet', seconds: 60, alarms: 15 },
];
const IDLE_SIGNERS: readonly Limit[] = [{ label: 'SIGNERS/ethereum', seconds: 15, alarms: 8 }];
const OPEN = "SELECT 1 FROM step WHERE status IN ('waiting', 'signed') LIMIT 1";

/** The alarms that fire in a world. */
export class Alarms {
  /** Number of alarms of each object, by its name. */
  readonly counts = new Map<string, number>();
  /** The limits that they broke. */
  readonly faults = new Set<string>();
  readonly #now: () => number;
  /** When the last ones fired that count for a limit (Unix milliseconds), by the name of the object. */
  readonly #times = new Map<string, number[]>();

  /** @param now Returns the time (Unix milliseconds). */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes that the alarm of an object fires. */
  note(object: SimulatedObject): void {
    const { label } = object;
    this.counts.set(label, (this.counts.get(label) ?? 0) + 1);
    const limit = WATCHERS.find((each) => label === each.label) ?? this.#limitOfSigner(object);
    if (limit === undefined) return;
    const from = this.#now() - limit.seconds * 1_000;
    const times = [...(this.#times.get(label) ?? []).filter((at) => at > from), this.#now()];
    this.#times.set(label, times);
    if (times.length > limit.alarms)
      this.faults.add(`${label} wakes more than ${limit.alarms} times in ${limit.seconds} s, and has little to do`);
  }

  /** Only the alarms of a signer count that has nothing to send. */
  #limitOfSigner(object: SimulatedObject): Limit | undefined {
    const limit = IDLE_SIGNERS.find((each) => object.label.startsWith(each.label));
    if (limit === undefined || !hasTables(object)) return undefined;
    return object.storage.sql.exec(OPEN).toArray().length === 0 ? limit : undefined;
  }
}
