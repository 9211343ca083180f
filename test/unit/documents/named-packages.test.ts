import { expect, it } from 'vitest';
import { projectFiles } from '../../../tools/project-files.ts';
import { type Lockfile, lockfile, nameOf, proofs, workspaces } from '../package-files.ts';
import { DOCUMENTS, tableRows, textOf } from './markdown.ts';

/** Every package that a text for readers names exists. */

const others = proofs.map((name): Lockfile => JSON.parse(textOf(`test/packages/${name}/package-lock.json`)));
const entries = [lockfile(), ...others].flatMap(({ packages }) => Object.entries(packages));
/** `npm ci` and `npm run test:packages` download these, so they exist. */
const locked = new Set(entries.map(([folder]) => nameOf(folder)));
/** Not in a registry. The pages on the client and the command say so. */
const ours = new Set(Object.keys(workspaces).map(nameOf));
/** Looked up with `npm view NAME version` on 2026-11-25: the version that it printed. */
const LOOKED_UP: Readonly<Record<string, string>> = { '@cloudflare/vitest-plugin': '1.5.0' };
/** Crates of crates.io, by their pages on lib.rs: the newest version. */
const CRATES: Readonly<Record<string, string>> = { 'solana-gateway': '0.6.0', 'solana-gateway-anchor': '0.1.3' };

const TEXTS = [
  ...DOCUMENTS,
  'docs/partners/openapi.json',
  'docs/operators/openapi.json',
  'examples/gatepass.postman_collection.json',
  ...projectFiles('pages/**/*.{html,js}'),
  ...projectFiles('examples/*.{html,mjs,py,sh}'),
];

const namesIn = (pattern: RegExp) =>
  TEXTS.flatMap((file) => [...textOf(file).matchAll(pattern)].map(([, name = '']) => ({ file, name })));

it('each package with a scope is in a lockfile, is ours, or was looked up', () => {
  const named = namesIn(/(@[a-z0-9][a-z0-9.-]*\/[a-z0-9][a-z0-9._-]*[a-z0-9])/g);
  const exists = (name: string) => locked.has(name) || ours.has(name) || Object.hasOwn(LOOKED_UP, name);
  expect(named.filter(({ name }) => !exists(name))).toEqual([]);
  expect(named.length).toBeGreaterThan(40);
  for (const name of Object.keys(LOOKED_UP)) expect(named.map((each) => each.name)).toContain(name);
});

it('each package without a scope in the switch list is a crate that was looked up, or in a lockfile', () => {
  const [, list = ''] = textOf('docs/partners/from-civic.md').split('\n## The switch list\n');
  const places = tableRows(list.split('\n## ')[0] ?? '').map(([place = '']) => place);
  const named = places.flatMap((place) =>
    [...place.matchAll(/`([a-z][a-z0-9]*(?:-[a-z0-9]+)+)`/g)].map(([, name = '']) => name),
  );
  expect(named.toSorted()).toEqual(Object.keys(CRATES).toSorted());
});

it('the packages that docs/dependencies.md describes are in a lockfile', () => {
  // Parentheses name the used parts of a package.
  const text = textOf('docs/dependencies.md').replaceAll(/\([^)]*\)/g, '');
  const cells = tableRows(text).map(([first = '']) => first);
  const bullets = text.split('\n').filter((line) => /^- `/.test(line));
  const named = [...cells, ...bullets.map((line) => line.split(/[,.]? [a-z]/)[0] ?? '')].flatMap((part) =>
    [...part.matchAll(/`((?:@[a-z0-9-]+\/)?[a-z0-9][a-z0-9-]*)`/g)].map(([, name = '']) => name),
  );
  expect(named.filter((name) => !locked.has(name))).toEqual([]);
  expect(named.length).toBeGreaterThan(40);
});
