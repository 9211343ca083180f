import { DurableObject } from 'cloudflare:workers';
import { configOf } from '../config/parse-config.ts';
import type { Milliseconds } from '../lib/brand.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../lib/time.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import { openStore } from '../store/store.ts';
import { refusalOfTarget } from './allowed-target.ts';
import { countReplay, type ReplayResult } from './count-replay.ts';
import { deliverTest, type TestResult } from './deliver-test.ts';
import { type DeliverySources, deliverDue } from './delivery-run.ts';
import { DeliveryTurns } from './delivery-turns.ts';
import { FeedReader } from './feed-reader.ts';
import { newSecret } from './signature.ts';
import { isoTime, viewOf, type Webhook, type WebhookChange, type WebhookView } from './webhook.ts';
import { type Delivery, eventsDeletedNotice, WebhookStore } from './webhook-store.ts';

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
  readonly #feed = new FeedReader(openStore(this.env));
  readonly #turns = new DeliveryTurns(this.env.QUOTAS);
  readonly #sources: DeliverySources = {
    store: this.#store,
    readFeed: (webhook, limit) => this.#feed.readAfter(webhook, webhook.cursor, limit),
    isSuspended: (webhook) => this.#feed.isSuspended(webhook),
    refusalOf: ({ url }) => refusalOfTarget(url, configOf(this.env)),
    waitForTurn: (webhook) => this.#turns.wait(webhook),
    isStopped: () => this.#isStopped,
    onDisabled: (webhook, reason) => logFault('webhook.disabled', reason, factsOf(webhook)),
    onExpired: (webhook, oldest) =>
      logFault('webhook.events_expired', 'the feed has deleted them', {
        ...factsOf(webhook),
        after: webhook.cursor,
        oldest,
      }),
    onGivenUp: (webhook, events) =>
      logFault('webhook.events_given_up', 'too many events wait', { ...factsOf(webhook), events }),
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
    return deliverTest(this.#sources, webhook, this.#turns);
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

  /** Sets the alarm to the next retry if that is earlier. A retry that is due already waits for a reason, so for the alarm. */
  async #bringForwardAlarm(): Promise<void> {
    const alarm = (await this.ctx.storage.getAlarm()) ?? Infinity;
    const webhook = this.#store.load();
    if (webhook === undefined || webhook.disabled !== undefined) return;
    const due = Math.max(this.#store.nextDue() ?? Infinity, webhook.pause?.until ?? 0);
    if (due > Date.now() && due < alarm) await this.ctx.storage.setAlarm(due);
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

function factsOf({ id, gatekeeperNetwork }: Webhook) {
  return { webhook: id, gatekeeper_network: gatekeeperNetwork };
}
