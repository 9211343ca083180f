import { InvalidArgumentError } from 'commander';

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Returns the seconds of a duration such as `90m`; undefined if the text is none. */
export function parseDuration(text: string): number | undefined {
  const [, number = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  return unit === '' ? undefined : Number(number) * (UNIT_SECONDS[unit] ?? 0);
}

/** Returns the Unix seconds of a time: ISO 8601 or Unix seconds. */
export function parseTime(text: string): number {
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.floor(Date.parse(text) / 1000);
  if (Number.isNaN(seconds)) throw new InvalidArgumentError('It must be a time such as 2027-01-31, or Unix seconds.');
  return seconds;
}

/** The same for a time in the past, which may also be a duration before now such as `2h`. */
export function parsePastTime(text: string): number {
  const duration = parseDuration(text);
  return duration === undefined ? parseTime(text) : Math.floor(Date.now() / 1000) - duration;
}

/** A time to come: Unix seconds, or a duration from the present of the passes on, which a sandbox may have advanced. */
export type End = number | { readonly seconds: number };

/** The same for a time to come, which may also be a duration such as `7d`. */
export function parseEnd(text: string): End {
  const duration = parseDuration(text);
  if (duration !== undefined) return { seconds: duration };
  const seconds = parseTime(text);
  // A sandbox is never behind this machine.
  if (seconds * 1000 <= Date.now()) throw new InvalidArgumentError('It must be in the future.');
  return seconds;
}
