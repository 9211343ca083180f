import { readdirSync, readFileSync } from 'node:fs';

/**
 * How long a process has computed since it began (ms), all its threads: what it waited for, or for whom else the machine
 * worked meanwhile, does not count. Linux tells (proc_pid_schedstat); elsewhere not a number.
 */
export function processorTimeOf(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const nanoseconds = threads.map((thread) => {
      return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    });
    return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
  } catch {
    return Number.NaN;
  }
}
