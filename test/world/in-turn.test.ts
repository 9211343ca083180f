import { expect, it } from 'vitest';
import { inTurn } from './in-turn.ts';

it("what is taken is nobody else's until it is given back, and then that of who asked first", async () => {
  const worlds = inTurn(['one', 'another']);
  expect([await worlds.take(), await worlds.take()]).toEqual(['one', 'another']);

  const got: string[] = [];
  const first = worlds.take().then((world) => got.push(`first ${world}`));
  const second = worlds.take().then((world) => got.push(`second ${world}`));
  await new Promise((resolve) => setImmediate(resolve));
  expect(got).toEqual([]);

  worlds.giveBack('another');
  await first;
  worlds.giveBack('one');
  await second;
  expect(got).toEqual(['first another', 'second one']);

  worlds.giveBack('another');
  expect(await worlds.take()).toBe('another');
});
