import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Failure } from '../../../terminal/failure.ts';

/** A folder for all state of the Worker and the localnet. */
export interface StateFolder {
  readonly folder: string;
  /** The same folder if the next run uses it again. */
  readonly kept: string | undefined;
  /** Removes a temporary folder. */
  close(): void;
}

/** Opens the named folder, created if necessary; otherwise a new temporary one. Throws Failure if it cannot be created. */
export function openStateFolder(named?: string): StateFolder {
  if (named !== undefined) {
    const folder = makeFolder(named);
    return { folder, kept: folder, close: () => undefined };
  }
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-'));
  return { folder, kept: undefined, close: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

function makeFolder(named: string): string {
  // An empty name would put keys and databases into the current folder. It probably is an unset variable.
  if (named.trim() === '') throw new Failure('--state must name a folder', 2);
  const folder = resolve(named);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new Failure(`--state: ${folder} cannot be a folder (${(error as NodeJS.ErrnoException).code})`, 2);
  }
  return folder;
}
