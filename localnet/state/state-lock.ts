import { rmSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../scripts/failure.ts';
import { filterRunning } from '../../scripts/process-table.ts';

/**
 * Locks a state folder for the localnet of this process, because two localnets would overwrite each other's chains. The returned
 * function and the end of the process release it. Throws Failure while another process has the lock. A killed process does not
 * keep it.
 */
export async function lockStateFolder(folder: string): Promise<() => void> {
  const file = join(folder, 'localnet.pid');
  const owner = Number(await readFile(file, 'utf8').catch(() => ''));
  if (owner > 0 && owner !== process.pid && (await filterRunning([owner])).length > 0) {
    throw new Failure(
      `another localnet has its chains in ${folder} (process ${owner}): end it, or name another folder`,
    );
  }
  await mkdir(folder, { recursive: true });
  await writeFile(file, String(process.pid));
  const giveBack = () => rmSync(file, { force: true });
  process.once('exit', giveBack);
  return giveBack;
}
