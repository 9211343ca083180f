import { readFileSync, statfsSync } from 'node:fs';

const FOLDER = '/dev/shm';
/** A full run has a tenth of it at once. */
const ROOM_BYTES = 4 * 1024 ** 3;

/**
 * Returns a folder in memory for the temporary files of a run; undefined: this machine has none that runs programs, or little memory. The
 * databases of the Worker write each commit to their folder, which takes a tenth of the time of a run on a disk.
 */
export function memoryFolder(): string | undefined {
  try {
    const [, , , options] = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .find(([, folder]) => folder === FOLDER) ?? [FOLDER, FOLDER, 'tmpfs', 'noexec'];
    if (options?.split(',').includes('noexec')) return undefined;
    const { bavail, bsize } = statfsSync(FOLDER);
    return bavail * bsize >= ROOM_BYTES && process.availableMemory() >= 2 * ROOM_BYTES ? FOLDER : undefined;
  } catch {
    // Another system than Linux.
    return undefined;
  }
}
