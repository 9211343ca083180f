import * as v from 'valibot';
import { parseVariable } from './variable.ts';

/** At this share of a database's maximum size, the operator gets a warning. */
export const FILLING_SHARE = 0.7;
/** At this share, a database accepts no new passes. The rest is for changes, which lengthen records. */
export const FULL_SHARE = 0.95;

/** The maximum size of a D1 database on the paid plan: 10 GB. */
const D1_MAX_BYTES = 10_000_000_000;
const NO_SIZE = 'must be a number of bytes, for example 10000000000';

const Bytes = v.pipe(
  v.optional(v.string(NO_SIZE), ''),
  v.regex(/^(|[1-9]\d{0,14})$/, NO_SIZE),
  v.transform((text) => (text === '' ? D1_MAX_BYTES : Number(text))),
);

/** Returns `DATABASE_MAX_BYTES`, the maximum size of each database. The default is D1's own maximum. */
export function parseDatabaseMaxBytes(env: Readonly<Record<string, unknown>>): number {
  return parseVariable(env, 'DATABASE_MAX_BYTES', Bytes);
}
