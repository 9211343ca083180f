/**
 * Bundles the modules that the Worker loads on demand. They are no part of its main module, so they slow down no start. `wrangler.toml`
 * uploads every file of `src/on-demand/`, and only the main module's own folder can contain them.
 */
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { replaceFile } from './replace-file.ts';

const SOURCE = join(import.meta.dirname, '..', 'src');

/** The entry file of each module, by its name. */
const MODULES = {
  'deployment-document': 'http/pages/deployment-document.ts',
  'metrics-text': 'http/metrics/metrics-text.ts',
  moves: 'store/moves.ts',
  simulation: 'sandbox-object/simulation.ts',
} as const;

export function writeOnDemand(): void {
  for (const [name, entry] of Object.entries(MODULES)) {
    const { outputFiles } = buildSync({
      entryPoints: [join(SOURCE, entry)],
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      target: 'es2024',
      external: ['cloudflare:workers'],
      // As in the main module, the errors of the package have no texts (`wrangler.toml`).
      alias: { '@solana/errors': join(SOURCE, '..', 'node_modules/@solana/errors/src/index.ts') },
      define: { __DEV__: 'false', __NODEJS__: 'false' },
    });
    for (const { contents } of outputFiles)
      replaceFile(join(SOURCE, 'on-demand', `${name}.mjs`), Buffer.from(contents));
  }
}
