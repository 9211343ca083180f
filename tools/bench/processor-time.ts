import { readFileSync } from 'node:fs';

/** The unit of Linux for the times of a process (USER_HZ). */
const TICK_MS = 10;
/** The place of `utime` among the fields after the name of the program (proc_pid_stat). */
const USER_TIME = 11;

/**
 * Returns the processor time of a process since its start (ms), over all its threads, in steps of ten milliseconds. Waiting, and other
 * work of the machine, does not count. Nor does the work of the kernel, because the file system decides it: an issuance creates files,
 * which costs more on a disk than in memory. The source is Linux; NaN on other systems.
 */
export function processorTimeOf(pid: number): number {
  try {
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    return Number(fields.split(' ')[USER_TIME]) * TICK_MS;
  } catch {
    return Number.NaN;
  }
}
