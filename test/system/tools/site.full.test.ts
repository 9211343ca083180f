import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { groupsOf } from '../../../tools/site/pages.ts';
import { runProgram } from '../run-program.ts';

/** The site of the repository, as `npm run site` builds it. */

const state = openStateFolder();
const folder = join(state.folder, 'site');
afterAll(() => state.close());

beforeAll(async () => {
  const ran = await runProgram([process.execPath, 'tools/site/build-site.ts', 'repository', folder], {});
  expect(ran).toMatchObject({ code: 0 });
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
function textOf(file: string): string {
  const text = texts.get(file) ?? readFileSync(join(folder, file), 'utf8');
  texts.set(file, text);
  return text;
}

function leadsSomewhere(from: string, address: string): boolean {
  const [path = '', anchor] = address.split('#');
  if (path.startsWith('/')) return false;
  const file = path === '' ? from : /^\.\/+$/.test(path) ? 'index.html' : path;
  if (!existsSync(join(folder, file))) return false;
  return anchor === undefined || textOf(file).includes(`id="${decodeURIComponent(anchor)}"`);
}
