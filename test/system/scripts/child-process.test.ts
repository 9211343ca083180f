import { expect, it } from 'vitest';
import { startChild, stopChildren } from '../../../scripts/child-process.ts';
import { descendantsOf, filterRunning } from '../../../scripts/process-table.ts';

const SLEEPS = 'setInterval(() => {}, 1000)';

it('startChild reports the lines and the exit code of a child process', async () => {
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

it('startChild fails if the program does not exist', async () => {
  await expect(startChild('no-such-program', [])).rejects.toThrow('ENOENT');
});

it('stopChildren ends all child processes, and the process table no longer lists them', async () => {
  const children = await Promise.all([1, 2].map(() => startChild(process.execPath, ['-e', SLEEPS])));
  const pids = children.map(({ pid }) => pid);
  expect((await descendantsOf(process.pid)).map(({ pid }) => pid)).toEqual(expect.arrayContaining(pids));
  await stopChildren();
  expect(await filterRunning(pids)).toEqual([]);
});
