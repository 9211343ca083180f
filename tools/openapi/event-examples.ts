import { EVENTS_DELETED, type EventType, FEED_TYPES, type FeedType } from '../../src/pass/vocabulary.ts';
import { EXAMPLE } from './fields.ts';
import { STAGES } from './pass-examples.ts';

/** One example of each type of event, for the documents. They follow each other in a feed. */

const FIRST_SEQUENCE = 48_201;
/** A restore leaves out ten billion sequences, which may have been used. */
const RESTORED_SEQUENCE = 10_000_048_212;
const FIRST_TIME = 1_795_172_629;
const WEEK_SECONDS = 7 * 86_400;
const EXPIRY = FIRST_TIME + 30 * 86_400;

const { events, valid: _, ...active } = STAGES.ethereum.active;
const transaction = events.findLast(({ eventType }) => eventType === 'TOKEN_ISSUED')?.transaction;

/** The entry of the history, the fields of the pass that it changes, and the time after the first event. */
interface Entry {
  readonly eventType: EventType;
  readonly pass?: {
    readonly state?: string;
    readonly onChainState?: string;
    readonly expiryTimestamp?: number;
    readonly subject?: string;
    readonly reference?: string;
  };
  readonly seconds: number;
  readonly reason?: string;
  /** Whether the entry needs no transaction of the service. */
  readonly isWithoutTransaction?: true;
}

const EXPIRING = { expiryTimestamp: EXPIRY };
const ENTRIES: Readonly<Record<Exclude<FeedType, 'feed.restored'>, Entry>> = {
  'pass.issued': { eventType: 'TOKEN_ISSUED', seconds: 0 },
  'pass.renewed': { eventType: 'TOKEN_EXPIRY_CHANGED', pass: { expiryTimestamp: EXAMPLE.expiry }, seconds: 60 },
  'pass.frozen': { eventType: 'TOKEN_FROZEN', pass: { state: 'FROZEN', onChainState: 'FROZEN' }, seconds: 120 },
  'pass.unfrozen': { eventType: 'TOKEN_UNFROZEN', seconds: 180 },
  'pass.revoked': { eventType: 'TOKEN_REVOKED', pass: { state: 'REVOKED', onChainState: 'REVOKED' }, seconds: 240 },
  'pass.expiry_changed': { eventType: 'TOKEN_EXPIRY_CHANGED', pass: EXPIRING, seconds: 300 },
  'pass.rejected': {
    eventType: 'TOKEN_ISSUED_FAILED',
    pass: { state: 'REJECTED', onChainState: 'NONE' },
    reason: 'the contract refuses the wallet',
    seconds: 360,
    isWithoutTransaction: true,
  },
  'pass.change_failed': {
    eventType: 'TOKEN_FROZEN_FAILED',
    reason: 'superseded',
    seconds: 420,
    isWithoutTransaction: true,
  },
  'pass.reorged': {
    eventType: 'TOKEN_ISSUED_REORGED',
    pass: { state: 'REQUESTED', onChainState: 'NONE' },
    seconds: 480,
  },
  'pass.expiring': {
    eventType: 'TOKEN_EXPIRING',
    pass: EXPIRING,
    seconds: EXPIRY - WEEK_SECONDS - FIRST_TIME,
    isWithoutTransaction: true,
  },
  'pass.expired': {
    eventType: 'TOKEN_EXPIRED',
    pass: EXPIRING,
    seconds: EXPIRY + 30 - FIRST_TIME,
    isWithoutTransaction: true,
  },
  'pass.reference_changed': {
    eventType: 'REFERENCE_CHANGED',
    pass: { reference: EXAMPLE.reference },
    seconds: 540,
    isWithoutTransaction: true,
  },
  'pass.subject_changed': {
    eventType: 'SUBJECT_CHANGED',
    pass: { subject: EXAMPLE.subject },
    seconds: 600,
    isWithoutTransaction: true,
  },
};

export const EVENTS_DELETED_EXAMPLE = {
  id: `deleted.${FIRST_SEQUENCE - 1}`,
  sequence: FIRST_SEQUENCE - 1,
  type: EVENTS_DELETED,
  timestamp: isoTime(FIRST_TIME),
};

/** Returns the event of that type, as the feed and a webhook show it. */
export function eventExample(type: FeedType) {
  if (type === 'feed.restored') {
    const timestamp = isoTime(EXPIRY + WEEK_SECONDS);
    return { id: `restored.${RESTORED_SEQUENCE}`, sequence: RESTORED_SEQUENCE, type, timestamp };
  }
  const place = FEED_TYPES.indexOf(type);
  const sequence = FIRST_SEQUENCE + place;
  const { eventType, pass, seconds, reason, isWithoutTransaction } = ENTRIES[type];
  const timestamp = FIRST_TIME + seconds;
  const status = eventType.endsWith('_REORGED') ? 'sent' : 'confirmed';
  const event = {
    eventType,
    timestamp,
    ...(!isWithoutTransaction && transaction && { transaction: { ...transaction, status } }),
    ...(reason !== undefined && { reason }),
    ...(seconds < WEEK_SECONDS && { requestId: EXAMPLE.requestId }),
  };
  const data = { event, pass: { ...active, ...pass } };
  return { id: `${active.id}.${place + 1}`, sequence, type, timestamp: isoTime(timestamp), data };
}

/** Returns the event of that type, which another gatekeeper has caused. */
export function exampleByOthers(type: Exclude<FeedType, 'feed.restored'>) {
  const { data, ...event } = eventExample(type);
  const { requestId: _, ...entry } = data?.event ?? {};
  const byOthers = { gatekeeper: EXAMPLE.gatekeeper };
  return { ...event, data: { ...data, event: { ...entry, byOthers } } };
}

function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
