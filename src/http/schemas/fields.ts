import * as v from 'valibot';
import { isGatekeeperNetwork } from '../../network/slot.ts';

/** The fields that requests of several routes have. Unknown fields are refused: an ignored filter would return the wrong passes. */

export const text = v.string('must be a string');

const rangeOf = (minimum: number, maximum: number) => `must be a whole number from ${minimum} to ${maximum}`;

/** A whole number in a body. */
export function wholeNumber(minimum: number, maximum: number) {
  const range = rangeOf(minimum, maximum);
  return v.pipe(v.number(range), v.integer(range), v.minValue(minimum, range), v.maxValue(maximum, range));
}

export const isDigits = (value: string) => /^\d{1,12}$/.test(value);

/** A whole number in a query, where every value is text. If it is absent, it is `byDefault`. */
export function queryNumber(minimum: number, maximum: number, byDefault: number) {
  const range = rangeOf(minimum, maximum);
  const parsed = v.pipe(
    v.string(range),
    v.check(isDigits, range),
    v.transform(Number),
    v.minValue(minimum, range),
    v.maxValue(maximum, range),
  );
  return v.optional(parsed, String(byDefault));
}

export const gatekeeperNetwork = v.pipe(
  text,
  v.guard(isGatekeeperNetwork, 'must be base58 of 32 bytes, the first 24 not all zero'),
);

export const NoFields = v.strictObject({});
