/**
 * `node scripts/assets.ts` puts the static files of the Worker together, in the folder that `wrangler.toml` names. Wrangler
 * runs it before it builds, and `vitest.config.ts` before the tests.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { DOCS_FILES, type DocsFile } from '../src/http/docs/docs-files.ts';

const PROJECT = dirname(import.meta.dirname);
const VIEWER = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const PAGE = join(PROJECT, 'pages', 'docs');
const ASSETS = join(PROJECT, 'dist', 'assets');

/** Where each file of the page comes from: what shows the document, with its licences and without its maps, and our own. */
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

/** Several may do it at once, and a Worker may be reading: nothing is touched that is right, and what is not is replaced whole. */
export function writeAssets(folder = ASSETS): void {
  const sources = new Map([
    ['openapi.json', join(PROJECT, 'openapi.json')],
    [join('docs', 'index.html'), join(PAGE, 'index.html')],
    ...DOCS_FILES.map((name) => [join('docs', name), SOURCES[name]] as const),
  ]);
  mkdirSync(join(folder, 'docs'), { recursive: true });
  for (const [name, source] of sources) replace(join(folder, name), readFileSync(source));
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !sources.has(relative(folder, file))) rmSync(file, { force: true });
  }
}

function replace(file: string, content: Buffer): void {
  if (existsSync(file) && readFileSync(file).equals(content)) return;
  // Beside the folder: in it, somebody might take it for one of the files.
  const temporary = join(dirname(ASSETS), `asset-${process.pid}`);
  writeFileSync(temporary, content);
  renameSync(temporary, file);
}

if (import.meta.main) writeAssets();
