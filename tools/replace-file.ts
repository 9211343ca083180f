import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Not in a folder whose files are served, so that no other process removes or serves the unfinished file. */
const DIST = join(import.meta.dirname, '..', 'dist');

/** Writes the file as a whole, unless it has the content already. Several processes may write it at once. */
export function replaceFile(file: string, content: Buffer): void {
  if (existsSync(file) && readFileSync(file).equals(content)) return;
  const temporary = join(DIST, `unfinished-${process.pid}`);
  writeFileSync(temporary, content);
  renameSync(temporary, file);
}
