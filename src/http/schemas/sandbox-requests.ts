import * as v from 'valibot';
import { DAY_SECONDS } from '../../lib/time.ts';
import { CLOCK_MAX_DAYS } from '../../network/sandbox.ts';
import { EVENTS_DELETED, FEED_TYPES } from '../../pass/vocabulary.ts';
import { text, wholeNumber } from './requests.ts';

/** The rules of requests about a sandbox. */

export const ClockBody = v.strictObject({ advanceSeconds: wholeNumber(1, CLOCK_MAX_DAYS * DAY_SECONDS) });

/** Every event that the feed or a webhook can have. */
export const TRIGGER_TYPES = [...FEED_TYPES, EVENTS_DELETED] as const;
export type TriggerType = (typeof TRIGGER_TYPES)[number];

export const TriggerBody = v.strictObject({
  type: v.picklist(TRIGGER_TYPES, `must be one of ${TRIGGER_TYPES.join(', ')}`),
  chain: v.optional(v.strictObject({ type: text, network: text })),
});
