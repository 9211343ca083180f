import { expect, it } from 'vitest';
import { playRaces } from './run-races.ts';

it('no two passes of a subject are accepted if a rule allows one, whatever fails, and all end as their subject', async () => {
  const { code, stdout } = await playRaces(1, 50);
  expect(stdout).toBe('50 of 50 races from seed 1 on are right.\n');
  expect(code).toBe(0);
});
