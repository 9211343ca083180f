import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lockWithFile } from '../../../terminal/process-lock.ts';

/**
 * Locks a state folder for the localnet of this process, because two localnets would overwrite each other's chains. Throws
 * Failure while another process has the lock.
 */
export async function lockStateFolder(folder: string): Promise<() => void> {
  await mkdir(folder, { recursive: true });
  return lockWithFile(
    join(folder, 'localnet.pid'),
    (pid) => `another localnet has its chains in ${folder} (process ${pid}): end it, or name another folder`,
  );
}
