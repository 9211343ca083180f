/**
 * Writes the static files of the Worker into the folder that `wrangler.toml` names. `scripts/build.ts` does so before wrangler builds, and
 * `vitest.config.ts` before the tests.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { transformSync } from 'esbuild';
import { CONSOLE_FILES, type ConsoleFile, DOCS_FILES, DOCS_GUIDES, type DocsFile } from '../src/http/pages/files.ts';
import { downloads } from './assets/downloads.ts';
import { guidePage, referencePage } from './assets/guides.ts';
import { replaceFile } from './replace-file.ts';

const PROJECT = dirname(import.meta.dirname);
const VIEWER = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const PAGE = join(PROJECT, 'pages', 'docs');
const ASSETS = join(PROJECT, 'dist', 'assets');
const MODULES = join(PROJECT, 'node_modules');
const CONSOLE_PAGES = ['index.html', 'callback.html', 'unconfigured.html'] as const;

/** The source of each file: a file of this project, or of Swagger UI with its licenses. */
const SOURCES: Readonly<Record<DocsFile, string>> = {
  'start.js': join(PAGE, 'start.js'),
  'page.css': join(PAGE, 'page.css'),
  'icon.svg': join(PAGE, 'icon.svg'),
  'swagger-ui-bundle.js': join(VIEWER, 'swagger-ui-bundle.js'),
  'swagger-ui.css': join(VIEWER, 'swagger-ui.css'),
  'swagger-ui-bundle.js.LICENSE.txt': join(VIEWER, 'swagger-ui-bundle.js.LICENSE.txt'),
  'LICENSE.txt': join(VIEWER, 'LICENSE'),
  'NOTICE.txt': join(VIEWER, 'NOTICE'),
};

const CONSOLE = join(PROJECT, 'pages', 'console');

/** The files of the console that are not in `pages/console`: rules of Worker and command, libraries as their packages contain them, and licenses. */
const CONSOLE_SOURCES: Readonly<Partial<Record<ConsoleFile, () => string | Buffer>>> = {
  'LICENSES.txt': consoleLicenses,
  'claim.js': () => withoutTypes(join(PROJECT, 'src', 'auth', 'claim-of.ts')),
  'verdict.js': () => withoutTypes(join(PROJECT, 'src', 'pass', 'verdict.ts')),
  'preact.js': () => readFileSync(join(MODULES, 'htm', 'preact', 'standalone.module.js')),
  'oauth4webapi.js': () => readFileSync(join(MODULES, 'oauth4webapi', 'build', 'index.js')),
  'csv-format.js': () => withoutTypes(join(PROJECT, 'cli', 'src', 'csv', 'csv-format.ts')),
  'csv-parse.js': () => readFileSync(join(MODULES, 'csv-parse', 'dist', 'esm', 'sync.js')),
  'csv-stringify.js': () => readFileSync(join(MODULES, 'csv-stringify', 'dist', 'esm', 'sync.js')),
};

/** Returns the licenses of the libraries that the console loads. */
function consoleLicenses(): string {
  const licenses = { htm: 'LICENSE', oauth4webapi: 'LICENSE.md', 'csv-parse': 'LICENSE', 'csv-stringify': 'LICENSE' };
  const texts = Object.entries(licenses).map(
    ([name, file]) => `${name}\n\n${readFileSync(join(MODULES, name, file), 'utf8').trim()}\n`,
  );
  return [
    'htm/preact/standalone contains Preact: MIT License, Copyright (c) 2015-present Jason Miller\n',
    ...texts,
  ].join('\n---\n\n');
}

/** Returns a module of Worker or command without its types, so that the page has no second copy of a rule. It may import only types. */
const withoutTypes = (file: string) => transformSync(readFileSync(file, 'utf8'), { loader: 'ts' }).code;

function consoleFile(name: ConsoleFile): Buffer {
  return Buffer.from(CONSOLE_SOURCES[name]?.() ?? readFileSync(join(CONSOLE, name)));
}

/**
 * Writes the files and removes all others. Several processes may write at once while a Worker reads. So a file with the right
 * content stays untouched, and any other file is replaced as a whole.
 */
export function writeAssets(folder = ASSETS): void {
  const assets = new Map<string, Buffer>([
    ['openapi.json', readFileSync(join(PROJECT, 'openapi.json'))],
    [join('docs', 'index.html'), Buffer.from(referencePage())],
    ...DOCS_GUIDES.map((name) => [join('docs', `${name}.html`), Buffer.from(guidePage(name))] as const),
    ...DOCS_FILES.map((name) => [join('docs', name), readFileSync(SOURCES[name])] as const),
    ...CONSOLE_PAGES.map((name) => [join('console', name), readFileSync(join(CONSOLE, name))] as const),
    ...CONSOLE_FILES.map((name) => [join('console', name), consoleFile(name)] as const),
    ...[...downloads()].map(([name, content]) => [join('downloads', name), content] as const),
  ]);
  for (const page of ['docs', 'console', 'downloads']) mkdirSync(join(folder, page), { recursive: true });
  for (const [name, content] of assets) replaceFile(join(folder, name), content);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !assets.has(relative(folder, file))) rmSync(file, { force: true });
  }
}
