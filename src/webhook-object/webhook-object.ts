import { DurableObject } from 'cloudflare:workers';
import { configOf } from '../config/parse-config.ts';
import type { Milliseconds } from '../lib/brand.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import { openStore } from '../store/open-store.ts';
import { refusalOfTarget } from './allowed-target.ts';
import { type DeliverySources, deliverDue, secretsOf } from './delivery-run.ts';
import { FeedReader } from './feed-reader.ts';
import type { ReplayResult, TestResult } from './results.ts';
import { sendEvent } from './send-event.ts';
import { newSecret } from './signature.ts';
import { isoTime, viewOf, type Webhook, type WebhookChange, type WebhookView } from './webhook.ts';
import { type Delivery, WebhookStore } from './webhook-store.ts';

/** A lost wake delays an event by at most this time. */
const LOOK_INTERVAL_MS = 60_000;
const ROTATION_MS = 24 * 3_600_000;
/** Minimum time between two tests, or two replays, of a webhook. */
const PAUSE_MS = 10_000;
/** The platform ends an alarm after 15 minutes. A longer run continues without it. */
const ALARM_MAX_MS = 600_000;

/** Delivers the events of a feed to one URL of a partner, in order per pass, and retries each delivery for days. */
export class WebhookObject extends DurableObject<Env> {
  readonly #store = new WebhookStore(this.ctx.storage);
  readonly #feed = new FeedReader(openStore(this.env));
  readonly #sources: DeliverySources = {
    store: this.#store,
    readFeed: (webhook, limit) => this.#feed.readAfter(webhook, webhook.cursor, limit),
    isSuspended: (webhook) => this.#feed.isSuspended(webhook),
    refusalOf: ({ url }) => refusalOfTarget(url, configOf(this.env)),
    isStopped: () => this.#isStopped,
    onDisabled: (webhook, reason) => logFault('webhook.disabled', reason, factsOf(webhook)),
    onExpired: (webhook, oldest) =>
      logFault('webhook.events_expired', 'the feed has deleted them', {
        ...factsOf(webhook),
        after: webhook.cursor,
        oldest,
      }),
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
    const webhook = this.#store.load();
    return webhook && this.#view(webhook);
  }

  /** Changes the webhook. An enabled one continues at its cursor, or at the oldest event that the feed still has. */
  async change(
    { types, status, ...fields }: WebhookChange,
    by: 'partner' | 'operator',
  ): Promise<WebhookView | undefined> {
    const before = this.#store.load();
    if (before === undefined) return undefined;
    const oldest = status === 'enabled' && before.disabled !== undefined ? await this.#oldestAfter(before) : undefined;
    const webhook = this.#store.load();
    if (webhook === undefined) return undefined;
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    const changed = this.#store.save({
      ...webhook,
      ...given,
      types: types === undefined ? webhook.types : (types ?? undefined),
      ...(status === 'enabled' && { disabled: undefined, failingSince: undefined }),
      ...(status === 'disabled' && { disabled: webhook.disabled ?? by }),
      ...(oldest !== undefined && { cursor: oldest - 1 }),
    });
    if (changed.disabled === undefined) await this.ctx.storage.setAlarm(Date.now());
    return this.#view(changed);
  }

  /** Deletes the webhook with all its data. Returns whether there was one. */
  async remove(): Promise<boolean> {
    const exists = this.#store.load() !== undefined;
    await this.#stop();
    // In one commit, because a wake in between would start a run.
    await Promise.all([this.ctx.storage.deleteAlarm(), this.ctx.storage.deleteAll()]);
    return exists;
  }

  /** Makes a new secret. The old one signs too, for a day. */
  async rotateSecret(): Promise<{ readonly secret: string; readonly previousValidUntil: string } | undefined> {
    const webhook = this.#store.load();
    if (webhook === undefined) return undefined;
    const until = Date.now() + ROTATION_MS;
    const { secret } = this.#store.save({
      ...webhook,
      secret: newSecret(),
      previous: { secret: webhook.secret, until },
    });
    return { secret, previousValidUntil: isoTime(until) };
  }

  /** Sends an event of the type `webhook.test`, which the feed does not have, also if the webhook is disabled. */
  async sendTest(): Promise<TestResult | undefined> {
    const webhook = this.#store.load();
    if (webhook === undefined) return undefined;
    const now = Date.now();
    if (now < this.#testedAt + PAUSE_MS) return { type: 'too_soon' };
    this.#testedAt = now;
    const refusal = this.#sources.refusalOf(webhook);
    if (refusal !== undefined) return { type: 'tested', delivered: false, durationMs: 0, error: `the URL ${refusal}` };
    if (await this.#feed.isSuspended(webhook))
      return {
        type: 'tested',
        delivered: false,
        durationMs: 0,
        error: 'all partners of the gatekeeper network are suspended',
      };
    const id = `test.${crypto.randomUUID()}`;
    const body = JSON.stringify({ id, type: 'webhook.test', timestamp: isoTime(now) });
    const { isDelivered, status, durationMs, error } = await sendEvent(webhook.url, { id, body }, secretsOf(webhook));
    return { type: 'tested', delivered: isDelivered, status, durationMs, error };
  }

  /** Delivers the events after a sequence again, with the same ids. Waits for deliveries in flight, so that the order holds. */
  async replay(after: number): Promise<ReplayResult | undefined> {
    const before = this.#store.load();
    if (before === undefined) return undefined;
    if (Date.now() < this.#replayedAt + PAUSE_MS) return { type: 'too_soon' };
    const page = await this.#feed.readAfter(before, after, 1);
    if (page.type === 'cursor_expired') return page;
    const newest = await this.#feed.newestSequence(before);
    if (after > newest) return { type: 'beyond_newest', newest };
    this.#replayedAt = Date.now();
    await this.#stop();
    const webhook = this.#store.load();
    if (webhook === undefined) return undefined;
    this.#store.dropWaitingAfter(after);
    const replayed = this.#store.save({ ...webhook, cursor: after });
    if (replayed.disabled === undefined) await this.ctx.storage.setAlarm(Date.now());
    return { type: 'replaying', webhook: this.#view(replayed) };
  }

  /** Returns the deliveries with higher numbers, in order. */
  async deliveriesAfter(number: number, limit: number): Promise<Delivery[] | undefined> {
    return this.#store.load() && this.#store.deliveriesAfter(number, limit);
  }

  /** Looks for new events soon. Returns before it delivers, so that the publisher does not wait. */
  async wake(): Promise<void> {
    const webhook = this.#store.load();
    if (webhook !== undefined && webhook.disabled === undefined) void this.#start();
  }

  override async alarm(): Promise<void> {
    const webhook = this.#store.load();
    if (webhook === undefined || webhook.disabled !== undefined) return;
    // Schedule the next alarm before the work: a crash below must not end the deliveries.
    await this.ctx.storage.setAlarm(Date.now() + LOOK_INTERVAL_MS);
    await Promise.all([this.#register(webhook), withTimeout(ALARM_MAX_MS, this.#start(), undefined)]);
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
    const due = this.#store.nextDue() ?? Infinity;
    if (due > Date.now() && due < alarm) await this.ctx.storage.setAlarm(due);
  }

  /** Lists the webhook again if the feed's row lacks it: the database was restored to a time before the webhook. */
  async #register(webhook: Webhook): Promise<void> {
    try {
      const isListed = await this.#feed.isListed(webhook);
      // A partner may have deleted it meanwhile.
      if (!isListed && this.#store.load() !== undefined) await this.#feed.list(webhook);
    } catch (fault) {
      logFault('webhook.run_failed', fault, factsOf(webhook));
    }
  }

  /** Returns the oldest event that the feed still has if the one after the cursor is deleted. */
  async #oldestAfter(webhook: Webhook): Promise<number | undefined> {
    const page = await this.#feed.readAfter(webhook, webhook.cursor, 1);
    return page.type === 'cursor_expired' ? page.oldest : undefined;
  }

  #view(webhook: Webhook): WebhookView {
    return viewOf(webhook, this.#store.countWaiting());
  }
}

function factsOf({ id, gatekeeperNetwork }: Webhook) {
  return { webhook: id, gatekeeper_network: gatekeeperNetwork };
}
