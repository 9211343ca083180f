import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Child, startChild } from '../../../../terminal/child-process.ts';
import { filterRunning } from '../../../../terminal/process-table.ts';
import { restartOnChange } from '../../../../tools/localnet/restart-on-change.ts';

let folder: string;
let file: string;
let launched: Child[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatepass-restart-'));
  file = join(folder, 'worker.env');
  await writeFile(file, 'A=1');
  launched = [];
});
afterEach(async () => {
  await Promise.all(launched.map((child) => child.stop()));
  await rm(folder, { recursive: true });
});

const launch = async () => {
  const child = await startChild(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  launched.push(child);
  return child;
};
const running = () => filterRunning(launched.map(({ pid }) => pid));

describe('a program that restarts when its file changes', () => {
  it('restarts after a change, and not after a write of the same content', async () => {
    const program = await restartOnChange(file, launch, async () => {});
    await writeFile(file, 'A=1');
    await program.restart();
    expect(launched).toHaveLength(1);
    await writeFile(file, 'A=2');
    await program.restart();
    expect(launched).toHaveLength(2);
    expect(await running()).toEqual([launched[1]?.pid]);
    await program.stop();
    expect(await running()).toEqual([]);
  });

  it('is not started again once it was killed', async () => {
    const program = await restartOnChange(file, launch, async () => {});
    process.kill(launched[0]?.pid ?? 0, 'SIGKILL');
    await program.ended;
    await writeFile(file, 'A=2');
    await program.restart();
    expect(await running()).toEqual([]);
  });

  it('does not outlive a first start that fails', async () => {
    const start = restartOnChange(file, launch, async () => {
      throw new Error('it does not answer');
    });
    await expect(start).rejects.toThrow('it does not answer');
    expect(await running()).toEqual([]);
  });
});
