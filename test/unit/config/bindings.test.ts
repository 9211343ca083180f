import { expect, it } from 'vitest';
import { isHourly } from '../../../src/config/bindings.ts';

it.each([
  ['47 * * * *', true],
  [' 0  * * * MON', true],
  ['17 3 * * *', false],
  ['0 */2 * * *', false],
  ['* 3 * * *', false],
  ['', false],
  [undefined, false],
])('a schedule is hourly if its field for the hour is *: %j, %s', (cron, hourly) =>
  expect(isHourly(cron)).toBe(hourly),
);
