import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DOCUMENTS, textOf } from './markdown.ts';

/** The documents name only files that exist. A document that names a renamed test proves nothing. */

const ROOT = join(import.meta.dirname, '../../..');
const PLACES = ['src', 'test', 'ops', 'packages', 'pages', 'terminal', 'tools', 'docs', 'migrations', 'examples'];
const files = PLACES.flatMap((place) =>
  readdirSync(join(ROOT, place), { recursive: true, encoding: 'utf8' }).map((file) => join(place, file)),
);

/** Returns the names of project files and folders in code spans. `npm run lint:docs` checks the links. */
function namesIn(text: string): string[] {
  const named = text.matchAll(
    /`((?:src|test|ops|packages|pages|terminal|tools|docs|migrations|examples)\/[\w./-]*|[\w/-]+\.test\.ts)`/g,
  );
  return [...named].map(([, name = '']) => name);
}

const exists = (name: string) => existsSync(join(ROOT, name)) || files.some((file) => file.endsWith(`/${name}`));

it.each(DOCUMENTS)('%s names only files that exist', (document) => {
  expect(namesIn(textOf(document)).filter((name) => !exists(name))).toEqual([]);
});

it('finds the names of missing files', () => {
  const text = 'see `test/nowhere.test.ts`, `gone.test.ts`, `src/http/` and `key-set.test.ts`';
  expect(namesIn(text).filter((name) => !exists(name))).toEqual(['test/nowhere.test.ts', 'gone.test.ts']);
  expect(namesIn(textOf('docs/operators/security.md')).length).toBeGreaterThan(20);
});
