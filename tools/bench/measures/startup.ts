import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Child, startChild } from '../../../terminal/child-process.ts';
import { Failure } from '../../../terminal/failure.ts';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { buildWorker } from '../../localnet/worker.ts';
import type { Measure } from '../measure.ts';
import { median } from '../rounds.ts';

/** The time that an isolate computes before it can serve: the median of several profiles of `wrangler check startup`. */
export const startupMeasure: Measure = {
  name: 'startup',
  async run({ folder, quick }) {
    const bundle = join(folder, 'worker.bundle');
    const config = await buildWorker(join(folder, 'built'));
    await runWranglerCommand(['deploy', '--dry-run', `--config=${config}`, `--outfile=${bundle}`]);
    const profile = `--outfile=${join(folder, 'startup.cpuprofile')}`;
    const taken: number[] = [];
    for (let round = 0; round < (quick ? 9 : 15); round++) {
      const { lastLines } = await runWranglerCommand(['check', 'startup', `--worker=${bundle}`, profile]);
      const active = /Active: *([\d.]+) *ms/.exec(lastLines.join('\n'))?.[1];
      if (active === undefined) throw new Failure(`no time in:\n${lastLines.join('\n')}`);
      taken.push(Number(active));
    }
    const fastest = Math.min(...taken);
    const note = `the fastest of ${taken.length}: ${fastest} ms; the samples are of wall-clock time, which others on the machine lengthen`;
    const rounds = { ours: taken };
    return [
      { what: 'startup', unit: 'ms', value: median(taken), rounds, note, targets: [{ of: 'value', atMost: 50 }] },
    ];
  },
};

async function runWranglerCommand(args: readonly string[]): Promise<Child> {
  const program = createRequire(import.meta.url).resolve('wrangler');
  const child = await startChild(process.execPath, ['--no-warnings', program, ...args], {
    cwd: PROJECT,
    env: { WRANGLER_HIDE_BANNER: 'true', WRANGLER_SEND_METRICS: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false' },
  });
  if ((await child.ended) !== 0) throw new Failure(`wrangler ${args[0]}:\n${child.lastLines.join('\n')}`);
  return child;
}
