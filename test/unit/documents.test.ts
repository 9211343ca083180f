import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

/** The documents name only files that exist. A document that names a renamed test proves nothing. */

const ROOT = join(import.meta.dirname, '../..');
const PLACES = ['src', 'test', 'bench', 'localnet', 'ops', 'pages', 'scripts', 'docs', 'migrations', 'examples'];
const files = PLACES.flatMap((place) =>
  readdirSync(join(ROOT, place), { recursive: true, encoding: 'utf8' }).map((file) => join(place, file)),
);
const documents = [
  'README.md',
  'CHANGELOG.md',
  'examples/README.md',
  ...files.filter((file) => /^docs\/[\w-]+\.md$/.test(file)),
];

/** Returns the names of project files and folders in code spans, and the relative links. */
function pointersOf(text: string): string[] {
  const named = [
    ...text.matchAll(
      /`((?:src|test|bench|localnet|ops|pages|scripts|docs|migrations|examples)\/[\w./-]*|[\w/-]+\.test\.ts)`/g,
    ),
  ];
  const linked = [...text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)];
  return [...named, ...linked].map(([, pointer = '']) => pointer);
}

const exists = (pointer: string, document: string) =>
  existsSync(join(ROOT, pointer)) ||
  existsSync(join(ROOT, dirname(document), pointer)) ||
  files.some((file) => file.endsWith(`/${pointer}`));

it.each(documents)('%s names only files that exist', (document) => {
  const pointers = pointersOf(readFileSync(join(ROOT, document), 'utf8'));
  expect(pointers.filter((pointer) => !exists(pointer, document))).toEqual([]);
});

it('finds the names of missing files', () => {
  const text = 'see `test/nowhere.test.ts`, `gone.test.ts`, [this](docs/none.md), `src/http/` and `key-set.test.ts`';
  expect(pointersOf(text).filter((pointer) => !exists(pointer, 'README.md'))).toEqual([
    'test/nowhere.test.ts',
    'gone.test.ts',
    'docs/none.md',
  ]);
  expect(pointersOf(readFileSync(join(ROOT, 'docs/security.md'), 'utf8')).length).toBeGreaterThan(30);
});
