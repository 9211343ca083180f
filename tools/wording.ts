/**
 * `node tools/wording.ts [FILE|FOLDER …]` lists every wording of `wording/rules.ts` in comments, sentences and names in
 * code, and in documents, each with the better wording. Without arguments it reads the whole project. Ends with 1 if it finds any.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectFiles } from './project-files.ts';
import { identifiersOf, proseOf } from './wording/prose.ts';
import { IDENTIFIER_RULES, WORDING_RULES } from './wording/rules.ts';

export interface Hit {
  readonly line: number;
  readonly words: string;
  readonly better: string;
}

/** Returns each wording in the file's prose and names that a rule lists. The path decides what counts as prose. */
export function hitsIn(file: string, content: string): Hit[] {
  const inProse = proseOf(file, content).flatMap(({ line, text }) =>
    WORDING_RULES.flatMap(({ pattern, better }) =>
      [...text.matchAll(pattern)].map(({ 0: found, index }) => ({
        line,
        words: text.slice(index, index + Math.max(found.length, 50)).trim(),
        better,
      })),
    ),
  );
  const inNames = identifiersOf(file, content).flatMap(({ line, text }) =>
    IDENTIFIER_RULES.flatMap(({ pattern, better }) => (pattern.test(text) ? [{ line, words: text, better }] : [])),
  );
  return [...inProse, ...inNames];
}

/** Generated files, and the list of the wordings itself with its test. */
const LEFT_OUT = new Set([
  'worker-configuration.d.ts',
  'packages/client/src/schema.ts',
  'tools/wording/rules.ts',
  'test/unit/tools/wording.test.ts',
]);

if (import.meta.main) {
  const places = process.argv.slice(2);
  const isNamed = (file: string) => places.length === 0 || places.some((place) => file.startsWith(place));
  const lines = projectFiles('**/*.{md,ts,tsx,mjs,js,toml,sql,html}')
    .filter((file) => isNamed(file) && !LEFT_OUT.has(file))
    .flatMap((file) =>
      hitsIn(file, readFileSync(join(dirname(import.meta.dirname), file), 'utf8')).map(
        ({ line, words, better }) => `${file}:${line}: "${words}" -> ${better}`,
      ),
    );
  for (const line of lines) console.log(line);
  if (lines.length > 0) {
    console.log(`${lines.length} wordings to replace`);
    process.exitCode = 1;
  }
}
