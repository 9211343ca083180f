import { existsSync, readFileSync } from 'node:fs';
import { Failure } from './failure.ts';
import { replaceFile } from './replace-file.ts';
import type { Settings } from './settings.ts';

type Owner = Pick<Settings, 'url' | 'clientId'>;

/** Returns the stored sequence; undefined if there is no file. Throws Failure if the file is of another service or client. */
export function readCursor(file: string, { url, clientId }: Owner): number | undefined {
  if (!existsSync(file)) return undefined;
  const stored = parse(readFileSync(file, 'utf8'));
  if (stored === undefined) throw new Failure(`${file} is not a cursor file. Name another one with --cursor`);
  if (stored.url === url && stored.clientId === clientId) return stored.after;
  throw new Failure(`${file} belongs to ${stored.url} and ${stored.clientId}. Name another one with --cursor`);
}

/** Stores the sequence. */
export function storeCursor(file: string, { url, clientId }: Owner, after: number): void {
  replaceFile(file, `${JSON.stringify({ url, clientId, after })}\n`);
}

function parse(text: string): (Owner & { readonly after: number }) | undefined {
  try {
    const stored = JSON.parse(text);
    return Number.isSafeInteger(stored?.after) && typeof stored.url === 'string' ? stored : undefined;
  } catch {
    return undefined;
  }
}
