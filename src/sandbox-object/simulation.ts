import { DAY_SECONDS } from '../lib/time.ts';

/** Maximum time that the clock may be ahead. */
const AHEAD_MAX_SECONDS = 400 * DAY_SECONDS;

/** The simulated networks of a sandbox, and its clock. */
export class Simulation {
  readonly #storage: DurableObjectStorage;

  constructor({ storage }: DurableObjectState, _env: Env) {
    this.#storage = storage;
  }

  /** Returns how many seconds the clock of the sandbox is ahead of the time. */
  secondsAhead(): number {
    return this.#storage.kv.get<number>('ahead') ?? 0;
  }

  /** Advances the clock. Returns how many seconds it is ahead then; undefined: that would be too many, and nothing changes. */
  advance(seconds: number): number | undefined {
    const ahead = this.secondsAhead() + seconds;
    if (ahead > AHEAD_MAX_SECONDS) return undefined;
    this.#storage.kv.put('ahead', ahead);
    return ahead;
  }

  async fireAlarm(): Promise<void> {}
}
