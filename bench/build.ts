import { createRequire } from 'node:module';
import { join } from 'node:path';
import { startChild } from '../scripts/child-process.ts';
import { Failure } from '../scripts/failure.ts';
import { PROJECT } from '../scripts/wrangler.ts';

/** A Worker as it would be deployed, minified. */
export interface Built {
  /** Its `wrangler.toml`. */
  readonly config: string;
  /** The file with its code. */
  readonly script: string;
}

interface BuildOptions {
  /** In the project: a peer's `wrangler.toml`; by default the service's own. */
  readonly config?: string;
  /** In the project: what to begin with instead of the `main` of the configuration; either is named `worker.ts`. */
  readonly entry?: string;
  /** Where the code goes. */
  readonly folder: string;
}

/** Bundles a Worker by wrangler, as for a deployment. */
export async function build({ config = 'wrangler.toml', entry, folder }: BuildOptions): Promise<Built> {
  const toml = join(PROJECT, config);
  const begin = entry === undefined ? [] : [join(PROJECT, entry)];
  const options = ['--dry-run', '--minify', `--outdir=${folder}`, `--config=${toml}`, '--env='];
  const program = createRequire(import.meta.url).resolve('wrangler');
  const wrangler = await startChild(process.execPath, ['--no-warnings', program, 'deploy', ...begin, ...options], {
    cwd: PROJECT,
    env: { WRANGLER_HIDE_BANNER: 'true', WRANGLER_SEND_METRICS: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false' },
  });
  if ((await wrangler.ended) !== 0) throw new Failure(`${config} cannot be built:\n${wrangler.lastLines.join('\n')}`);
  return { config: toml, script: join(folder, 'worker.js') };
}
