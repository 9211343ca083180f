import type { Milliseconds, UnixSeconds } from '../lib/units.ts';
import { EVENTS_DELETED, type FeedType } from '../pass/vocabulary.ts';
import type { Attempt } from './send-event.ts';

/** An event that waits for a retry, or behind an earlier event of its pass that does. */
export interface WaitingEvent {
  readonly sequence: number;
  readonly type: string;
  readonly id: string;
  /** The event as JSON, because the feed may delete it before the last retry. It is stored without the names of its pass, as in the feed. */
  readonly body: string;
  /** Number of scheduled attempts that failed; 0: it waits behind another event. */
  readonly failures: number;
  /** When the next scheduled attempt is due. */
  readonly due: Milliseconds;
  /** When the last attempt failed. */
  readonly failedAt: Milliseconds;
  /** From when on a success of another event makes it due before its time. */
  readonly earlyFrom: Milliseconds;
}

/** Returns the notice that events before the oldest one are deleted, in the place of the last of them. */
export function eventsDeletedNotice(oldest: number, now = Date.now()): WaitingEvent {
  const sequence = oldest - 1;
  const id = `deleted.${sequence}`;
  const body = JSON.stringify({ id, sequence, type: EVENTS_DELETED, timestamp: isoTime(now) });
  return { sequence, type: EVENTS_DELETED, id, body, failures: 0, due: 0, failedAt: 0, earlyFrom: 0 };
}

/** A delivery as the API lists it. */
export interface Delivery {
  readonly number: number;
  readonly event: string;
  readonly sequence: number;
  readonly type: string;
  /** ISO 8601. */
  readonly at: string;
  /** 1: the first attempt. */
  readonly attempt: number;
  readonly outcome: 'delivered' | 'failed' | 'given_up';
  readonly status?: number | undefined;
  readonly durationMs: number;
  readonly error?: string | undefined;
}

const MAX_DELIVERIES = 1_000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS waiting (
    sequence INTEGER PRIMARY KEY, pass TEXT NOT NULL, type TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL,
    failures INTEGER NOT NULL, due INTEGER NOT NULL, failed_at INTEGER NOT NULL, early_from INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS waiting_by_pass ON waiting (pass, sequence);
  CREATE TABLE IF NOT EXISTS delivery (slot INTEGER PRIMARY KEY, number INTEGER NOT NULL, body TEXT NOT NULL) STRICT;`;

/** The stored data of a webhook: its configuration, the waiting events, and the newest deliveries. */
export class WebhookStore {
  readonly #storage: DurableObjectStorage;
  #nextNumber: number | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Returns the webhook; undefined if there is none. An object that was only read stores nothing. */
  load(): Webhook | undefined {
    return this.#storage.kv.get<Webhook>('webhook');
  }

  save(webhook: Webhook): Webhook {
    if (this.load() === undefined) this.#storage.sql.exec(SCHEMA);
    this.#storage.kv.put('webhook', webhook);
    return webhook;
  }

  countWaitingEvents(): number {
    return this.#all<{ n: number }>('SELECT count(*) AS n FROM waiting')[0]?.n ?? 0;
  }

  /** Returns the ids of the passes among these that have a waiting event. */
  waitingPasses(passes: readonly string[]): Set<string> {
    const query = 'SELECT DISTINCT pass FROM waiting WHERE pass IN (SELECT value FROM json_each(?))';
    return new Set(this.#all<{ pass: string }>(query, JSON.stringify(passes)).map(({ pass }) => pass));
  }

  /**
   * Returns the first waiting event of each pass if it is due: first those without an attempt, which the receiver may accept, then
   * the oldest. A success makes earlier failures due.
   */
  dueEvents(now: Milliseconds, successAt: Milliseconds, limit: number): WaitingEvent[] {
    return this.#all<WaitingEvent>(
      `SELECT sequence, type, id, body, failures, due, failed_at AS failedAt, early_from AS earlyFrom
       FROM waiting AS first
       WHERE (due <= ?1 OR (early_from <= ?1 AND failed_at < ?2))
         AND NOT EXISTS (SELECT 1 FROM waiting WHERE pass = first.pass AND sequence < first.sequence)
       ORDER BY failures > 0, sequence LIMIT ?3`,
      now,
      successAt,
      limit,
    );
  }

  /** Returns the oldest waiting events with at least that number of failures. */
  oldestFailures(failures: number, limit: number): Pick<WaitingEvent, 'sequence' | 'type' | 'id' | 'failures'>[] {
    const query = 'SELECT sequence, type, id, failures FROM waiting WHERE failures >= ? ORDER BY sequence LIMIT ?';
    return this.#all(query, failures, limit);
  }

  /** Returns when the next scheduled attempt is due; undefined: nothing waits. */
  nextDue(): Milliseconds | undefined {
    return (
      this.#all<{ due: number | null }>('SELECT min(due) AS due FROM waiting WHERE failures > 0')[0]?.due ?? undefined
    );
  }

  /** Stores an event with its next retry. An event without an attempt changes no stored one, which a repeated page has again. */
  putWaiting({ sequence, type, id, body, failures, due, failedAt, earlyFrom }: WaitingEvent): void {
    this.#storage.sql.exec(
      `INSERT INTO waiting (sequence, pass, type, id, body, failures, due, failed_at, early_from)
       VALUES (?, ?, ?, ?, json_replace(?, '$.data.pass.reference', '', '$.data.pass.subject', ''), ?, ?, ?, ?)
       ON CONFLICT (sequence) DO UPDATE SET failures = excluded.failures, due = excluded.due,
         failed_at = excluded.failed_at, early_from = excluded.early_from WHERE excluded.failures > 0`,
      ...[sequence, passOf(id), type, id, body, failures, due, failedAt, earlyFrom],
    );
  }

  dropWaiting(sequence: number): void {
    this.#storage.sql.exec('DELETE FROM waiting WHERE sequence = ?', sequence);
  }

  dropWaitingAfter(sequence: number): void {
    this.#storage.sql.exec('DELETE FROM waiting WHERE sequence > ?', sequence);
  }

  /** Records a delivery. The newest thousand are kept, each in the slot of an older one. */
  addDelivery(
    { id, sequence, type }: Pick<WaitingEvent, 'id' | 'sequence' | 'type'>,
    attempt: number,
    outcome: Delivery['outcome'],
    { status, durationMs, error }: Attempt,
  ): void {
    this.#nextNumber ??=
      (this.#all<{ last: number | null }>('SELECT max(number) AS last FROM delivery')[0]?.last ?? 0) + 1;
    const number = this.#nextNumber;
    this.#nextNumber += 1;
    const at = isoTime(Date.now());
    const delivery: Delivery = { number, event: id, sequence, type, at, attempt, outcome, status, durationMs, error };
    this.#storage.sql.exec(
      `INSERT INTO delivery (slot, number, body) VALUES (?, ?, ?)
       ON CONFLICT (slot) DO UPDATE SET number = excluded.number, body = excluded.body`,
      number % MAX_DELIVERIES,
      number,
      JSON.stringify(delivery),
    );
  }

  /** Returns the deliveries with higher numbers, in order. */
  deliveriesAfter(number: number, limit: number): Delivery[] {
    const query = 'SELECT body FROM delivery WHERE number > ? ORDER BY number LIMIT ?';
    return this.#all<{ body: string }>(query, number, limit).map(({ body }) => JSON.parse(body) as Delivery);
  }

  #all<T>(query: string, ...values: (string | number)[]): T[] {
    return this.#storage.sql.exec(query, ...values).toArray() as T[];
  }
}

/** Returns the id of the pass of an event. An event without a pass has an order of its own. */
export function passOf(eventId: string): string {
  return eventId.slice(0, eventId.lastIndexOf('.'));
}

/** Why a webhook is disabled: its URL answered 410, nothing succeeded for days, or somebody disabled it. */
export const DISABLED_REASONS = ['gone', 'no_success', 'operator', 'partner'] as const;
type DisabledReason = (typeof DISABLED_REASONS)[number];

/** A webhook as its object stores it. Fields may be added, but never change their meaning. */
export interface Webhook {
  /** UUIDv7. */
  readonly id: string;
  readonly gatekeeperNetwork: string;
  readonly url: string;
  /** Undefined: all types. */
  readonly types?: readonly FeedType[] | undefined;
  readonly description?: string | undefined;
  /** Undefined: the webhook is enabled. */
  readonly disabled?: DisabledReason | undefined;
  readonly createdAt: UnixSeconds;
  /** `whsec_` and base64 of 32 random bytes. Only this object has it. */
  readonly secret: string;
  /** The secret before the last rotation, and until when it signs too. */
  readonly previous?: { readonly secret: string; readonly until: Milliseconds } | undefined;
  /** Every event up to this sequence is delivered, given up, or waiting. */
  readonly cursor: number;
  readonly lastSuccessAt?: Milliseconds | undefined;
  /** When the first delivery failed after the last success, or after the last time at which nothing waited. */
  readonly failingSince?: Milliseconds | undefined;
  /** The pause after a run in which many deliveries in a row failed. A success ends it. */
  readonly pause?: Pause | undefined;
  /**
   * True: the feed's row may not list the webhook, because the request that creates it may have ended. Until the row lists it,
   * the webhook delivers nothing and nobody sees it.
   */
  readonly isNew?: true | undefined;
}

interface Pause {
  readonly until: Milliseconds;
  /** Number of pauses since the last success. */
  readonly count: number;
}

/** The fields that a partner may change. Undefined: unchanged. `types` null: all types. */
export interface WebhookChange {
  readonly url?: string | undefined;
  readonly types?: readonly FeedType[] | null | undefined;
  readonly description?: string | undefined;
  readonly status?: 'enabled' | 'disabled' | undefined;
}

export type WebhookView = ReturnType<typeof viewOf>;

/** Returns the webhook as the API returns it, without its secrets. Times are ISO 8601. */
export function viewOf(
  { id, url, types, description, disabled, createdAt, lastSuccessAt, failingSince, cursor }: Webhook,
  waiting: number,
) {
  return {
    id,
    url,
    types,
    description,
    status: disabled === undefined ? ('enabled' as const) : ('disabled' as const),
    disabledReason: disabled,
    createdAt: isoTime(createdAt * 1000),
    lastSuccessAt: lastSuccessAt === undefined ? undefined : isoTime(lastSuccessAt),
    // Undefined: the last delivery succeeded, or nothing waits.
    failingSince: failingSince === undefined ? undefined : isoTime(failingSince),
    cursor,
    // The number of events that wait for a retry, or behind one.
    waiting,
  };
}

export function isoTime(ms: Milliseconds): string {
  return new Date(ms).toISOString();
}

/** Returns the secrets that sign now. */
export function secretsOf({ secret, previous }: Webhook, now = Date.now()): string[] {
  return previous !== undefined && now < previous.until ? [secret, previous.secret] : [secret];
}

/** Returns the fields of a log line about the webhook. */
export function factsOf({ id, gatekeeperNetwork }: Webhook) {
  return { webhook: id, gatekeeper_network: gatekeeperNetwork };
}
