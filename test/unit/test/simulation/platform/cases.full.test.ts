import { expect, it } from 'vitest';
import { LONG } from '../../../../form.ts';
import { differencesIn } from '../../../../simulation/cases/compare.ts';
import { ALL_NAMED_CASES } from '../../../../simulation/cases/named-cases.ts';
import { randomCases } from '../../../../simulation/cases/random-cases.ts';

const CASES = LONG ? 2_000 : 300;
const RANDOM = CASES - ALL_NAMED_CASES.length;

it(`gives ${ALL_NAMED_CASES.length} named and ${RANDOM} random scripts the outcomes of the real runtime`, {
  timeout: 1_200_000,
}, async () => {
  expect(await differencesIn([...ALL_NAMED_CASES, ...randomCases(RANDOM)])).toEqual([]);
});
