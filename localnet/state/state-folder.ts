import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Failure } from '../../scripts/failure.ts';

/** A folder for everything that the Worker and the localnet write. */
export interface StateFolder {
  readonly folder: string;
  /** The same folder when it is to be found again by the next run. */
  readonly kept: string | undefined;
  /** Removes it, unless it is kept. */
  close(): void;
}

/** The folder the developer names, made if need be; otherwise a fresh temporary one. Throws Failure where none can be. */
export function openStateFolder(named?: string): StateFolder {
  if (named !== undefined) {
    const folder = makeFolder(named);
    return { folder, kept: folder, close: () => undefined };
  }
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-'));
  return { folder, kept: undefined, close: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

function makeFolder(named: string): string {
  // Keys and databases in the folder one happens to be in: surely a variable that is not set.
  if (named.trim() === '') throw new Failure('--state must name a folder', 2);
  const folder = resolve(named);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new Failure(`--state: ${folder} cannot be a folder (${(error as NodeJS.ErrnoException).code})`, 2);
  }
  return folder;
}
