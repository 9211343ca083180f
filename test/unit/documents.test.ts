import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

/** What the documents point at is there: a test that was renamed shows nothing any more. */

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

/** Names of files and folders of the project in code spans, and relative links. */
function pointersIn(text: string): string[] {
  const named = [
    ...text.matchAll(
      /`((?:src|test|bench|localnet|ops|pages|scripts|docs|migrations|examples)\/[\w./-]*|[\w/-]+\.test\.ts)`/g,
    ),
  ];
  const linked = [...text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)];
  return [...named, ...linked].map(([, pointer = '']) => pointer);
}

const isThere = (pointer: string, document: string) =>
  existsSync(join(ROOT, pointer)) ||
  existsSync(join(ROOT, dirname(document), pointer)) ||
  files.some((file) => file.endsWith(`/${pointer}`));

it.each(documents)('%s names only what there is', (document) => {
  const pointers = pointersIn(readFileSync(join(ROOT, document), 'utf8'));
  expect(pointers.filter((pointer) => !isThere(pointer, document))).toEqual([]);
});

it('finds what is not there', () => {
  const text = 'see `test/nowhere.test.ts`, `gone.test.ts`, [this](docs/none.md), `src/http/` and `key-set.test.ts`';
  expect(pointersIn(text).filter((pointer) => !isThere(pointer, 'README.md'))).toEqual([
    'test/nowhere.test.ts',
    'gone.test.ts',
    'docs/none.md',
  ]);
  expect(pointersIn(readFileSync(join(ROOT, 'docs/security.md'), 'utf8')).length).toBeGreaterThan(30);
});
