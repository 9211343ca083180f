import { expect, it } from 'vitest';
import { inTurn } from '../../worker/setup/in-turn.ts';

it("what is taken is nobody else's until it is given back, and then that of who asked first", async () => {
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
