import type { Chance } from '../platform/chance.ts';
import type { Journey } from '../platform/execution.ts';
import type { Rules } from '../platform/platform.ts';

/** How likely faults of the platform are; each from 0 to 1. */
export interface Probabilities {
  /** A call, a query or a message is lost, before or after its work. */
  readonly loss: number;
  /** A call, a query or a message takes up to a second. */
  readonly delay: number;
  /** A message of a queue comes twice. */
  readonly twice: number;
  /** A replica of the database is some versions behind. */
  readonly lag: number;
  /** An alarm is up to a minute late. */
  readonly lateAlarm: number;
  /** The platform loses an alarm. */
  readonly lostAlarm: number;
  /** The handler of an alarm runs once more although it has succeeded. */
  readonly doubledAlarm: number;
  /** A rate limit refuses a request. */
  readonly refusal: number;
}

const CALM: Probabilities = {
  ...{ loss: 0, delay: 0, twice: 0, lag: 0 },
  ...{ lateAlarm: 0, lostAlarm: 0, doubledAlarm: 0, refusal: 0 },
};

/** A rate limit that has refused a request. */
export interface LimiterRefusal {
  /** Unix milliseconds. */
  readonly at: number;
  readonly key: string;
}

const DELAY_MAX_MS = 1_000;
const DELIVERY_DELAY_MAX_MS = 5_000;
const ALARM_DELAY_MAX_MS = 60_000;
const LAG_MAX_VERSIONS = 5;

/** The faults of the platform in a world, and its decisions that follow from them. */
export class Weather {
  probabilities: Probabilities = CALM;
  /** Until when (Unix milliseconds) no query of D1 is answered. */
  databaseAwayUntil = 0;
  /** Until when (Unix milliseconds) D1 has no room for a new or changed row. */
  databaseFullUntil = 0;
  /** Until when (Unix milliseconds) no call reaches the objects of a binding. */
  readonly awayUntil = new Map<string, number>();
  readonly refusals: LimiterRefusal[] = [];
  /** Whether a message was lost or late. */
  hasDisturbed = false;
  readonly #chance: Chance;
  readonly #now: () => number;

  /** @param now Returns the time (Unix milliseconds). */
  constructor(chance: Chance, now: () => number) {
    this.#chance = chance;
    this.#now = now;
  }

  /** Ends all faults. */
  clear(): void {
    this.probabilities = CALM;
    this.databaseAwayUntil = 0;
    this.databaseFullUntil = 0;
    this.awayUntil.clear();
  }

  get rules(): Rules {
    const chance = this.#chance;
    return {
      journey: (receiver) => this.#journeyTo(receiver),
      alarmDelay: (object) => {
        const { lostAlarm, lateAlarm } = this.probabilities;
        if (chance.happens(lostAlarm, `lost alarm ${object}`)) return undefined;
        return chance.happens(lateAlarm, `late alarm ${object}`) ? chance.below(ALARM_DELAY_MAX_MS, object) : 0;
      },
      doublesAlarm: (object) => chance.happens(this.probabilities.doubledAlarm, `doubled alarm ${object}`),
      lag: (database) =>
        chance.happens(this.probabilities.lag, `lag ${database}`) ? 1 + chance.below(LAG_MAX_VERSIONS, database) : 0,
      isFull: () => this.databaseFullUntil > this.#now(),
      delivery: (queue) => ({
        delayMs: chance.happens(this.probabilities.delay, `delivery ${queue}`)
          ? chance.below(DELIVERY_DELAY_MAX_MS, queue)
          : 0,
        times: chance.happens(this.probabilities.twice, `twice ${queue}`) ? 2 : 1,
      }),
      limit: (binding, key) => {
        const isRefused = chance.happens(this.probabilities.refusal, `refusal ${binding} ${key}`);
        if (isRefused) this.refusals.push({ at: this.#now(), key });
        return !isRefused;
      },
    };
  }

  #journeyTo(receiver: string): Journey {
    const chance = this.#chance;
    const { loss, delay } = this.probabilities;
    const ms = (way: string) =>
      chance.happens(delay, `delay ${way} ${receiver}`) ? chance.below(DELAY_MAX_MS, receiver) : 0;
    const loses = chance.happens(loss, `loss ${receiver}`)
      ? chance.oneOf(['before', 'after'] as const, receiver)
      : undefined;
    const [binding = ''] = receiver.split('/', 1);
    const outageMs = receiver.startsWith('DB') ? Math.max(0, this.databaseAwayUntil - this.#now()) : 0;
    const isAway = (this.awayUntil.get(binding) ?? 0) > this.#now();
    const journey: Journey = isAway
      ? { there: 0, back: 0, loses: 'before' }
      : { there: ms('there') + outageMs, back: ms('back'), loses };
    this.hasDisturbed ||= journey.loses !== undefined || journey.there + journey.back > 0;
    return journey;
  }
}
