import * as v from 'valibot';
import { parseVariable } from './variable.ts';

const NO_SHARE = 'must be a share from 0 to 1, for example 0.05';

const Share = v.pipe(
  v.optional(v.string(NO_SHARE), ''),
  v.regex(/^(|0|1|0\.\d{1,6})$/, NO_SHARE),
  v.transform((text) => (text === '' ? 1 : Number(text))),
);

/** Returns `LOG_SUCCESSES`, the share, from 0 to 1, of successes that the Worker logs. The default is 1. */
export function parseLogSuccesses(env: Readonly<Record<string, unknown>>): number {
  return parseVariable(env, 'LOG_SUCCESSES', Share);
}
