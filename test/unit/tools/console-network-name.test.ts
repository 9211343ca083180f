import { expect, it } from 'vitest';
import { nameWithEnd } from '../../../pages/console/layout/network-name.ts';

/** The name of a network in the console. */

const END = '2026-12-31';

it.each([
  ['without an end', undefined, 0, 'fantomMainnet'],
  ['a second before', END, Date.parse(END) - 1_000, 'fantomMainnet (ends on 2026-12-31)'],
  ['from the day on', END, Date.parse(END), 'fantomMainnet (ended on 2026-12-31)'],
])('%s', (_, day, now, shown) => {
  expect(nameWithEnd('fantomMainnet', day, now)).toBe(shown);
});
