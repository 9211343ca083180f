import * as v from 'valibot';
import { parseVariable } from './variable.ts';

/** From this share of its maximum on, the operator is warned about a database. */
export const FILLING_SHARE = 0.7;
/** From this share on, a database takes no new passes. The rest is for changes, which make records longer. */
export const FULL_SHARE = 0.95;

/** What D1 allows on the paid plan: 10 GB. */
const D1_MAX_BYTES = 10_000_000_000;
const NO_SIZE = 'must be a number of bytes, for example 10000000000';

const Bytes = v.pipe(
  v.optional(v.string(NO_SIZE), ''),
  v.regex(/^(|[1-9]\d{0,14})$/, NO_SIZE),
  v.transform((text) => (text === '' ? D1_MAX_BYTES : Number(text))),
);

/** `DATABASE_MAX_BYTES`: how large each database may become; by default as large as D1 allows. */
export function parseDatabaseMaxBytes(env: Readonly<Record<string, unknown>>): number {
  return parseVariable(env, 'DATABASE_MAX_BYTES', Bytes);
}
