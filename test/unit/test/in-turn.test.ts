import { expect, it } from 'vitest';
import { inTurn } from '../../worker/setup/resource-pool.ts';

it('lends an item to one taker at a time, and gives a returned item to the taker that has waited longest', async () => {
  const localnets = inTurn(['one', 'another']);
  expect([await localnets.take(), await localnets.take()]).toEqual(['one', 'another']);

  const got: string[] = [];
  const first = localnets.take().then((localnet) => got.push(`first ${localnet}`));
  const second = localnets.take().then((localnet) => got.push(`second ${localnet}`));
  await new Promise((resolve) => setImmediate(resolve));
  expect(got).toEqual([]);

  localnets.giveBack('another');
  await first;
  localnets.giveBack('one');
  await second;
  expect(got).toEqual(['first another', 'second one']);

  localnets.giveBack('another');
  expect(await localnets.take()).toBe('another');
});
