import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import MiniSearch from 'minisearch';
import { describe, expect, it } from 'vitest';
import { PROBLEMS } from '../../../src/http/protocol/problem.ts';
import { siteFiles } from '../../../tools/assets/site.ts';
import { SEARCH } from '../../../tools/site/config.ts';
import { slugify } from '../../../tools/site/markdown.ts';
import { runCli } from '../packages/cli/run-cli.ts';

/** The site of the partners' documents. `test/system/pages/docs-page.test.ts` opens it in a browser. */

const PROJECT = join(import.meta.dirname, '../../..');
const files = siteFiles();
const textOf = (name: string) => String(files.get(name));
const pages = [...files.keys()].filter((name) => name.endsWith('.html'));

describe('the pages', () => {
  it('are built once: the second call reads the same files', () => {
    expect(pages.length).toBeGreaterThan(15);
    // A comparison of the bytes one by one takes seconds.
    const texts = (of: typeof files) => [...of].map(([name, content]) => [name, content.toString('base64')]);
    expect(texts(siteFiles())).toEqual(texts(files));
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

  const fields = fieldsOfPartners(JSON.parse(readFileSync(join(PROJECT, 'docs/partners/openapi.json'), 'utf8')));
  it.each([...fields])('finds the field %s', (field) => {
    expect(hits(field)).not.toEqual([]);
  });

  it.each(['KYC', 'sanctions', 'identity', 'age', 'verification provider'])(
    'finds the page that answers "%s"',
    (words) => {
      const page = '/docs/the-check-behind-a-pass';
      expect(
        hits(words)
          .slice(0, 3)
          .map((id) => id.split('#')[0]),
      ).toContain(page);
    },
  );

  it.each(['nosuchcode', 'nosuchfield', '--nosuchoption'])('finds nothing for %s', (words) => {
    expect(hits(words)).toEqual([]);
  });

  const commands = await commandsOf([]);
  it.each(commands)('finds the command $name and its options', ({ name, options }) => {
    for (const words of [name, ...options]) {
      expect([words, hits(words).filter((id) => id.startsWith('/docs/command#'))]).not.toEqual([words, []]);
    }
    // The search ignores the hyphens in front, so the page has to have the whole option too.
    const guide = readFileSync(join(PROJECT, 'docs/partners/command.md'), 'utf8');
    expect(options.filter((option) => !new RegExp(`${option}(?![a-z-])`).test(guide))).toEqual([]);
  });

  it('has been asked for all problem codes, fields, commands and options', () => {
    expect(Object.keys(PROBLEMS).length).toBeGreaterThan(30);
    expect([...fields]).toEqual(
      expect.arrayContaining(['walletPrefix', 'maxAge', 'previousValidUntil', 'If-None-Match']),
    );
    expect(fields.size).toBeGreaterThan(100);
    const names = commands.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['issue', 'set-reference', 'clock', 'completion', 'webhooks add', 'webhooks replay']),
    );
    expect(new Set(commands.flatMap(({ options }) => options)).size).toBeGreaterThan(35);
  });
});

type Node = Readonly<Record<string, unknown>>;

/** Returns the names of the fields and parameters of all operations that partners have. */
function fieldsOfPartners(document: { readonly paths: Record<string, Record<string, Node>> }): ReadonlySet<string> {
  const fields = new Set<string>();
  const visited = new Set<unknown>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null || visited.has(node)) return;
    visited.add(node);
    const { $ref, properties, in: place, name } = node as Node;
    if (typeof $ref === 'string')
      visit(
        $ref
          .slice(2)
          .split('/')
          .reduce<unknown>((at, key) => (at as Node)[key], document),
      );
    for (const field of Object.keys(properties ?? {})) fields.add(field);
    if (typeof place === 'string') fields.add(String(name));
    for (const [key, part] of Object.entries(node)) if (!/^examples?$/.test(key)) visit(part);
  };
  visit(document.paths);
  return fields;
}

/** Returns the commands below a command with their options, as the help prints them. */
async function commandsOf(
  parents: readonly string[],
): Promise<{ readonly name: string; readonly options: string[] }[]> {
  const { stdout } = await runCli([...parents, '--help'], {});
  const [top = '', list = ''] = stdout.split(/^Commands:$/m);
  const options = [...top.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option = '']) => option);
  const names = [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help');
  const own = parents.length === 0 ? { name: 'gatepass', options } : { name: parents.join(' '), options };
  const below = await Promise.all(names.map((name) => commandsOf([...parents, name])));
  return [own, ...below.flat()];
}

it.each`
  heading                                 | anchor
  ${'`pass_frozen`'}                      | ${'pass_frozen'}
  ${'1. Set the credentials'}             | ${'1-set-the-credentials'}
  ${"Answers that are not the service's"} | ${'answers-that-are-not-the-services'}
  ${'A & B'}                              | ${'a--b'}
`('gives the heading $heading the anchor $anchor, as GitHub does', ({ heading, anchor }) => {
  expect(slugify(heading.replaceAll('`', ''))).toBe(anchor);
});
