import { expect, it } from 'vitest';
import { startChild, stopChildren } from '../../../scripts/child-process.ts';
import { descendantsOf, filterRunning } from '../../../scripts/process-table.ts';

const SLEEPS = 'setInterval(() => {}, 1000)';

it('a child process reports its lines and its exit code', async () => {
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

it('starting a program that does not exist fails', async () => {
  await expect(startChild('no-such-program', [])).rejects.toThrow('ENOENT');
});

it('stopChildren ends all child processes, which the process table lists until then', async () => {
  const children = await Promise.all([1, 2].map(() => startChild(process.execPath, ['-e', SLEEPS])));
  const pids = children.map(({ pid }) => pid);
  expect((await descendantsOf(process.pid)).map(({ pid }) => pid)).toEqual(expect.arrayContaining(pids));
  await stopChildren();
  expect(await filterRunning(pids)).toEqual([]);
});
