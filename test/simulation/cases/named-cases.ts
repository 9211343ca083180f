import { ALARM_CASES, CACHE_CASES, RETRY_CASES } from './alarm-cases.ts';
import { CALL_CASES } from './call-cases.ts';
import type { Case } from './case.ts';
import { DATABASE_CASES } from './database-cases.ts';
import { MEETING_CASES } from './meeting-cases.ts';
import { QUEUE_CASES } from './queue-cases.ts';
import { STORAGE_CASES } from './storage-cases.ts';

/** Cases that show one rule of the platform each. */
export const NAMED_CASES: readonly Case[] = [
  ...STORAGE_CASES,
  ...CALL_CASES,
  ...MEETING_CASES,
  ...ALARM_CASES,
  ...CACHE_CASES,
  ...DATABASE_CASES,
  ...QUEUE_CASES,
];

/** The same, with the slow ones. */
export const ALL_NAMED_CASES: readonly Case[] = [...NAMED_CASES, ...RETRY_CASES];
