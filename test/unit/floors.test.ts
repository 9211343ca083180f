import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * The folders of `src/`, lowest floor first. A file imports only from its own folder or from a lower floor, never up and
 * never sideways. `pass` and `config` share a floor: both import `network`, and neither imports the other.
 */
const FLOORS = [
  ['lib'],
  ['network', 'audit'],
  ['pass', 'config'],
  ['log'],
  ['auth', 'chain', 'store', 'counts'],
  ['message'],
  [
    'pass-object',
    'signer-object',
    'quota-object',
    'webhook-object',
    'watcher-object',
    'audit-object',
    'metrics-object',
    'sandbox-object',
    'subject-object',
  ],
  ['operations'],
  ['http', 'consumer', 'development'],
  ['operator'],
  ['worker.ts'],
];

/** The floors inside `src/http/`. */
const HTTP_FLOORS = [
  ['protocol'],
  ['schemas'],
  ['access', 'metrics', 'pages'],
  ['pass'],
  ['route.ts'],
  ['routes'],
  ['audited.ts'],
  ['router.ts', 'partner-routes.ts', 'managing-routes.ts'],
  ['serve.ts'],
];

/** The folders at the top, lowest floor first. The commands of operators and of contributors share the room `terminal`. */
const PROJECT_FLOORS = [
  ['packages'],
  ['src'],
  ['terminal'],
  ['ops', 'pages', 'examples'],
  ['tools'],
  ['test', 'vitest.config.ts'],
];

/** The floors inside `packages/`. */
const PACKAGE_FLOORS = [['client'], ['cli', 'react', 'contracts']];

/** The floors inside `tools/`. The files are commands, and what several of them need. */
const TOOL_FLOORS = [
  ['generated-file.ts', 'memory-folder.ts', 'project-files.ts', 'replace-file.ts', 'worker-modules.ts'],
  ['collection', 'contracts', 'dashboard', 'openapi', 'packages', 'release', 'site', 'wording', 'worker-bundle.ts'],
  ['assets', 'localnet'],
  ['assets.ts', 'bench', 'development.ts'],
  ['plots'],
  [
    'build.ts',
    'collection.ts',
    'contracts.ts',
    'dashboard.ts',
    'openapi.ts',
    'packages.ts',
    'plots.ts',
    'print-first-pass.ts',
    'release.ts',
    'site.ts',
    'wording.ts',
  ],
];

const PROJECT = join(import.meta.dirname, '../..');

/** Matches the path after `from` or `import`, also in dynamic imports and in imports of types. */
const IMPORTED = /\b(?:from|import)\s*\(?\s*['"`](\.[^'"`]*)['"`]/g;

const importsOf = (text: string) => [...text.matchAll(IMPORTED)].map(([, path = '']) => path);

/** Returns the texts of all TypeScript files in a folder but generated types, by path relative to the folder. */
function readFolder(folder: string): Map<string, string> {
  const root = join(PROJECT, folder);
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() && /(?<!\.d)\.tsx?$/.test(entry.name) && !/\/(node_modules|dist)\//.test(entry.parentPath),
    )
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

const src = readFolder('src');
const files = [...src.keys()];

const folderOf = (file: string) => file.split('/')[0] ?? '';
const floorIn = (floors: readonly (readonly string[])[], file: string) =>
  floors.findIndex((folders) => folders.includes(folderOf(file)));

/** Returns why a file must not import another, or undefined if it may. */
function complaintOf(floors: readonly (readonly string[])[], file: string, target: string): string | undefined {
  const [from, to] = [floorIn(floors, file), floorIn(floors, target)];
  if (from < 0 || to < 0) return `${file} → ${target}: on no floor`;
  if (folderOf(file) === folderOf(target) || to < from) return undefined;
  return `${file} → ${target}: ${to === from ? 'sideways' : 'up'}`;
}

/** Returns why a file of `src/` must not contain this import, or undefined if it may. */
function findViolation(file: string, imported: string): string | undefined {
  // A text that a command writes is no code.
  if (imported.endsWith('.txt')) return undefined;
  const target = normalize(join(dirname(file), imported));
  const complaint = complaintOf(FLOORS, file, target);
  if (complaint !== undefined || folderOf(file) !== 'http' || folderOf(target) !== 'http') return complaint;
  return complaintOf(HTTP_FLOORS, relative('http', file), relative('http', target));
}

/** Returns the files of every import cycle, each cycle once (Tarjan's strongly connected components). */
function findCircles(texts: ReadonlyMap<string, string>): string[][] {
  const circles: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const lower = (file: string, to: number) => lowest.set(file, Math.min(lowest.get(file) ?? to, to));
  const visit = (file: string) => {
    order.set(file, order.size);
    lower(file, order.get(file) ?? 0);
    open.push(file);
    for (const path of importsOf(texts.get(file) ?? '')) {
      const target = normalize(join(dirname(file), path));
      if (!texts.has(target)) continue;
      if (!order.has(target)) visit(target);
      if (open.includes(target)) lower(file, lowest.get(target) ?? 0);
    }
    if (lowest.get(file) !== order.get(file)) return;
    const circle = open.splice(open.indexOf(file));
    if (circle.length > 1) circles.push(circle.toSorted());
  };
  for (const file of texts.keys()) if (!order.has(file)) visit(file);
  return circles;
}

describe('the floors of the project', () => {
  /** Returns the imports that go up or sideways between the rooms of a folder. */
  const violationsIn = (texts: ReadonlyMap<string, string>, floors: readonly (readonly string[])[]) =>
    [...texts].flatMap(([file, text]) =>
      importsOf(text).flatMap((path) => {
        const target = normalize(join(dirname(file), path));
        return target.startsWith('..') || !/\.(tsx?|mjs)$/.test(target)
          ? []
          : (complaintOf(floors, file, target) ?? []);
      }),
    );

  it('have no import that goes up or sideways', () => {
    const folders = PROJECT_FLOORS.flat().filter((name) => !name.includes('.') && name !== 'test');
    const texts = folders.flatMap((folder) =>
      [...readFolder(folder)].map(([file, text]) => [join(folder, file), text] as const),
    );
    expect(violationsIn(new Map(texts), PROJECT_FLOORS)).toEqual([]);
    expect(
      violationsIn(new Map(texts), [['packages', 'src', 'ops', 'pages', 'tools', 'examples'], ['terminal']]),
    ).not.toEqual([]);
  });

  it.each([
    ['packages', PACKAGE_FLOORS],
    ['tools', TOOL_FLOORS],
  ])('have no such import inside %s/', (folder, floors) => {
    expect(violationsIn(readFolder(folder), floors)).toEqual([]);
  });
});

describe('the top level', () => {
  it('has at most twelve folders and twelve files that are not hidden', () => {
    const listed = execFileSync('git', ['ls-files'], { cwd: PROJECT, encoding: 'utf8' }).trim().split('\n');
    const shown = new Set(listed.map(folderOf).filter((name) => !name.startsWith('.')));
    const isFile = (name: string) => listed.includes(name);
    expect([...shown].filter(isFile).length).toBeLessThanOrEqual(12);
    expect([...shown].filter((name) => !isFile(name)).length).toBeLessThanOrEqual(12);
  });
});

describe('the floors of src/', () => {
  it('are checked for more than a hundred imports', () => {
    expect(files.flatMap((file) => importsOf(src.get(file) ?? '')).length).toBeGreaterThan(100);
  });

  it('include every folder', () => {
    expect(files.filter((file) => floorIn(FLOORS, file) < 0)).toEqual([]);
    const http = files.filter((file) => folderOf(file) === 'http').map((file) => relative('http', file));
    expect(http.filter((file) => floorIn(HTTP_FLOORS, file) < 0)).toEqual([]);
  });

  it('have no import that goes up or sideways', () => {
    const found = files.flatMap((file) =>
      importsOf(src.get(file) ?? '').flatMap((path) => findViolation(file, path) ?? []),
    );
    expect(found).toEqual([]);
  });

  it.each`
    file                           | text                                                  | refused
    ${'worker.ts'}                 | ${"import { serve } from './http/serve.ts';"}         | ${undefined}
    ${'http/routes/passes.ts'}     | ${"import { refuse } from '../protocol/problem.ts';"} | ${undefined}
    ${'http/routes/passes.ts'}     | ${"import { a } from '../../operations/a.ts';"}       | ${undefined}
    ${'operations/a.ts'}           | ${"import type { A } from '../pass-object/a.ts';"}    | ${undefined}
    ${'pass/pass.ts'}              | ${"import type { Chain } from '../network/a.ts';"}    | ${undefined}
    ${'consumer/a.ts'}             | ${"import {\n  a,\n  b,\n} from '../lib/a.ts';"}      | ${undefined}
    ${'pass/pass.ts'}              | ${"import { a } from '../store/passes.ts';"}          | ${'up'}
    ${'pass/pass.ts'}              | ${"import type { A } from '../http/route.ts';"}       | ${'up'}
    ${'network/slot.ts'}           | ${'import { a } from "../pass/pass.ts";'}             | ${'up'}
    ${'lib/a.ts'}                  | ${"export * from '../pass/pass.ts';"}                 | ${'up'}
    ${'lib/a.ts'}                  | ${"export { a } from '../worker.ts';"}                | ${'up'}
    ${'operations/a.ts'}           | ${"import type { Refusal } from '../http/a.ts';"}     | ${'up'}
    ${'pass-object/a.ts'}          | ${"import { a } from '../operations/a.ts';"}          | ${'up'}
    ${'http/partner-routes.ts'}    | ${"import { a } from '../operator/routes.ts';"}       | ${'up'}
    ${'http/serve.ts'}             | ${"await import('../operator/routes.ts');"}           | ${'up'}
    ${'operator/routes.ts'}        | ${"import { a } from '../http/route.ts';"}            | ${undefined}
    ${'chain/ethereum/prepare.ts'} | ${"const a = await import('../../http/a.ts');"}       | ${'up'}
    ${'http/protocol/reply.ts'}    | ${"import type { A } from '../route.ts';"}            | ${'up'}
    ${'http/schemas/requests.ts'}  | ${"import { a } from '../access/authorize.ts';"}      | ${'up'}
    ${'http/route.ts'}             | ${"import { a } from './routes/passes.ts';"}          | ${'up'}
    ${'http/access/authorize.ts'}  | ${"import { a } from '../pass/pass-target.ts';"}      | ${'up'}
    ${'http/access/authorize.ts'}  | ${"import { a } from '../pages/files.ts';"}           | ${'sideways'}
    ${'chain/ethereum/prepare.ts'} | ${"let a: import('../../store/store.ts').A;"}         | ${'sideways'}
    ${'store/passes.ts'}           | ${"import '../auth/key-set.ts';"}                     | ${'sideways'}
    ${'http/a.ts'}                 | ${"import { a } from '../consumer/a.ts';"}            | ${'sideways'}
    ${'pass/pass.ts'}              | ${"import { a } from '../config/config.ts';"}         | ${'sideways'}
    ${'signer-object/send.ts'}     | ${"import {\n  a,\n} from '../pass-object/a.ts';"}    | ${'sideways'}
    ${'http/a.ts'}                 | ${"import { a } from '../attic/a.ts';"}               | ${'on no floor'}
    ${'http/attic/a.ts'}           | ${"import { a } from '../protocol/a.ts';"}            | ${'on no floor'}
    ${'attic/a.ts'}                | ${"import { a } from '../lib/backoff.ts';"}           | ${'on no floor'}
    ${'http/a.ts'}                 | ${"import { a } from '../../test/a.ts';"}             | ${'on no floor'}
  `('find the violation $refused for $text in $file', ({ file, text, refused }) => {
    const complaints = importsOf(text).map((path) => findViolation(file, path));
    expect(complaints).toEqual([refused === undefined ? undefined : expect.stringMatching(`: ${refused}$`)]);
  });
});

describe('the way of a pass to D1', () => {
  it('begins in three files: the change that is handed over, the batch of the queue, and the object itself', () => {
    const publishes = (text: string) => /\.publishPasses\(/.test(text);
    const callers = files.filter((file) => folderOf(file) !== 'store' && publishes(src.get(file) ?? ''));
    expect(callers.toSorted()).toEqual(['consumer/consume.ts', 'message/hand-over.ts', 'pass-object/outbox.ts']);
  });
});

describe('import cycles', () => {
  it.each(['src', 'ops', 'packages', 'pages', 'terminal', 'test', 'tools'])('do not exist in %s/', (folder) => {
    expect(findCircles(readFolder(folder))).toEqual([]);
  });

  it('are found between folders and between two files of a folder', () => {
    const texts = new Map([
      ['a/one.ts', "import { two } from './two.ts';"],
      ['a/two.ts', "import type { One } from './one.ts';"],
      ['b/three.ts', "import { four } from './four.ts';\nimport { one } from '../a/one.ts';"],
      ['b/four.ts', "export * from './five.ts';"],
      ['b/five.ts', "const three = await import('./three.ts');"],
      ['b/six.ts', "import { one } from '../a/one.ts';"],
    ]);
    expect(findCircles(texts)).toEqual([
      ['a/one.ts', 'a/two.ts'],
      ['b/five.ts', 'b/four.ts', 'b/three.ts'],
    ]);
  });
});

describe('the files of src/signer-object/', () => {
  it('are at most 16 on 7 floors', () => {
    const signer = readFolder('src/signer-object');
    const heightOf = (file: string): number =>
      1 +
      Math.max(
        0,
        ...importsOf(signer.get(file) ?? '')
          .map(normalize)
          .flatMap((each) => (signer.has(each) ? heightOf(each) : [])),
      );
    expect(signer.size).toBeLessThanOrEqual(16);
    expect(Math.max(...[...signer.keys()].map(heightOf))).toBeLessThanOrEqual(7);
    expect(heightOf('signer-object.ts')).toBeGreaterThan(5);
  });
});

describe('the files of src/', () => {
  it('include no barrels and no collections of unrelated code', () => {
    const drawer = /(^|[/-])(index|utils?|helpers?|common|services?|managers?)([-./]|$)/;
    expect(files.filter((file) => drawer.test(file))).toEqual([]);
  });

  it('have names in kebab-case', () => {
    const kebab = /^([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*(\.d)?\.ts$/;
    expect(files.filter((file) => !kebab.test(file))).toEqual([]);
  });

  it('have a single default export, the Worker', () => {
    const byDefault = /^export\s+default\b|^export\s*\{[^}]*\bdefault\b/m;
    expect(files.filter((file) => byDefault.test(src.get(file) ?? ''))).toEqual(['worker.ts']);
  });

  it('have at most 400 lines, except those that read better in one piece', () => {
    // Only this file changes the table `step`, so its statements are in one place.
    const whole = ['signer-object/step-table.ts'];
    expect(files.filter((file) => (src.get(file) ?? '').split('\n').length > 400)).toEqual(whole);
  });
});
