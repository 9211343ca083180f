import { configOf } from '../config/parse-config.ts';
import {
  backoff,
  DAY_MS,
  DAY_SECONDS,
  HOUR_MS,
  MINUTE_MS,
  type Milliseconds,
  SECOND_MS,
  type UnixSeconds,
} from '../lib/units.ts';
import { secondsAhead } from '../message/call-object.ts';
import { activeWithinMs, expectedConfirmationMs } from '../network/network.ts';
import { findNetworkFor } from '../network/sandbox.ts';
import { nextExpiryEventAt } from '../pass/events.ts';
import { isSettled } from '../pass/next-step.ts';
import { isReorged, type Pass } from '../pass/pass.ts';
import { BULK_ISSUANCE } from '../pass/step-kinds.ts';
import { withSignerInService } from './pass-signer.ts';
import { isReported, type StoredPass } from './stored-pass.ts';

/** Shortest delay. Under load, an earlier alarm would only add to the load. */
const RETRY_MIN_MS = 10_000;
/** Longest delay while the signer does not have the step: its message was lost, or the signer was unreachable. */
const UNSUBMITTED_RETRY_MAX_MS = MINUTE_MS;
/** After about an hour, a lane without room or a signer that is away lasts longer, and each alarm of each pass costs rows. */
const UNSUBMITTED_TRIES = 60;
const UNSUBMITTED_LATER_MAX_MS = 15 * MINUTE_MS;
const PUBLISH_RETRY_MIN_MS = 30_000;
/**
 * An alarm that a settled pass has already serves from this time on, because D1 usually has the pass within a second. Another
 * alarm would cost each issuance on a fast network a row.
 */
const PUBLISH_RETRY_EARLIEST_MS = 3_000;
/** Longest delay. A network or database that is down for days must cost little, and the signer announces outcomes itself. */
const RETRY_MAX_MS = HOUR_MS;
/** `setAlarm` refuses times that some expiries reach. An alarm without a due event is set again. */
const ALARM_MAX_MS = 365 * DAY_MS;
const NOTICE_DAYS = 7;

/** The facts outside the pass on which its alarm depends. */
export interface AlarmRules {
  /** How long before its expiry a pass announces it; 0: never. */
  readonly noticeSeconds: number;
  /** Usual time from a broadcast until the signer sees the confirmation. */
  readonly confirmationMs: Milliseconds;
  /** Whether a signer can do the next step. If not, only the operator can change that. */
  readonly hasSigner: boolean;
}

/** Returns the rules of the network of a pass, and the longest time in which a request should take effect there. */
export function alarmRulesOf(pass: Pass, env: Env): AlarmRules & { readonly activeWithinMs: Milliseconds } {
  try {
    const { networks, expiryNoticeDays } = configOf(env);
    const { gatekeeperNetwork, chain, network: name } = pass.key;
    const network = findNetworkFor(gatekeeperNetwork, networks, chain, name);
    return {
      noticeSeconds: expiryNoticeDays * DAY_SECONDS,
      confirmationMs: network ? expectedConfirmationMs(network) : 0,
      activeWithinMs: network ? activeWithinMs(network) : Number.POSITIVE_INFINITY,
      hasSigner: network !== undefined && withSignerInService(pass, env) !== undefined,
    };
  } catch {
    // Requests report a broken configuration. The alarm must continue without it.
    const noticeSeconds = NOTICE_DAYS * DAY_SECONDS;
    return { noticeSeconds, confirmationMs: 0, activeWithinMs: Number.POSITIVE_INFINITY, hasSigner: true };
  }
}

/** When an alarm is to fire. One from `earliest` to `latest` serves as well, because setting another one costs a row. */
interface NextAlarm {
  readonly at: Milliseconds;
  readonly earliest: Milliseconds;
  readonly latest: Milliseconds;
}

/**
 * Returns the next alarm of the pass; undefined: it needs none. Pure. The one alarm of a pass object retries a step, publishes a
 * settled pass and takes it off the operator's list, and announces its expiry twice.
 */
export function nextAlarm(stored: StoredPass, now: Milliseconds, rules: AlarmRules): NextAlarm | undefined {
  const event = nextExpiryEventAt(stored.pass, Math.floor(now / 1000), rules.noticeSeconds);
  const expiry = event === undefined ? Number.POSITIVE_INFINITY : event * 1000;
  if (isSettled(stored.pass) && isReported(stored) && stored.listed === undefined) {
    const before = (max: Milliseconds) => Math.min(expiry, now + max);
    const at = before(ALARM_MAX_MS);
    return event === undefined ? undefined : { at, earliest: before(ALARM_MAX_MS / 2), latest: at };
  }
  // An expiry event must not wait for a later retry.
  const after = (delay: Milliseconds) => Math.floor(Math.min(now + delay, Math.max(now, expiry)));
  const delay = retryDelay(stored, rules);
  const earliest = isSettled(stored.pass) ? PUBLISH_RETRY_EARLIEST_MS : delay / 2;
  return { at: after(delay), earliest: after(earliest), latest: after(2 * delay) };
}

/** Returns the time until the next retry. It doubles with every try that changed nothing, and depends on the next thing to check. */
function retryDelay({ pass, tries }: StoredPass, { confirmationMs, hasSigner }: AlarmRules): Milliseconds {
  // Whether the read model has it, and the audit trail its entries.
  if (isSettled(pass)) return backoff(PUBLISH_RETRY_MIN_MS, tries, RETRY_MAX_MS);
  // Whether the step is confirmed.
  if (pass.step?.isSubmitted || isReorged(pass) || !hasSigner)
    return backoff(Math.max(RETRY_MIN_MS, 2 * confirmationMs), tries, RETRY_MAX_MS);
  // Whether the signer has the step. The message of a bulk issuance may wait in its queue for a minute.
  const min = pass.issuanceRank === BULK_ISSUANCE ? UNSUBMITTED_RETRY_MAX_MS : RETRY_MIN_MS;
  if (tries <= UNSUBMITTED_TRIES) return backoff(min, tries, UNSUBMITTED_RETRY_MAX_MS);
  return backoff(UNSUBMITTED_RETRY_MAX_MS, tries - UNSUBMITTED_TRIES, UNSUBMITTED_LATER_MAX_MS);
}

/** A stored pass, and its alarm as it was read before. */
export interface OpenedPass {
  /** Undefined: there is no such pass. */
  readonly stored: StoredPass | undefined;
  /** Null: none, or it fires now. */
  readonly alarm: Milliseconds | null;
}

/** The time in which the handler of an alarm that fires has begun, and has set the next alarm. */
const ALARM_START_MS = 2_000;

/** The clock of a pass, by which it sets its alarm: a sandbox has a clock of its own. */
export class PassClock {
  readonly #storage: DurableObjectStorage;
  readonly #env: () => Env;
  readonly #gatekeeperNetwork: () => string;
  /** How far the clock of the sandbox is ahead of the time. */
  #ahead: Milliseconds = 0;

  constructor(storage: DurableObjectStorage, env: () => Env, gatekeeperNetwork: () => string) {
    this.#storage = storage;
    this.#env = env;
    this.#gatekeeperNetwork = gatekeeperNetwork;
  }

  /** Reads the clock of the sandbox, if the pass belongs to one. */
  async read(): Promise<void> {
    this.#ahead = (await secondsAhead(this.#gatekeeperNetwork(), this.#env())) * SECOND_MS;
  }

  /** Returns the time of the pass at a moment, as of the last reading. */
  now(at: Milliseconds = Date.now()): UnixSeconds {
    return Math.floor((at + this.#ahead) / SECOND_MS);
  }

  /** Sets the alarm that the pass needs, unless the present one serves as well. */
  async setAlarm(stored: StoredPass, alarm: Milliseconds | null): Promise<void> {
    const next = this.#nextAlarm(stored);
    if (next === undefined) {
      if (alarm !== null) await this.#storage.deleteAlarm();
    } else if (alarm === null || alarm < next.earliest || alarm > next.latest) {
      await this.#storage.setAlarm(next.at);
    }
  }

  /** Sets the alarm if it is missing or later than the pass needs. Returns whether it was missing. */
  async restoreAlarm(open: () => Promise<OpenedPass>, looksAgain = true): Promise<boolean> {
    const { stored, alarm } = await open();
    const next = stored && this.#nextAlarm(stored);
    if (next === undefined || (alarm !== null && alarm <= next.latest)) return false;
    // An alarm that fires at this moment is not missing: its handler sets the next one.
    if (alarm === null && looksAgain) {
      await scheduler.wait(ALARM_START_MS);
      return this.restoreAlarm(open, false);
    }
    await this.#storage.setAlarm(next.at);
    return alarm === null;
  }

  /** Makes the alarm fire after that time. */
  fireIn(ms: Milliseconds): Promise<void> {
    return this.#storage.setAlarm(Date.now() + ms);
  }

  #nextAlarm(stored: StoredPass) {
    const next = nextAlarm(stored, Date.now() + this.#ahead, alarmRulesOf(stored.pass, this.#env()));
    const inTime = (at: Milliseconds) => at - this.#ahead;
    return next && { at: inTime(next.at), earliest: inTime(next.earliest), latest: inTime(next.latest) };
  }
}
