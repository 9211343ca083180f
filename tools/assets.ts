/**
 * Writes the static files of the Worker into the folder that `wrangler.toml` names. `tools/build.ts` does so before wrangler builds, and
 * `vitest.config.ts` before the tests.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { consoleFiles } from './assets/console.ts';
import { downloads } from './assets/downloads.ts';
import { siteFiles } from './assets/site.ts';
import { replaceFile } from './replace-file.ts';

const PROJECT = dirname(import.meta.dirname);
const VIEWER = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const ASSETS = join(PROJECT, 'dist', 'assets');

/** Swagger UI, which the page of the API reference loads, with its licenses. */
const VIEWER_FILES = {
  'swagger-ui-bundle.js': 'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt': 'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui.css': 'swagger-ui.css',
  'LICENSE.txt': 'LICENSE',
  'NOTICE.txt': 'NOTICE',
} as const;

/**
 * Writes the files and removes all others. Several processes may write at once while a Worker reads. So a file with the right
 * content stays untouched, and any other file is replaced as a whole.
 */
export function writeAssets(folder = ASSETS): void {
  const assets = new Map<string, Buffer>([
    ['openapi.json', readFileSync(join(PROJECT, 'docs/partners/openapi.json'))],
    ['admin/openapi.json', readFileSync(join(PROJECT, 'docs/operators/openapi.json'))],
    ...[...siteFiles()].map(([name, content]) => [join('docs', name), content] as const),
    ...Object.entries(VIEWER_FILES).map(
      ([name, source]) => [join('docs', name), readFileSync(join(VIEWER, source))] as const,
    ),
    ...[...consoleFiles()].map(([name, content]) => [join('console', name), content] as const),
    ...[...downloads()].map(([name, content]) => [join('downloads', name), content] as const),
  ]);
  for (const name of assets.keys()) mkdirSync(dirname(join(folder, name)), { recursive: true });
  for (const [name, content] of assets) replaceFile(join(folder, name), content);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !assets.has(relative(folder, file))) rmSync(file, { force: true });
  }
}
