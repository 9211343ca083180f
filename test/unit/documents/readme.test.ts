import { posix } from 'node:path';
import { expect, it } from 'vitest';
import { projectFiles } from '../../../tools/project-files.ts';
import { groupsOf, markdownOf } from '../../../tools/site/pages.ts';
import { DOCUMENTS, textOf } from './markdown.ts';

const README_MAX_LINES = 150;

it('the README has at most 150 lines and leads to the documents of each reader', () => {
  const readme = textOf('README.md');
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(README_MAX_LINES);
  for (const entry of ['docs/partners/README.md', 'docs/operators/README.md', 'docs/contributing.md']) {
    expect(readme).toContain(`](${entry})`);
  }
});

it('the page about the check behind a pass names the cost of an issuance that the operators read', () => {
  const [, total = ''] = /^\| \*\*total\*\* .*\*\*([^*]+)\*\* \|$/m.exec(textOf('docs/operators/cost.md')) ?? [];
  expect(total).toMatch(/^\$\d+ to \$\d+$/);
  expect(textOf('docs/partners/the-check-behind-a-pass.md')).toContain(`${total} per million issuances`);
});

/** Returns the files whose pages a site has. */
const pagesOf = (site: 'partners' | 'repository') =>
  groupsOf(site).flatMap(({ pages }) => pages.flatMap(({ file }) => file ?? []));

it('the deployed service serves every document for partners, and the changelog', () => {
  const documents = DOCUMENTS.filter((file) => file.startsWith('docs/partners/'));
  expect(pagesOf('partners').toSorted()).toEqual(['CHANGELOG.md', ...documents].toSorted());
});

it('the site of the repository has every document, each under a name of its own', () => {
  const documents = DOCUMENTS.filter((file) => file.startsWith('docs/'));
  expect(pagesOf('repository').toSorted()).toEqual(['CHANGELOG.md', 'README.md', ...documents].toSorted());
  const names = groupsOf('repository').flatMap(({ pages }) => pages.map(({ slug }) => slug));
  expect(new Set(names).size).toBe(names.length);
});

it('the pages of the site name their pictures in the one folder that has those of all readers', () => {
  const names = projectFiles('docs/**/pictures/*').map((file) => posix.basename(file));
  expect(new Set(names).size).toBe(names.length);
  const pages = groupsOf('repository').flatMap((group) => group.pages);
  const shown = pages.flatMap((page) => [...markdownOf(page, pages).matchAll(/!\[[^\]]*\]\(([^():\s]+)\)/g)]);
  expect(new Set(shown.map(([, path]) => path))).toEqual(new Set(names.map((name) => `./pictures/${name}`)));
});

it.each(['partners', 'operators', 'operators/runbook'])('the index of docs/%s names each of its pages', (reader) => {
  const index = textOf(`docs/${reader}/README.md`);
  // A folder below has an index of its own.
  const pages = DOCUMENTS.filter((file) => posix.dirname(file) === `docs/${reader}` && !file.endsWith('README.md'));
  for (const page of pages) expect(index).toContain(`](${page.replace(`docs/${reader}/`, '')})`);
});
