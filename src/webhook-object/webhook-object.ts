import { DurableObject } from 'cloudflare:workers';
import { configOf } from '../config/parse-config.ts';
import { pendingAlarm } from '../lib/alarm.ts';
import { DAY_MS, MINUTE_MS, type Milliseconds, SECOND_MS } from '../lib/units.ts';
import { within, withTimeout } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import type { CursorExpired } from '../store/feed.ts';
import { openStore } from '../store/store.ts';
import type { DeliverySources } from './delivery-run.ts';
import { DeliveryTurns } from './delivery-turns.ts';
import { FeedReader } from './feed-reader.ts';
import { newSecret, refusalOfTarget, sendEvent } from './send-event.ts';
import {
  type Delivery,
  eventsDeletedNotice,
  factsOf,
  isoTime,
  secretsOf,
  viewOf,
  type Webhook,
  type WebhookChange,
  WebhookStore,
  type WebhookView,
} from './webhook-store.ts';

/** A lost wake delays an event by at most this time. */
const LOOK_INTERVAL_MS = MINUTE_MS;
const ROTATION_MS = DAY_MS;
/** Minimum time between two tests, or two replays, of a webhook. */
const PAUSE_MS = 10 * SECOND_MS;
/** The platform ends an alarm after 15 minutes. A longer run continues without it. */
const ALARM_MAX_MS = 10 * MINUTE_MS;

/** Delivers the events of a feed to one URL of a partner, in order per pass, and retries each delivery for days. */
export class WebhookObject extends DurableObject<Env> {
  readonly #store = new WebhookStore(this.ctx.storage);
  readonly #feed = new FeedReader(openStore(this.env), () => configOf(this.env).suspendedClients);
  readonly #turns = new DeliveryTurns(this.env.QUOTAS);
  readonly #sources: DeliverySources = {
    store: this.#store,
    feed: this.#feed,
    turns: this.#turns,
    refusalOf: ({ url }) => refusalOfTarget(url, configOf(this.env)),
    isStopped: () => this.#isStopped,
  };
  #run: Promise<void> | undefined;
  #runsAgain = false;
  #isStopped = false;
  #testedAt: Milliseconds = 0;
  #replayedAt: Milliseconds = 0;

  /** Stores a new webhook and returns it. Its first event is the one after the cursor. */
  async create(webhook: Omit<Webhook, 'secret'>): Promise<WebhookView & { readonly secret: string }> {
    const created = this.#store.save({ ...webhook, secret: newSecret() });
    await this.ctx.storage.setAlarm(Date.now() + LOOK_INTERVAL_MS);
    return { ...this.#view(created), secret: created.secret };
  }

  /** Returns the webhook; undefined if there is none, as for the methods below. */
  async read(): Promise<WebhookView | undefined> {
    const webhook = await this.#find();
    return webhook && this.#view(webhook);
  }

  /**
   * Changes the webhook. An enabled one continues at its cursor, or at the oldest event that the feed still has. If the operator
   * has disabled it, a change of its partner neither enables it nor gives it another URL: the method then changes nothing.
   */
  async change(
    { types, status, ...fields }: WebhookChange,
    by: 'partner' | 'operator',
  ): Promise<WebhookView | undefined> {
    const before = await this.#find();
    if (before === undefined) return undefined;
    const isAgain = status === 'enabled' && before.disabled !== undefined;
    const page = isAgain ? await this.#feed.readAfter(before, before.cursor, 1) : undefined;
    const oldest = page?.type === 'cursor_expired' ? page.oldest : undefined;
    const webhook = this.#store.load();
    if (webhook === undefined) return undefined;
    const isUndoing = by === 'partner' && (status === 'enabled' || fields.url !== undefined);
    if (isUndoing && webhook.disabled === 'operator') return this.#view(webhook);
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    const changed = this.#store.save({
      ...webhook,
      ...given,
      types: types === undefined ? webhook.types : (types ?? undefined),
      ...(status === 'enabled' && { disabled: undefined, failingSince: undefined }),
      ...(status === 'disabled' && { disabled: by === 'operator' ? by : (webhook.disabled ?? by) }),
      ...(oldest !== undefined && { cursor: oldest - 1 }),
    });
    if (oldest !== undefined) this.#store.putWaiting(eventsDeletedNotice(oldest));
    if (changed.disabled === undefined) await this.ctx.storage.setAlarm(Date.now());
    return this.#view(changed);
  }

  /** Deletes the webhook with all its data. Returns whether there was one. A partner does not delete what the operator disabled. */
  async remove(by?: 'partner'): Promise<boolean | 'disabled_by_operator'> {
    const exists = this.#store.load() !== undefined;
    await this.#stop();
    if (by === 'partner' && this.#store.load()?.disabled === 'operator') return 'disabled_by_operator';
    await this.#deleteAll();
    return exists;
  }

  /** Makes a new secret. The old one signs too, for a day. */
  async rotateSecret(): Promise<{ readonly secret: string; readonly previousValidUntil: string } | undefined> {
    const webhook = await this.#find();
    if (webhook === undefined) return undefined;
    const until = Date.now() + ROTATION_MS;
    const { secret } = this.#store.save({
      ...webhook,
      secret: newSecret(),
      previous: { secret: webhook.secret, until },
    });
    return { secret, previousValidUntil: isoTime(until) };
  }

  /** Sends an event of the type `webhook.test`, which the feed does not have, also if its partner disabled the webhook. */
  async sendTest(): Promise<TestResult | undefined> {
    const webhook = await this.#find();
    if (webhook === undefined) return undefined;
    const now = Date.now();
    if (now < this.#testedAt + PAUSE_MS) return { type: 'too_soon' };
    this.#testedAt = now;
    return deliverTest(this.#sources, webhook);
  }

  /** Delivers the events after a sequence again, with the same ids. Waits for deliveries in flight, so that the order holds. */
  async replay(after: number): Promise<ReplayResult | undefined> {
    const before = await this.#find();
    if (before === undefined) return undefined;
    if (Date.now() < this.#replayedAt + PAUSE_MS) return { type: 'too_soon' };
    const page = await this.#feed.readAfter(before, after, 1);
    if (page.type === 'cursor_expired') return page;
    const newest = await this.#feed.newestSequence(before);
    if (after > newest) return { type: 'beyond_newest', newest };
    this.#replayedAt = Date.now();
    const refused = await countReplay({ quotas: this.env.QUOTAS, feed: this.#feed }, before, after);
    if (refused !== undefined) return refused;
    await this.#stop();
    const webhook = this.#store.load();
    if (webhook === undefined) return undefined;
    this.#store.dropWaitingAfter(after);
    const isOver = this.#store.countWaitingEvents() === 0;
    const replayed = this.#store.save({ ...webhook, cursor: after, ...(isOver && { failingSince: undefined }) });
    if (replayed.disabled === undefined) await this.ctx.storage.setAlarm(Date.now());
    return { type: 'replaying', webhook: this.#view(replayed) };
  }

  /** Returns the deliveries with higher numbers, in order. */
  async deliveriesAfter(number: number, limit: number): Promise<Delivery[] | undefined> {
    return (await this.#find()) && this.#store.deliveriesAfter(number, limit);
  }

  /** Looks for new events soon. Returns before it delivers, so that the publisher does not wait. */
  async wake(): Promise<void> {
    const webhook = await this.#find();
    if (webhook !== undefined && webhook.disabled === undefined) void this.#start();
  }

  override async alarm(): Promise<void> {
    const webhook = this.#store.load();
    if (webhook === undefined || webhook.disabled !== undefined) return;
    // Schedule the next alarm before the work: a crash below must not end the deliveries.
    await this.ctx.storage.setAlarm(Date.now() + LOOK_INTERVAL_MS);
    const registered = this.#register(webhook);
    if (webhook.isNew) await registered;
    await Promise.all([registered, withTimeout(ALARM_MAX_MS, this.#start(), undefined)]);
  }

  /** Has the webhook deliver the notice that its next event is deleted, as if it were. Only in a sandbox. */
  async noteDeleted(): Promise<void> {
    const webhook = await this.#find();
    if (webhook === undefined) return;
    this.#store.putWaiting(eventsDeletedNotice(webhook.cursor + 1));
    void this.#start();
  }

  /** Runs the deliveries. There is one run at a time: during a run, a call makes it look once more. Never throws. */
  #start(): Promise<void> {
    this.#runsAgain = true;
    this.#run ??= this.#runWhileAsked().finally(() => {
      this.#run = undefined;
    });
    return this.#run;
  }

  async #runWhileAsked(): Promise<void> {
    while (this.#runsAgain && !this.#isStopped) {
      this.#runsAgain = false;
      try {
        const { deliverDue } = await import('./delivery-run.ts');
        await deliverDue(this.#sources);
      } catch (fault) {
        const webhook = this.#store.load();
        logFault('webhook.run_failed', fault, webhook && factsOf(webhook));
      }
    }
    this.#turns.reset();
    await this.#bringForwardAlarm();
  }

  /** Ends the run after the deliveries in flight. */
  async #stop(): Promise<void> {
    this.#isStopped = true;
    try {
      await this.#run;
    } finally {
      this.#isStopped = false;
    }
  }

  /**
   * Sets the alarm to the next retry if that is earlier. A retry that is due already waits for a reason, so for the alarm. An enabled webhook
   * always has one, unless the platform has lost it.
   */
  async #bringForwardAlarm(): Promise<void> {
    const alarm = await pendingAlarm(this.ctx.storage);
    const webhook = this.#store.load();
    if (webhook === undefined || webhook.disabled !== undefined) return;
    const now = Date.now();
    const until = alarm ?? now + LOOK_INTERVAL_MS;
    const due = Math.max(this.#store.nextDue() ?? Infinity, webhook.pause?.until ?? 0);
    if (due > now && due < until) await this.ctx.storage.setAlarm(due);
    else if (alarm === null) await this.ctx.storage.setAlarm(until);
  }

  /**
   * Returns the webhook. A new one exists once the feed's row lists it. A row never lists a webhook before its object has it, so
   * whoever finds a listed id without a webhook may drop the id.
   */
  async #find(): Promise<Webhook | undefined> {
    const found = this.#store.load();
    if (!found?.isNew || !(await this.#feed.isListed(found))) return found?.isNew ? undefined : found;
    const webhook = this.#store.load();
    return webhook?.isNew ? this.#store.save({ ...webhook, isNew: undefined }) : webhook;
  }

  /**
   * Lists the webhook again if the feed's row lacks it: the database was restored to a time before the webhook. A new webhook goes
   * instead, because the request that created it ended before it listed it.
   */
  async #register(webhook: Webhook): Promise<void> {
    try {
      if ((await this.#find()) === undefined) await this.#removeNew();
      // A partner may delete it meanwhile.
      else if (!(await this.#feed.isListed(webhook)) && this.#store.load() !== undefined)
        await this.#feed.list(webhook);
    } catch (fault) {
      logFault('webhook.run_failed', fault, factsOf(webhook));
    }
  }

  /** Deletes a webhook that no row lists, unless its row lists it by now. */
  async #removeNew(): Promise<void> {
    if (this.#store.load()?.isNew) await this.#deleteAll();
  }

  /** In one commit, because a wake in between would start a run. */
  async #deleteAll(): Promise<void> {
    await Promise.all([this.ctx.storage.deleteAlarm(), this.ctx.storage.deleteAll()]);
  }

  #view(webhook: Webhook): WebhookView {
    return viewOf(webhook, this.#store.countWaitingEvents());
  }
}

type ReplayResult =
  | { readonly type: 'too_soon' }
  | { readonly type: 'replaying'; readonly webhook: WebhookView }
  | { readonly type: 'beyond_newest'; readonly newest: number }
  /** The replay counts as more events than the gatekeeper network has left today. */
  | { readonly type: 'quota_reached'; readonly events: number; readonly left: number; readonly retryAfter: number }
  /** The count of replayed events does not answer. */
  | { readonly type: 'unavailable' }
  | CursorExpired;

/** Maximum number of events that the webhooks of a gatekeeper network replay per day (UTC). */
export const DAILY_REPLAYED_EVENTS = 100_000;
/** Each replay counts this number too. A page that it interrupts is delivered again, and not counted otherwise. */
export const EVENTS_PER_REPLAY = 100;
const ANSWER_TIMEOUT_MS = 5_000;

/** Counts the events that a replay repeats, or returns why it may not begin. The count outlives the webhook. */
export async function countReplay(
  { quotas, feed }: { readonly quotas: Env['QUOTAS']; readonly feed: FeedReader },
  webhook: Webhook,
  after: number,
): Promise<ReplayResult | undefined> {
  const range = { after, upTo: webhook.cursor, max: DAILY_REPLAYED_EVENTS + 1 };
  const events = EVENTS_PER_REPLAY + (await feed.countEvents(webhook, range));
  try {
    const asked = quotas.getByName(webhook.gatekeeperNetwork).countReplay(events, DAILY_REPLAYED_EVENTS);
    const { left, retryAfter } = await within(ANSWER_TIMEOUT_MS, asked, 'the quota object');
    return retryAfter === 0 ? undefined : { type: 'quota_reached', events, left, retryAfter };
  } catch (fault) {
    logFault('quota.unreachable', fault, { webhook: webhook.id });
    return { type: 'unavailable' };
  }
}

type TestResult =
  | { readonly type: 'too_soon' }
  | {
      readonly type: 'tested';
      readonly delivered: boolean;
      /** HTTP status; undefined: there was no response. */
      readonly status?: number | undefined;
      readonly durationMs: number;
      readonly error?: string | undefined;
    };

const TURN_MAX_MS = 5_000;
const DISABLED_BY_OPERATOR = 'the operator has disabled the webhook';

const refused = (error: string): TestResult => ({ type: 'tested', delivered: false, durationMs: 0, error });

/** Posts an event of the type `webhook.test`, and returns the outcome. */
async function deliverTest(sources: DeliverySources, webhook: Webhook): Promise<TestResult> {
  const refusal = await refusalOfTest(sources, webhook);
  if (refusal !== undefined) return refused(refusal);
  // A partner may test any number of new webhooks. Their requests must not wait longer and longer.
  if (!(await sources.turns.waitForOne(webhook, TURN_MAX_MS))) return { type: 'too_soon' };
  // The turn may have come late.
  if (sources.store.load()?.disabled === 'operator') return refused(DISABLED_BY_OPERATOR);
  const id = `test.${crypto.randomUUID()}`;
  const body = JSON.stringify({ id, type: 'webhook.test', timestamp: isoTime(Date.now()) });
  const { isDelivered, status, durationMs, error } = await sendEvent(webhook.url, { id, body }, secretsOf(webhook));
  return { type: 'tested', delivered: isDelivered, status, durationMs, error };
}

/** Returns why the webhook sends nothing; undefined: it may. A webhook that its partner disabled may be tested. */
async function refusalOfTest({ refusalOf, feed }: DeliverySources, webhook: Webhook): Promise<string | undefined> {
  const ofUrl = refusalOf(webhook);
  if (ofUrl !== undefined) return `the URL ${ofUrl}`;
  if (webhook.disabled === 'operator') return DISABLED_BY_OPERATOR;
  return (await feed.isSuspended(webhook)) ? 'all partners of the gatekeeper network are suspended' : undefined;
}
