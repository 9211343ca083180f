import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import * as v from 'valibot';
import { replaceFile } from '../../packages/cli/src/replace-file.ts';
import { Failure } from '../../terminal/failure.ts';
import { Placement } from './restore-placements.ts';
import { UsageRow } from './restore-usage.ts';

/** The progress of a restore. A stopped run continues there, and must not read the sequences of a database that it has restored. */
const Progress = v.object({
  /** The restored moment or file. Another one is another restore. */
  target: v.string(),
  before: v.record(v.string(), v.number()),
  /** The usage before the restore, from the step `counted` on. */
  usage: v.optional(v.array(UsageRow), []),
  /** The databases of all gatekeeper networks, from the step `counted` on. */
  placements: v.optional(v.array(Placement), []),
  step: v.picklist(['read', 'closed', 'counted', 'restored', 'raised']),
});
export type Progress = v.InferOutput<typeof Progress>;

/** Returns the progress of a stopped restore; undefined if there is none. Throws Failure if it has another target. */
export function readProgress(file: string, target: string): Progress | undefined {
  if (!existsSync(file)) return undefined;
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), Progress), readFileSync(file, 'utf8'));
  if (!result.success) throw new Failure(`${file} is damaged: it must have the sequences before the restore`);
  if (result.output.target !== target)
    throw new Failure(
      `a restore to ${result.output.target} was stopped: finish it with its own command, or delete ${file}`,
    );
  return result.output;
}

export function writeProgress(file: string, progress: Progress): void {
  mkdirSync(dirname(file), { recursive: true });
  replaceFile(file, JSON.stringify(progress));
}

export function removeProgress(file: string): void {
  rmSync(file, { force: true });
}
