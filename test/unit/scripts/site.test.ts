import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import MiniSearch from 'minisearch';
import { describe, expect, it } from 'vitest';
import { siteFiles } from '../../../scripts/assets/site.ts';
import { SEARCH } from '../../../scripts/site/config.ts';
import { slugify } from '../../../scripts/site/markdown.ts';
import { PROBLEMS } from '../../../src/http/protocol/problem.ts';

/** The site of the partners' documents. `test/system/pages/docs-page.test.ts` opens it in a browser. */

const PROJECT = join(import.meta.dirname, '../../..');
const files = siteFiles();
const textOf = (name: string) => String(files.get(name));
const pages = [...files.keys()].filter((name) => name.endsWith('.html'));

describe('the pages', () => {
  it('are built once: the second call reads the same files', () => {
    expect(pages.length).toBeGreaterThan(15);
    expect(siteFiles()).toEqual(files);
  });

  it.each(pages)('%s needs nothing that a strict policy forbids', (name) => {
    expect(textOf(name)).not.toMatch(/<script(?![^>]* src="\.\/)|<style|<[^>]* style="|<[^>]* on[a-z]+="|\/__site__\//);
    expect(textOf(name)).not.toMatch(/<(?:link|script|img)[^>]* (?:src|href)="(?:https?:)?\/\//);
  });

  it('load no code that evaluates text, no WebAssembly, and no file of another host', () => {
    const modules = [...files.keys()].filter((name) => name.endsWith('.js'));
    expect(modules.length).toBeGreaterThan(20);
    for (const name of modules) {
      expect([name, /\beval\(|new Function\(|WebAssembly|\/__site__\//.test(textOf(name))]).toEqual([name, false]);
      expect(textOf(name), name).not.toMatch(/\b(?:import|fetch)\(["'`]https?:/);
    }
  });

  it('load at most 110 kB for the first view, compressed file by file', () => {
    const html = textOf('quickstart.html');
    const loaded = [...html.matchAll(/(?:src|href)="\.\/([^"]+\.(?:js|css|svg))"/g)].map(([, name = '']) => name);
    expect(loaded.length).toBeGreaterThan(6);
    const bytes = ['quickstart.html', ...new Set(loaded)].map((name) => gzipSync(files.get(name) ?? '').length);
    expect(bytes.reduce((sum, each) => sum + each)).toBeLessThan(110_000);
  });
});

describe('the search', async () => {
  const name = [...files.keys()].find((file) => file.includes('@localSearchIndex')) ?? '';
  // The module names its own address, which a data URL does not have.
  const code = textOf(name).replaceAll(/new URL\("[^"]*",import\.meta\.url\)\.pathname/g, '"/docs/"');
  const { default: json } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const index = MiniSearch.loadJSON(json, { fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles'] });
  const hits = (words: string) => index.search(words, SEARCH).map(({ id }) => String(id));

  it.each(Object.keys(PROBLEMS))('finds the problem code %s first', (problem) => {
    expect(hits(problem)[0]).toBe(`/docs/errors#${problem}`);
  });

  const { components } = JSON.parse(readFileSync(join(PROJECT, 'openapi.json'), 'utf8'));
  const fields = ['PassRecord', 'FeedEvent', 'Webhook', 'Problem'].flatMap((schema) =>
    Object.keys(components.schemas[schema]?.properties ?? {}).map((field) => [field, schema]),
  );
  it.each(fields)('finds the field %s of %s', (field) => {
    expect(fields.length).toBeGreaterThan(20);
    expect(hits(field).length).toBeGreaterThan(0);
  });

  const folder = join(PROJECT, 'cli/src/commands');
  const commands = readdirSync(folder).flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/\.command\('([\w-]+)/g)].map(([, name = '']) => name),
  );
  it.each([...new Set(commands), 'issue', 'freeze', 'unfreeze', 'revoke', 'set-expiry', 'set-reference'])(
    'finds the command %s',
    (command) => {
      expect(hits(command).some((id) => id.startsWith('/docs/command#'))).toBe(true);
    },
  );
});

it.each`
  heading                                 | anchor
  ${'`pass_frozen`'}                      | ${'pass_frozen'}
  ${'1. Set the credentials'}             | ${'1-set-the-credentials'}
  ${"Answers that are not the service's"} | ${'answers-that-are-not-the-services'}
  ${'A & B'}                              | ${'a--b'}
`('gives the heading $heading the anchor $anchor, as GitHub does', ({ heading, anchor }) => {
  expect(slugify(heading.replaceAll('`', ''))).toBe(anchor);
});
