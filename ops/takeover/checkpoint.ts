import { readFile, rm } from 'node:fs/promises';
import * as v from 'valibot';
import { replaceFile } from '../../packages/cli/src/replace-file.ts';
import { Failure } from '../../terminal/failure.ts';
import { failToWrite } from './row-file.ts';

/** The part of a scan that is in its file. */
const Checkpoint = v.object({
  /** The options of the scan. */
  options: v.string(),
  /** Number of bytes of the file that contain this part. */
  length: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  /** Number of networks that are read, and the position on the next one. */
  networks: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  position: v.optional(v.unknown()),
  /** For each begun network, the notes for the summary. */
  notes: v.record(v.string(), v.object({ issuedUpTo: v.number(), missing: v.optional(v.string()) })),
});
export type Checkpoint = v.InferOutput<typeof Checkpoint>;

export const checkpointFileOf = (file: string): string => `${file}.checkpoint`;

/** Returns the checkpoint of the file, or undefined if none exists. Throws Failure if it is damaged or has other options. */
export async function readCheckpoint(file: string, options: string): Promise<Checkpoint | undefined> {
  const path = checkpointFileOf(file);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Failure(`${path} cannot be read (${error.code})`, 2);
  });
  if (text === undefined) return undefined;
  const { success, output } = v.safeParse(v.pipe(v.string(), v.parseJson(), Checkpoint), text);
  if (!success) throw new Failure(`${path} is not a checkpoint: delete it and ${file}, and run the scan again`, 2);
  if (output.options !== options)
    throw new Failure(
      `${path} belongs to a scan with other options: ${output.options}. Use those, or another file, or delete both files`,
      2,
    );
  return output;
}

/** Replaces the checkpoint. The rows that it covers must be on disk. Throws Failure if it cannot be written. */
export function writeCheckpoint(file: string, checkpoint: Checkpoint): void {
  const path = checkpointFileOf(file);
  try {
    replaceFile(path, JSON.stringify(checkpoint));
  } catch (error) {
    failToWrite(path)(error);
  }
}

/** Removes the checkpoint of a complete file. */
export async function removeCheckpoint(file: string): Promise<void> {
  await rm(checkpointFileOf(file), { force: true });
  await rm(`${checkpointFileOf(file)}.new`, { force: true });
}
