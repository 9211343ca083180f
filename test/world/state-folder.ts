import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** A folder for everything that the Worker and the world write. */
export interface StateFolder {
  readonly folder: string;
  /** The same folder when it is to be found again by the next run. */
  readonly kept: string | undefined;
  /** Removes it, unless it is kept. */
  close(): void;
}

/** The folder the developer names, made if need be; otherwise a fresh temporary one. */
export function openState(named?: string): StateFolder {
  if (named !== undefined) {
    const folder = resolve(named);
    mkdirSync(folder, { recursive: true });
    return { folder, kept: folder, close: () => undefined };
  }
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-'));
  return { folder, kept: undefined, close: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) };
}
