import { registerHooks } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Fault } from './run-command.ts';

/** Puts a fault into the code under test: `SIMULATED_FAULT` is JSON with its edits. Ends the process if an edit does not apply once. */

const SOURCE = new URL('../../src/', import.meta.url);
const edits = JSON.parse(process.env.SIMULATED_FAULT ?? '') as Fault;

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.startsWith(SOURCE.href)) return loaded;
    const file = relative(fileURLToPath(SOURCE), fileURLToPath(url));
    const own = edits.filter((edit) => edit.file === file);
    if (own.length === 0) return loaded;
    let source = String(loaded.source);
    for (const { text, becomes } of own) {
      if (source.split(text).length !== 2) {
        // A module that does not load would look like a fault that the simulation finds.
        console.error(`${file} does not have this text once: ${text}`);
        process.exit(2);
      }
      source = source.replace(text, () => becomes);
    }
    return { ...loaded, source };
  },
});
