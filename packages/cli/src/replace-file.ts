import { renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Replaces a file, which need not exist. A killed command leaves the old file or the new one, and on a full disk the old one stays.
 * Throws the error of a file that cannot be written.
 */
export function replaceFile(file: string, text: string, mode = 0o666): void {
  const unfinished = `${file}.new`;
  try {
    // An existing file would keep its own mode, which may let others read it.
    rmSync(unfinished, { force: true });
    writeFileSync(unfinished, text, { mode, flush: true, flag: 'wx' });
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true, recursive: true });
    throw error;
  }
}
