import { expect, it } from 'vitest';
import { DOCUMENTS, textOf } from './markdown.ts';

const FOLDER = 'docs/decisions/';
const pages = DOCUMENTS.filter((file) => file.startsWith(FOLDER) && !file.endsWith('README.md'));
const index = textOf(`${FOLDER}README.md`);

it('decisions are numbered without a gap, in the archive too, and the index names each one once', () => {
  const names = pages.map((file) => file.slice(FOLDER.length));
  const numbers = names.map((name) => Number(/^(?:archive\/)?(\d{4})-/.exec(name)?.[1]));
  expect(numbers.toSorted((a, b) => a - b)).toEqual(names.map((_, at) => at + 1));
  for (const name of names) expect(index.split(`](${name})`).length - 1, name).toBe(1);
});

it.each(pages)('%s states a context, a decision and its consequences', (file) => {
  const text = textOf(file);
  expect(text).toMatch(/^# \d+\.? /);
  const parts = ['Context', 'Decision', 'Consequences'].map((part) =>
    text.search(new RegExp(`^(?:## ${part}|\\*\\*${part}\\.\\*\\*)`, 'm')),
  );
  expect(parts.every((at) => at > 0)).toBe(true);
  expect(parts).toEqual([...parts].sort((a, b) => a - b));
});
