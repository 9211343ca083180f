import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Failure } from './failure.ts';
import { filterRunning } from './process-table.ts';

/**
 * Locks something for this process with a file that has its id. The returned function and the end of the process release it. A
 * killed process does not keep it. Throws Failure while another process has the lock.
 * @param complaint Returns the message of the Failure for the id of that process.
 */
export async function lockWithFile(file: string, complaint: (pid: number) => string): Promise<() => void> {
  const owner = readOwner(file);
  if (owner > 0 && owner !== process.pid) {
    if ((await filterRunning([owner])).length > 0) throw new Failure(complaint(owner));
    rmSync(file, { force: true });
  }
  try {
    writeFileSync(file, String(process.pid), { flag: owner === process.pid ? 'w' : 'wx' });
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw new Failure(complaint(readOwner(file)));
    throw error;
  }
  const release = () => {
    process.off('exit', release);
    rmSync(file, { force: true });
  };
  process.once('exit', release);
  return release;
}

function readOwner(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}
