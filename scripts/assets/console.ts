import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const MODULES = join(import.meta.dirname, '..', '..', 'node_modules');

/** Returns the licenses of the libraries that the console loads. */
export function consoleLicenses(): string {
  const licenses = { htm: 'LICENSE', oauth4webapi: 'LICENSE.md', 'csv-parse': 'LICENSE', 'csv-stringify': 'LICENSE' };
  const texts = Object.entries(licenses).map(
    ([name, file]) => `${name}\n\n${readFileSync(join(MODULES, name, file), 'utf8').trim()}\n`,
  );
  return [
    'htm/preact/standalone contains Preact: MIT License, Copyright (c) 2015-present Jason Miller\n',
    ...texts,
  ].join('\n---\n\n');
}
