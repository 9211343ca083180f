import { expect, it } from 'vitest';
import { INPUT_FILE, startChild, stopChildren } from '../../../terminal/child-process.ts';
import { descendantsOf, filterRunning } from '../../../terminal/process-table.ts';

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

it('startChild gives a program its input as a file without a name, whole and from its beginning', async () => {
  const input = 'ä'.repeat(200_000);
  const reads = `const { fstatSync, readFileSync } = require('fs');
    console.log(readFileSync('${INPUT_FILE}', 'utf8').length, fstatSync(3).nlink);`;
  const child = await startChild(process.execPath, ['-e', reads], { input });
  expect(await child.ended).toBe(0);
  expect(child.lastLines).toEqual(['200000 0']);
  // Without an input, the program has no such file.
  expect(await (await startChild(process.execPath, ['-e', reads])).ended).toBe(1);
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
