/**
 * Writes the static files of the Worker into the folder that `wrangler.toml` names. `scripts/build.ts` does so before wrangler builds, and
 * `vitest.config.ts` before the tests.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { DOCS_FILES, DOCS_GUIDES, type DocsFile } from '../src/http/pages/files.ts';
import { consoleFiles } from './assets/console.ts';
import { downloads } from './assets/downloads.ts';
import { guidePage, referencePage } from './assets/guides.ts';
import { replaceFile } from './replace-file.ts';

const PROJECT = dirname(import.meta.dirname);
const VIEWER = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const PAGE = join(PROJECT, 'pages', 'docs');
const ASSETS = join(PROJECT, 'dist', 'assets');

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
    ...[...consoleFiles()].map(([name, content]) => [join('console', name), content] as const),
    ...[...downloads()].map(([name, content]) => [join('downloads', name), content] as const),
  ]);
  for (const page of ['docs', 'console', 'downloads']) mkdirSync(join(folder, page), { recursive: true });
  for (const [name, content] of assets) replaceFile(join(folder, name), content);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !assets.has(relative(folder, file))) rmSync(file, { force: true });
  }
}
