import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { startChild } from '../../terminal/child-process.ts';
import { Failure } from '../../terminal/failure.ts';
import { PROJECT } from '../../terminal/wrangler.ts';
import { writeWorker } from '../worker-bundle.ts';

/** A minified Worker. */
export interface Built {
  /** Its `wrangler.toml`. */
  readonly config: string;
  /** The file with its main module. Its other modules are beside it. */
  readonly script: string;
}

interface BuildOptions {
  /** The folder of the project, by default this one. */
  readonly project?: string;
  /** A peer's `wrangler.toml`, as a path in the project; by default that of the service. */
  readonly config?: string;
  /** The entry file of the service instead of `src/worker.ts`, as a path in the project. */
  readonly entry?: string;
  /** The output folder. */
  readonly folder: string;
}

const OWN_CONFIG = 'wrangler.toml';

/** Bundles a Worker: the service as its project does for a deployment, and any other one with wrangler. */
export async function build({ project = PROJECT, config = OWN_CONFIG, entry, folder }: BuildOptions): Promise<Built> {
  const toml = join(project, config);
  const writer = config === OWN_CONFIG ? await writerOf(project) : undefined;
  if (writer === undefined) await bundleWithWrangler(project, toml, folder);
  else await writer(folder, entry);
  return { config: toml, script: join(folder, 'worker.js') };
}

/** Returns what bundles the service of a project; undefined for an early commit, which wrangler bundled. */
async function writerOf(project: string): Promise<typeof writeWorker | undefined> {
  if (project === PROJECT) return writeWorker;
  const path = join(project, 'tools', 'worker-bundle.ts');
  return existsSync(path) ? (await import(path)).writeWorker : undefined;
}

async function bundleWithWrangler(project: string, toml: string, folder: string): Promise<void> {
  const options = ['--dry-run', '--minify', `--outdir=${folder}`, `--config=${toml}`];
  const program = createRequire(import.meta.url).resolve('wrangler');
  const wrangler = await startChild(process.execPath, ['--no-warnings', program, 'deploy', ...options], {
    cwd: project,
    env: { WRANGLER_HIDE_BANNER: 'true', WRANGLER_SEND_METRICS: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false' },
  });
  if ((await wrangler.ended) !== 0) throw new Failure(`${toml} cannot be built:\n${wrangler.lastLines.join('\n')}`);
}
