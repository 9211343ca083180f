import { rmSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../scripts/failure.ts';
import { filterRunning } from '../../scripts/process-table.ts';

/**
 * Takes a state folder for the localnet of this process: two localnets would write over each other's chains. It is given back
 * by what is returned, and when the process ends. Throws Failure while another process has it; one that was killed has
 * it no longer.
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
