import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const DIST = join(import.meta.dirname, '..', 'dist');

/** Writes the file as a whole, unless it has the content already. Several processes may write it at once. */
export function replaceFile(file: string, content: Buffer): void {
  if (existsSync(file) && readFileSync(file).equals(content)) return;
  // The folders inside `dist` are served, and another process may remove what is in them. A file is renamed on one device only.
  const folder = file.startsWith(DIST) ? DIST : dirname(file);
  const temporary = join(folder, `unfinished-${process.pid}`);
  writeFileSync(temporary, content);
  renameSync(temporary, file);
}
