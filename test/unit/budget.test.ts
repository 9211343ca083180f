import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';

/**
 * The weight of `src/`. Growth is a decision: a change that needs more raises the number here, and its commit says why. A change that
 * needs less lowers it.
 */
const BUDGET = {
  lines: 40_397,
  files: 257,
  filesOfPost: 152,
  sandboxBranches: 2,
  publications: 3,
};

const SOURCE = join(import.meta.dirname, '../../src');
/** Wrangler writes this one. */
const GENERATED = 'worker-configuration.d.ts';

const FILES = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && name !== GENERATED,
);
const TEXTS = new Map(FILES.map((name) => [name, readFileSync(join(SOURCE, name), 'utf8')]));

/** The modules that take a POST of a pass to the chain: its route, and the objects and the consumer that do the rest. */
const ENTRIES_OF_POST = [
  'http/router.ts',
  'http/routes/passes.ts',
  'pass-object/pass-object.ts',
  'signer-object/signer-object.ts',
  'consumer/consume.ts',
];

/** Matches an import, not a dynamic one, with its names and its path. */
const IMPORT = /^(?:import|export)\s+(?!type\b)([^;]*?)\s*from\s+'(\.[^']+)';/gms;

/** Returns the paths of the modules whose values the text imports. */
function importsIn(text: string): string[] {
  return [...text.matchAll(IMPORT)].flatMap(([, names = '', path = '']) => {
    const [, inside] = /^\{([^}]*)\}$/s.exec(names) ?? [];
    const all = inside?.split(',').map((name) => name.trim()) ?? [names];
    return all.every((name) => name === '' || name.startsWith('type ')) ? [] : [path];
  });
}

/** Returns the files that these run, directly and through others. */
function reachedFrom(entries: readonly string[]): ReadonlySet<string> {
  const reached = new Set(entries);
  for (const file of reached)
    for (const path of importsIn(TEXTS.get(file) ?? '')) reached.add(normalize(join(dirname(file), path)));
  return reached;
}

/** Returns how often the pattern occurs, without the lines of imports. */
const countOf = (pattern: RegExp): number =>
  [...TEXTS.values()].reduce((sum, text) => sum + [...text.matchAll(pattern)].length, 0);

it('has the weight that was decided', () => {
  const texts = [...TEXTS.values()];
  expect({
    lines: texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0),
    files: FILES.length,
    filesOfPost: reachedFrom(ENTRIES_OF_POST).size,
    sandboxBranches: countOf(/(?<!function )\bisSandbox\(/g),
    publications: countOf(/\bstore\.publishPasses\(/gi),
  }).toEqual(BUDGET);
});
