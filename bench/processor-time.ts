import { readdirSync, readFileSync } from 'node:fs';

/**
 * Returns the processor time of a process since its start (ms), over all its threads. Waiting, and other work of the machine, does
 * not count. The source is Linux (proc_pid_schedstat); NaN on other systems.
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
