import { expect, it } from 'vitest';
import { playFreeze } from './run-races.ts';

it('a freeze of a person reaches the passes on each network that works, and the others when their network is back', async () => {
  const { code, stdout } = await playFreeze(60);
  expect(stdout).toBe('The freeze of 60 passes is right.\n');
  expect(code).toBe(0);
});
