import * as v from 'valibot';
import { parseVariable } from './variable.ts';

/** Enough to correct mistakes, but too few to waste money by changing one pass back and forth. */
const PASS_DAILY_CHANGES = 24;
/** The number of steps that a network of 12-second blocks signs in about an hour and a half. */
const CLIENT_MAX_WAITING = 3_000;

const NO_COUNT = 'must be a whole number of at least 1, for example 24';

const countOr = (usual: number) =>
  v.pipe(
    v.optional(v.string(NO_COUNT), ''),
    v.regex(/^(|[1-9]\d{0,8})$/, NO_COUNT),
    v.transform((text) => (text === '' ? usual : Number(text))),
  );

/** Returns `PASS_DAILY_CHANGES` and `CLIENT_MAX_WAITING`, which bound the work that partners may request. */
export function parseRequestBounds(env: Readonly<Record<string, unknown>>) {
  return {
    passDailyChanges: parseVariable(env, 'PASS_DAILY_CHANGES', countOr(PASS_DAILY_CHANGES)),
    clientMaxWaiting: parseVariable(env, 'CLIENT_MAX_WAITING', countOr(CLIENT_MAX_WAITING)),
  };
}
