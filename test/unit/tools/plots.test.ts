import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import results from '../../../tools/bench/results.json' with { type: 'json' };
import { PLOTS } from '../../../tools/plots/plots.ts';
import { drawSpeed } from '../../../tools/plots/speed.ts';
import { DOCUMENTS, textOf } from '../documents/markdown.ts';

const plots = Object.entries(PLOTS);

it.each(plots)('the committed picture %s is the one that `npm run plots` draws', (file, draw) => {
  expect(textOf(file) === draw(), `${file}: run \`npm run plots\``).toBe(true);
});

it.each(plots)('a document shows %s, with words for a reader who does not see it', (file, draw) => {
  const folder = dirname(dirname(file));
  const shown = DOCUMENTS.filter((document) => dirname(document) === folder).flatMap((document) => [
    ...textOf(document).matchAll(/!\[([^\]]+)\]\((pictures\/[^)]+)\)/g),
  ]);
  const [, words = ''] = shown.find(([, , target]) => `${folder}/${target}` === file) ?? [];
  expect(words.length).toBeGreaterThan(40);
  // Its own background makes it readable in a light and in a dark page, and the policy of the pages allows no style.
  expect(draw()).toMatch(/<rect width="\d+" height="\d+" rx="6" fill="#ffffff"\/>/);
  expect(draw()).not.toMatch(/<style|style=|<script|href=/);
});

it('the picture of the speed follows the results', () => {
  const [fetch] = results.measures.fetch.outcomes;
  const shown = `${Math.round(fetch?.value ?? 0).toLocaleString('en-US')}/s`;
  expect(drawSpeed(results)).toContain(shown);
  const faster = structuredClone(results);
  const [first] = faster.measures.fetch.outcomes;
  if (first !== undefined) first.value *= 2;
  expect(drawSpeed(faster)).not.toContain(shown);
  expect(() => drawSpeed({ ...results, measures: {} })).toThrow('the results have no "fetch" in fetch');
});
