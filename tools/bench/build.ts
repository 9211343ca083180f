import { createRequire } from 'node:module';
import { join } from 'node:path';
import { startChild } from '../../terminal/child-process.ts';
import { Failure } from '../../terminal/failure.ts';
import { PROJECT } from '../../terminal/wrangler.ts';

/** A Worker as it is deployed, minified. */
export interface Built {
  /** Its `wrangler.toml`. */
  readonly config: string;
  /** The file with its code. */
  readonly script: string;
}

interface BuildOptions {
  /** The folder of the project, by default this one. */
  readonly project?: string;
  /** A peer's `wrangler.toml`, as a path in the project; by default that of the service. */
  readonly config?: string;
  /** The entry file instead of `main` of the configuration, as a path in the project; both are named `worker.ts`. */
  readonly entry?: string;
  /** The output folder. */
  readonly folder: string;
}

/** Bundles a Worker with wrangler, as for a deployment. */
export async function build({
  project = PROJECT,
  config = 'wrangler.toml',
  entry,
  folder,
}: BuildOptions): Promise<Built> {
  const toml = join(project, config);
  const begin = entry === undefined ? [] : [join(project, entry)];
  const options = ['--dry-run', '--minify', `--outdir=${folder}`, `--config=${toml}`];
  const program = createRequire(import.meta.url).resolve('wrangler');
  const wrangler = await startChild(process.execPath, ['--no-warnings', program, 'deploy', ...begin, ...options], {
    cwd: project,
    env: { WRANGLER_HIDE_BANNER: 'true', WRANGLER_SEND_METRICS: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false' },
  });
  if ((await wrangler.ended) !== 0) throw new Failure(`${config} cannot be built:\n${wrangler.lastLines.join('\n')}`);
  return { config: toml, script: join(folder, 'worker.js') };
}
