import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Failure } from '../terminal/failure.ts';

/** Returns the text of a file. Throws Failure if it cannot be read. `subject` begins its message. */
export function readText(file: string, subject?: string, exitCode = 2): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Failure(
      `${subject === undefined ? '' : `${subject}: `}${file} cannot be read (${codeOf(error)})`,
      exitCode,
    );
  }
}

/** Writes a file. Throws Failure if it exists or cannot be written. */
export function writeNewFile(file: string, text: string, { mode = 0o666, exitCode = 2 } = {}): void {
  try {
    writeFileSync(file, text, { mode, flag: 'wx', flush: true });
  } catch (error) {
    const code = codeOf(error);
    // On a full disk, the file has a part of the text.
    if (code === 'ENOSPC') rmSync(file, { force: true });
    const why = code === 'EEXIST' ? 'exists already' : `cannot be written (${code})`;
    throw new Failure(`${file} ${why}: name a new file in a folder that exists`, exitCode);
  }
}

/** Returns the code of an error of the file system, for example ENOENT. */
export const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
