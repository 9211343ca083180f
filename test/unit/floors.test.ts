import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * A file of `src/` imports from its own folder or from a lower floor; never up, never sideways. Lowest floor first.
 * The floor of the pure domain has two halves: passes and configuration both speak of networks, networks of neither.
 */
const FLOORS = [
  ['lib'],
  ['network'],
  ['pass', 'config'],
  ['auth', 'chain', 'store', 'message', 'log'],
  ['pass-object', 'signer-object', 'quota-object'],
  ['http', 'consumer'],
  ['worker.ts'],
];

/** What follows `from` and `import`, dynamic ones and those of types included, when it is a path. */
const IMPORTED = /\b(?:from|import)\s*\(?\s*['"`](\.[^'"`]*)['"`]/g;

const SRC = join(import.meta.dirname, '../../src');
const files = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(SRC, join(entry.parentPath, entry.name)));
const textOf = (file: string) => readFileSync(join(SRC, file), 'utf8');

const folderOf = (file: string) => file.split('/')[0] ?? '';
const floorOf = (file: string) => FLOORS.findIndex((folders) => folders.includes(folderOf(file)));
const importsOf = (text: string) => [...text.matchAll(IMPORTED)].map(([, path = '']) => path);

/** Why the file must not hold such an import; undefined when it may. */
function complaint(file: string, imported: string): string | undefined {
  const target = normalize(join(dirname(file), imported));
  if (floorOf(file) < 0 || floorOf(target) < 0) return `${file} → ${target}: on no floor`;
  if (folderOf(file) === folderOf(target) || floorOf(target) < floorOf(file)) return undefined;
  return `${file} → ${target}: ${floorOf(target) === floorOf(file) ? 'sideways' : 'up'}`;
}

describe('the floors of src/', () => {
  it('has something to look at', () => {
    expect(files.flatMap((file) => importsOf(textOf(file))).length).toBeGreaterThan(100);
  });

  it('gives every folder a floor', () => {
    expect(files.filter((file) => floorOf(file) < 0)).toEqual([]);
  });

  it('holds no import that goes up or sideways', () => {
    expect(files.flatMap((file) => importsOf(textOf(file)).flatMap((path) => complaint(file, path) ?? []))).toEqual([]);
  });

  it.each`
    file                         | text                                               | refused
    ${'worker.ts'}               | ${"import { serve } from './http/serve.ts';"}      | ${undefined}
    ${'http/routes/get-pass.ts'} | ${"import { refuse } from '../problem.ts';"}       | ${undefined}
    ${'pass/pass.ts'}            | ${"import type { Chain } from '../network/a.ts';"} | ${undefined}
    ${'consumer/settle.ts'}      | ${"import {\n  a,\n  b,\n} from '../lib/a.ts';"}   | ${undefined}
    ${'pass/pass.ts'}            | ${"import { a } from '../store/passes.ts';"}       | ${'up'}
    ${'pass/pass.ts'}            | ${"import type { A } from '../http/route.ts';"}    | ${'up'}
    ${'network/slot.ts'}         | ${'import { a } from "../pass/pass.ts";'}          | ${'up'}
    ${'lib/a.ts'}                | ${"export * from '../pass/pass.ts';"}              | ${'up'}
    ${'lib/a.ts'}                | ${"export { a } from '../worker.ts';"}             | ${'up'}
    ${'chain/ethereum/look.ts'}  | ${"const a = await import('../../http/a.ts');"}    | ${'up'}
    ${'chain/ethereum/look.ts'}  | ${"let a: import('../../log/log.ts').A;"}          | ${'sideways'}
    ${'store/passes.ts'}         | ${"import '../auth/key-set.ts';"}                  | ${'sideways'}
    ${'http/a.ts'}               | ${"import { a } from '../consumer/settle.ts';"}    | ${'sideways'}
    ${'pass/pass.ts'}            | ${"import { a } from '../config/config.ts';"}      | ${'sideways'}
    ${'signer-object/send.ts'}   | ${"import {\n  a,\n} from '../pass-object/a.ts';"} | ${'sideways'}
    ${'http/a.ts'}               | ${"import { a } from '../attic/a.ts';"}            | ${'on no floor'}
    ${'attic/a.ts'}              | ${"import { a } from '../lib/backoff.ts';"}        | ${'on no floor'}
    ${'http/a.ts'}               | ${"import { a } from '../../test/a.ts';"}          | ${'on no floor'}
  `('$file with $text: $refused', ({ file, text, refused }) => {
    const complaints = importsOf(text).map((path) => complaint(file, path));
    expect(complaints).toEqual([refused === undefined ? undefined : expect.stringMatching(`: ${refused}$`)]);
  });
});

describe('the files of src/', () => {
  it('holds no barrels, and no drawers for what belongs nowhere', () => {
    const drawer = /(^|[/-])(index|utils?|helpers?|common|services?|managers?)([-./]|$)/;
    expect(files.filter((file) => drawer.test(file))).toEqual([]);
  });

  it('names its files in kebab-case', () => {
    expect(files.filter((file) => !/^([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*(\.d)?\.ts$/.test(file))).toEqual(
      [],
    );
  });

  it('has one default export, the Worker', () => {
    const byDefault = /^export\s+default\b|^export\s*\{[^}]*\bdefault\b/m;
    expect(files.filter((file) => byDefault.test(textOf(file)))).toEqual(['worker.ts']);
  });

  it('stays short', () => {
    expect(files.filter((file) => textOf(file).split('\n').length > 250)).toEqual([]);
  });
});
