import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROJECT } from '../../../terminal/wrangler.ts';

/** Runs `npm run network` as a process of its own, and kills it after a time, or when it prints such a line. */
export async function killNetworkAt(moment: number | RegExp, args: readonly string[]): Promise<void> {
  const program = join(PROJECT, 'ops', 'network.ts');
  const stdio = ['ignore', 'pipe', 'ignore'] as const;
  const child = spawn(process.execPath, ['--no-warnings', program, ...args], { cwd: PROJECT, stdio: [...stdio] });
  const ended = once(child, 'close');
  const printed = new Promise<void>((resolve) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (moment instanceof RegExp && moment.test(text)) resolve();
    });
  });
  await Promise.race([typeof moment === 'number' ? sleep(moment) : printed, ended]);
  child.kill('SIGKILL');
  await ended;
}
