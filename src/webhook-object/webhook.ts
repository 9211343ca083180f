import type { Milliseconds, UnixSeconds } from '../lib/brand.ts';
import type { FeedType } from '../pass/vocabulary.ts';

/** Why a webhook is disabled: its URL answered 410, nothing succeeded for days, or somebody disabled it. */
export const DISABLED_REASONS = ['gone', 'no_success', 'operator', 'partner'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** A webhook as its object stores it. Fields may be added, but never change their meaning. */
export interface Webhook {
  /** UUIDv7. */
  readonly id: string;
  readonly gatekeeperNetwork: string;
  /** Name of the database with the feed. */
  readonly shard: string;
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

/** A webhook as the API returns it, without its secrets. Times are ISO 8601. */
export interface WebhookView {
  readonly id: string;
  readonly url: string;
  readonly types?: readonly FeedType[] | undefined;
  readonly description?: string | undefined;
  readonly status: 'enabled' | 'disabled';
  readonly disabledReason?: DisabledReason | undefined;
  readonly createdAt: string;
  readonly lastSuccessAt?: string | undefined;
  /** When the first delivery failed after the last success. Undefined: the last delivery succeeded, or nothing waits. */
  readonly failingSince?: string | undefined;
  readonly cursor: number;
  /** Number of events that wait for a retry, or behind one. */
  readonly waiting: number;
}

export function viewOf(webhook: Webhook, waiting: number): WebhookView {
  const { id, url, types, description, disabled, createdAt, lastSuccessAt, failingSince, cursor } = webhook;
  return {
    id,
    url,
    types,
    description,
    status: disabled === undefined ? 'enabled' : 'disabled',
    disabledReason: disabled,
    createdAt: isoTime(createdAt * 1000),
    lastSuccessAt: lastSuccessAt === undefined ? undefined : isoTime(lastSuccessAt),
    failingSince: failingSince === undefined ? undefined : isoTime(failingSince),
    cursor,
    waiting,
  };
}

export function isoTime(ms: Milliseconds): string {
  return new Date(ms).toISOString();
}
