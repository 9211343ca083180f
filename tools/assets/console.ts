import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { buildSync } from 'esbuild';

/** Builds the console: its modules with their libraries, in files that the browser loads when a view needs them, and one style. */

const PROJECT = dirname(dirname(import.meta.dirname));
const CONSOLE = join(PROJECT, 'pages', 'console');
const PAGES = ['index.html', 'callback.html', 'unconfigured.html', 'icon.svg'] as const;

/** The libraries in the files, with their licenses. */
const LICENSES = {
  preact: 'LICENSE',
  oauth4webapi: 'LICENSE.md',
  'csv-parse': 'LICENSE',
  'csv-stringify': 'LICENSE',
} as const;

/** The built files by name. They come from one state of the source, so a process builds them once. */
let built: ReadonlyMap<string, Buffer> | undefined;

/** Returns the content of each file of the console by its name. All are in one folder, because the service may have a base path. */
export function consoleFiles(): ReadonlyMap<string, Buffer> {
  built ??= new Map<string, Buffer>([
    ...PAGES.map((name) => [name, readFileSync(join(CONSOLE, name))] as const),
    ['LICENSES.txt', Buffer.from(licenses())],
    ...bundle().map(({ path, contents }) => [basename(path), Buffer.from(contents)] as const),
  ]);
  return built;
}

function bundle() {
  const { outputFiles } = buildSync({
    absWorkingDir: PROJECT,
    entryPoints: ['app.tsx', 'callback.ts', 'style/console.css'].map((name) => join(CONSOLE, name)),
    entryNames: '[name]',
    // An open page of an earlier release must not get a part of this one.
    chunkNames: '[name]-[hash]',
    outdir: 'console',
    tsconfig: 'pages/console/tsconfig.json',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: ['chrome125', 'firefox128', 'safari17.5'],
    loader: { '.svg': 'file' },
    assetNames: '[name]-[hash]',
    minify: true,
    legalComments: 'none',
    write: false,
  });
  return outputFiles;
}

function licenses(): string {
  const texts = Object.entries(LICENSES).map(
    ([name, file]) => `${name}\n\n${readFileSync(join(PROJECT, 'node_modules', name, file), 'utf8').trim()}\n`,
  );
  return texts.join('\n---\n\n');
}
