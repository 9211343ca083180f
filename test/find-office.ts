import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Returns the program of LibreOffice on this machine; undefined if it is not installed. */
export function findOffice(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.flatMap((folder) => ['soffice', 'libreoffice'].map((name) => join(folder, name))).find(existsSync);
}
