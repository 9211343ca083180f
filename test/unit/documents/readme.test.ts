import { expect, it } from 'vitest';
import { DOCS_GUIDES } from '../../../src/http/pages/files.ts';
import { DOCUMENTS, textOf } from './markdown.ts';

const README_MAX_LINES = 150;

it('the README has at most 150 lines and leads to the documents of each reader', () => {
  const readme = textOf('README.md');
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(README_MAX_LINES);
  for (const entry of ['docs/partners/README.md', 'docs/operators/README.md', 'docs/contributing.md']) {
    expect(readme).toContain(`](${entry})`);
  }
});

it('the deployed service serves every document for partners', () => {
  const documents = DOCUMENTS.filter((file) => /^docs\/partners\/(?!README)/.test(file));
  expect(DOCS_GUIDES.map((name) => `docs/partners/${name}.md`).sort()).toEqual(documents.sort());
});

it.each(['partners', 'operators'])('the index of docs/%s names each of its pages', (reader) => {
  const index = textOf(`docs/${reader}/README.md`);
  const pages = DOCUMENTS.filter((file) => file.startsWith(`docs/${reader}/`) && !file.endsWith('README.md'));
  for (const page of pages) expect(index).toContain(`](${page.replace(`docs/${reader}/`, '')})`);
});
