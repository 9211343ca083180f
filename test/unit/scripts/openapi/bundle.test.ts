import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '../../../../src');
const DOCUMENTATION = ['replies', 'admin-replies', 'problem', 'fields', 'annotations'].map(
  (name) => `http/schemas/${name}.ts`,
);

/** Matches the paths of imports and re-exports. It omits imports of types, which the compiler removes. */
const IMPORTED =
  /^(?:import|export)\s+(?!type\b)(?:[^;'"]*?from\s+)?['"](\.[^'"]+)['"]|\bimport\(['"](\.[^'"]+)['"]\)/gm;

function addReachable(file: string, reached: Set<string>): Set<string> {
  if (reached.has(file)) return reached;
  reached.add(file);
  for (const [, fixed, dynamic] of readFileSync(file, 'utf8').matchAll(IMPORTED)) {
    addReachable(join(dirname(file), fixed ?? dynamic ?? ''), reached);
  }
  return reached;
}

const reachableFrom = (file: string) =>
  [...addReachable(join(SRC, file), new Set())].map((each) => relative(SRC, each));

describe("the Worker's bundle", () => {
  it('contains no module that only the document needs, because each module costs startup time', () => {
    const bundled = reachableFrom('worker.ts');
    expect(bundled).toEqual(expect.arrayContaining(['http/schemas/requests.ts', 'http/routes/admin/stuck.ts']));
    expect(DOCUMENTATION.filter((file) => !existsSync(join(SRC, file)))).toEqual([]);
    expect(bundled.filter((file) => DOCUMENTATION.includes(file))).toEqual([]);
  });

  it('would contain the modules that the generator loads', () => {
    expect(reachableFrom('http/schemas/annotations.ts')).toContain('http/schemas/fields.ts');
  });
});
