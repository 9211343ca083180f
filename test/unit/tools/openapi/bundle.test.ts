import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '../../../../src');

/** Matches the paths of imports and re-exports. It omits imports of types, which the compiler removes. */
const IMPORTED =
  /^(?:import|export)\s+(?!type\b)(?:[^;'"]*?from\s+)?['"](\.[^'"]+)['"]|\bimport\(['"](\.[^'"]+)['"]\)/gm;

function addReachable(file: string, reached: Set<string>): Set<string> {
  // A text has no imports, and only `wrangler dev` has it.
  if (reached.has(file) || file.endsWith('.txt')) return reached;
  reached.add(file);
  for (const [, fixed, dynamic] of readFileSync(file, 'utf8').matchAll(IMPORTED)) {
    addReachable(join(dirname(file), fixed ?? dynamic ?? ''), reached);
  }
  return reached;
}

const reachableFrom = (file: string) =>
  [...addReachable(join(SRC, file), new Set())].map((each) => relative(SRC, each));

/** A declaration that leaves something in the bundle, unlike a type. */
const CODE = /^(?:export )?(?:default )?(?:abstract )?(?:const|let|(?:async )?function|class|enum)\b/m;

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

describe("the Worker's bundle", () => {
  const bundled = reachableFrom('worker.ts');

  it('contains the routes, and modules that others only re-export or import later', () => {
    expect(bundled).toEqual(expect.arrayContaining(['operator/routes.ts', 'chain/ethereum/gateway.ts']));
    expect(bundled.length).toBeGreaterThan(files.length * 0.8);
  });

  it('contains every file of src/ that has code, so that nothing there serves only the document', () => {
    const unused = files.filter((file) => !bundled.includes(file));
    const withCode = unused.filter((file) => CODE.test(readFileSync(join(SRC, file), 'utf8')));
    // The list of events, from which the compiler checks each line of the log.
    expect(withCode).toEqual(['log/events.ts']);
  });
});
