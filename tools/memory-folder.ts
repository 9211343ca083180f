import { readFileSync, statfsSync } from 'node:fs';

const FOLDER = '/dev/shm';
/** A full run of the tests has less than a tenth of it at once. */
const ROOM_BYTES = 4 * 1024 ** 3;

/**
 * Returns a folder in memory for temporary files; undefined: this machine has none that runs programs, or little memory. The databases of the
 * Worker write each commit to their folder: on a disk, that is a tenth of the time of the tests, and it would dominate a benchmark.
 */
export function memoryFolder(): string | undefined {
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === FOLDER);
    if (mount === undefined || /\bnoexec\b/.test(mount)) return undefined;
    const { bavail, bsize } = statfsSync(FOLDER);
    return bavail * bsize >= ROOM_BYTES && process.availableMemory() >= 2 * ROOM_BYTES ? FOLDER : undefined;
  } catch {
    // Another system than Linux.
    return undefined;
  }
}
