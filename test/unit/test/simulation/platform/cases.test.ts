import { expect, it } from 'vitest';
import { differencesIn } from '../../../../simulation/cases/compare.ts';
import { NAMED_CASES } from '../../../../simulation/cases/named-cases.ts';
import { randomCases } from '../../../../simulation/cases/random-cases.ts';

const RANDOM = 16;

it(`gives ${NAMED_CASES.length} named and ${RANDOM} random scripts the outcomes of the real runtime`, {
  timeout: 300_000,
}, async () => {
  expect(await differencesIn([...NAMED_CASES, ...randomCases(RANDOM)])).toEqual([]);
});
