import { expect, it } from 'vitest';
import { startChild, stopChildren } from '../../../scripts/child-process.ts';
import { descendantsOf, stillRunning } from '../../../scripts/process-table.ts';

const SLEEPS = 'setInterval(() => {}, 1000)';

it('tells what it printed and how it ended', async () => {
  const lines: string[] = [];
  const onLine = (line: string) => lines.push(line);
  const child = await startChild(process.execPath, ['-e', 'console.log("one\\ntwo"); process.exitCode = 3'], {
    onLine,
  });
  expect(await child.ended).toBe(3);
  expect(lines).toEqual(['one', 'two']);
  expect(child.lastLines).toEqual(lines);
  await child.stop();
});

it('that does not exist is refused', async () => {
  await expect(startChild('no-such-program', [])).rejects.toThrow('ENOENT');
});

it('ends with all others, and is known until then', async () => {
  const children = await Promise.all([1, 2].map(() => startChild(process.execPath, ['-e', SLEEPS])));
  const pids = children.map(({ pid }) => pid);
  expect((await descendantsOf(process.pid)).map(({ pid }) => pid)).toEqual(expect.arrayContaining(pids));
  await stopChildren();
  expect(await stillRunning(pids)).toEqual([]);
});
