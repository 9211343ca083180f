import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Child, startChild } from '../../../terminal/child-process.ts';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { groupsOf } from '../../../tools/site/pages.ts';
import { textOf } from '../../unit/documents/markdown.ts';
import { pollUntil } from '../poll-until.ts';

/** The site of the repository, as `npm run site` builds and serves it. */

const BUILT_MAX_MS = 250_000;

const folder = join(PROJECT, 'dist', 'site');
const printed: string[] = [];
let site: Child | undefined;
let origin: string;
afterAll(() => site?.stop());

beforeAll(async () => {
  site = await startChild('npm', ['run', 'site'], { cwd: PROJECT, onLine: (line) => printed.push(line) });
  const address = async () => /http:\/\/127\.0\.0\.1:\d+/.exec(printed.join('\n'))?.[0];
  const served = pollUntil(address, Boolean, BUILT_MAX_MS);
  const failed = site.ended.then((code) => {
    throw new Error(`npm run site ended with ${code}:\n${printed.join('\n')}`);
  });
  origin = (await Promise.race([served, failed])) ?? '';
});

it.each([
  ['/', 200, 'text/html'],
  ['/operators-runbook.html', 200, 'text/html'],
  ['/early.js', 200, 'text/javascript'],
  ['/icon.svg', 200, 'image/svg+xml'],
  ['/nowhere', 404, 'text/html'],
  ['/..%2f..%2fpackage.json', 404, 'text/html'],
  ['/%', 404, 'text/html'],
])('serves %s on this machine with the status %i as %s', async (path, status, type) => {
  const answer = await fetch(origin + path);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, expect.stringContaining(type)]);
  expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(100);
});

it('serves the pictures of a page', async () => {
  const [picture] = readdirSync(join(folder, 'assets')).filter((name) => name.endsWith('.png'));
  const answer = await fetch(`${origin}/assets/${picture}`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
});

it('the README names the command', () => {
  expect(textOf('README.md')).toContain('npm run site');
});

it('has a page for each document, for readers of all three groups', () => {
  const pages = groupsOf('repository').flatMap((group) => group.pages.map(({ slug }) => `${slug}.html`));
  expect(pages).toEqual(expect.arrayContaining(['quickstart.html', 'operators-runbook.html', 'architecture.html']));
  const built = readdirSync(folder).filter((name) => name.endsWith('.html'));
  expect(built.toSorted()).toEqual(['404.html', ...pages].toSorted());
});

it('has only relative addresses, and each leads to a page or a file with its heading', () => {
  const faults = readdirSync(folder)
    .filter((name) => name.endsWith('.html'))
    .flatMap((name) => addressesIn(readFileSync(join(folder, name), 'utf8')).map((address) => ({ name, address })))
    .filter(({ name, address }) => !leadsSomewhere(name, address));
  expect(faults).toEqual([]);
});

const addressesIn = (text: string) =>
  [...text.matchAll(/ (?:href|src)="([^"]+)"/g)]
    .map(([, address = '']) => address.replaceAll('&amp;', '&'))
    .filter((address) => !/^(?:https?:|mailto:|data:image\/svg\+xml)/.test(address));

const texts = new Map<string, string>();
function pageText(file: string): string {
  const text = texts.get(file) ?? readFileSync(join(folder, file), 'utf8');
  texts.set(file, text);
  return text;
}

function leadsSomewhere(from: string, address: string): boolean {
  const [path = '', anchor] = address.split('#');
  if (path.startsWith('/')) return false;
  const file = path === '' ? from : /^\.\/+$/.test(path) ? 'index.html' : path;
  if (!existsSync(join(folder, file))) return false;
  return anchor === undefined || pageText(file).includes(`id="${decodeURIComponent(anchor)}"`);
}
