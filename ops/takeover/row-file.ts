import { access, constants, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Failure } from '../../terminal/failure.ts';
import { codeOf } from '../files.ts';

/** A file to which a scan appends rows. */
export interface RowFile {
  append(text: string): Promise<void>;
  /** Puts the appended rows on disk. Returns their length in bytes. */
  sync(): Promise<number>;
  close(): Promise<void>;
}

/** Throws Failure if a new scan cannot write the file. Writes nothing. */
export async function demandNewFile(file: string): Promise<void> {
  if (await exists(file)) throw new Failure(`${file} exists: name a new file with --out`, 2);
  await access(dirname(file), constants.W_OK).catch(({ code }) => {
    throw new Failure(`${file} cannot be written (${code}): name a file in a folder that exists`, 2);
  });
}

/** Opens the file and cuts it to this length, because a killed scan may have written rows after its last checkpoint. */
export async function openRows(file: string, length: number): Promise<RowFile> {
  const size = (await exists(file)) ? (await stat(file)).size : 0;
  if (size < length)
    throw new Failure(`${file} is shorter than its checkpoint says: delete both, and run the scan again`, 2);
  const handle = await open(file, 'a');
  await handle.truncate(length);
  let end = length;
  return {
    async append(text) {
      // Unlike `write`, this writes the whole text or fails.
      await handle.appendFile(text).catch(failToWrite(file));
      end += Buffer.byteLength(text);
    },
    async sync() {
      await handle.sync().catch(failToWrite(file));
      return end;
    },
    close: () => handle.close(),
  };
}

/** Returns a function that turns the fault of a write into a Failure. */
export function failToWrite(file: string): (fault: unknown) => never {
  return (fault) => {
    throw new Failure(`${file} cannot be written (${codeOf(fault)}): make room, then run the same command again`);
  };
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
