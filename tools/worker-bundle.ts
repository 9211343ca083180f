/**
 * Bundles the Worker as a release has it: a main module, and modules that it imports with `import()` and that load on demand
 * (docs/decisions/0139). The bundler of `wrangler dev` makes one file of all of them.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { parseToml } from '../ops/deploy/deployment-values.ts';
import { PROJECT } from '../terminal/wrangler.ts';
import { replaceFile } from './replace-file.ts';

/** A bundled Worker. */
export interface WorkerBundle {
  /** The content of each module, by its name. */
  readonly modules: ReadonlyMap<string, Buffer>;
  /** The names of the modules that load when an isolate starts: the entry, and the main module. */
  readonly atStart: readonly string[];
  /** esbuild's description: the outputs, and the source files of each. */
  readonly metafile: Metafile;
}

/** The settings in `wrangler.toml` that both bundlers obey. */
interface BundlerSettings {
  readonly alias: Record<string, string>;
  readonly define: Record<string, string>;
}

const FOLDER = 'dist/worker';
const ENTRY = 'src/worker.ts';

/** Bundles the Worker of an entry file, which is a path in the project and is named `worker.ts`. */
export async function bundleWorker(entry = ENTRY): Promise<WorkerBundle> {
  const { alias, define } = parseToml(join(PROJECT, 'wrangler.toml')) as BundlerSettings;
  const options = {
    absWorkingDir: PROJECT,
    entryPoints: [entry],
    outdir: FOLDER,
    bundle: true,
    splitting: true,
    format: 'esm',
    // As in the bundler of wrangler.
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*', ...builtinModules],
    alias,
    define: { ...define, 'process.env.NODE_ENV': '"production"' },
    write: false,
    metafile: true,
  } as const satisfies BuildOptions;
  const onDemand = entriesIn((await build(options)).metafile).filter((file) => file !== entry);
  const shared = shareMainModule(join(PROJECT, entry), new Set(onDemand.map((file) => join(PROJECT, file))));
  const { outputFiles, metafile } = await build({ ...options, minify: true, plugins: [shared] });
  const modules = new Map(outputFiles.map(({ path, contents }) => [basename(path), Buffer.from(contents)]));
  return { modules, atStart: modulesAtStart(metafile), metafile };
}

const entriesIn = ({ outputs }: Metafile) => Object.values(outputs).flatMap(({ entryPoint = [] }) => entryPoint);

/**
 * Makes each module on demand import the entry file, which the runtime has loaded before. esbuild makes a file for each set of importers: with
 * this import, all code of the main module has the same importers, and becomes one file.
 */
function shareMainModule(main: string, onDemand: ReadonlySet<string>): Plugin {
  return {
    name: 'share-main-module',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) =>
        onDemand.has(path)
          ? { contents: `${readFileSync(path, 'utf8')}\nimport ${JSON.stringify(main)};`, loader: 'ts' }
          : undefined,
      );
    },
  };
}

function modulesAtStart({ outputs }: Metafile): string[] {
  const found = new Set<string>();
  const visit = (path: string) => {
    if (found.has(path)) return;
    found.add(path);
    for (const { path: imported, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && outputs[imported] !== undefined) visit(imported);
  };
  visit(`${FOLDER}/worker.js`);
  return [...found].map((path) => basename(path));
}

/** Returns the gzipped size of these modules in bytes. */
export function gzippedSize({ modules }: WorkerBundle, names: Iterable<string> = modules.keys()): number {
  return gzipSync(Buffer.concat([...names].map((name) => modules.get(name) ?? Buffer.alloc(0))), { level: 9 }).length;
}

/** Bundles the Worker into the folder, and removes every other module of it. Several processes may do so at once. */
export async function writeWorker(folder: string, entry?: string): Promise<WorkerBundle> {
  const bundle = await bundleWorker(entry);
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of bundle.modules) replaceFile(join(folder, name), content);
  for (const name of readdirSync(folder))
    if (name.endsWith('.js') && !bundle.modules.has(name)) rmSync(resolve(folder, name), { force: true });
  return bundle;
}
