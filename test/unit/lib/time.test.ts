import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DAY_MS, DAY_SECONDS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/lib/units.ts';

const SRC = join(import.meta.dirname, '../../../src');
/** A minute, an hour or a day as a number of milliseconds or seconds, or a constant for one of them. */
const UNIT =
  /(?<![\d_.])(?:60_?000|3_?600_?000|86_?400_?000|3_?600|86_?400)\b|const (?:SECOND|MINUTE|HOUR|DAY)(?:_MS|_SECONDS)? =/;

it('each unit of time is written once', () => {
  const repeated = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && file !== 'lib/units.ts')
    .flatMap((file) =>
      readFileSync(join(SRC, file), 'utf8')
        .split('\n')
        .map((line) => `${file}: ${line.trim()}`),
    )
    .filter((line) => UNIT.test(line) && !/: (?:\*|\/\*\*|\/\/)/.test(line));
  // The value of a header.
  expect(repeated).toEqual(["http/protocol/cors.ts: 'access-control-max-age': '3600',"]);
});

it('the units of time are those of the clock', () => {
  expect(new Date(DAY_MS + HOUR_MS + MINUTE_MS + SECOND_MS).toISOString()).toBe('1970-01-02T01:01:01.000Z');
  expect(new Date(DAY_SECONDS * 1000).toISOString()).toBe('1970-01-02T00:00:00.000Z');
});
