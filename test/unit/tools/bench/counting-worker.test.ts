import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const PROJECT = join(import.meta.dirname, '../../../..');

/** Returns the names of the classes that an entry file exports, sorted. */
const classesOf = (file: string) =>
  [...readFileSync(join(PROJECT, file), 'utf8').matchAll(/^export (?:class |\{ )(\w+Object)\b/gm)]
    .map(([, name]) => name)
    .toSorted();

it.each(['tools/bench/counting/worker.ts', 'tools/bench/counting/queue-control/worker.ts'])(
  '%s has the same classes of objects as the service',
  (entry) => {
    expect(classesOf('src/worker.ts').length).toBeGreaterThan(5);
    expect(classesOf(entry)).toEqual(classesOf('src/worker.ts'));
  },
);
