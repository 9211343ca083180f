import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../scripts/failure.ts';
import { PROJECT } from '../../scripts/wrangler.ts';
import { compareIssuances } from '../compare-issuances.ts';
import { compareLoads, outcomesOf } from '../compare-loads.ts';
import { type ContenderKind, loadOn, prepareKinds, startAll, WORKERS } from '../contenders.ts';
import { fetchRequests, generatePasses, searchRequests, verifyRequests } from '../dataset.ts';
import type { Measure } from '../measure.ts';

export const BEFORE = 'before';

/** A difference of two percent is noise. */
const TARGETS = [{ of: BEFORE, atLeast: 0.98 }];

/** The requests of an earlier commit, in turn with those of the present code. */
export const beforeMeasure: Measure = {
  name: BEFORE,
  async run(context) {
    const { quick, before } = context;
    if (before === undefined) throw new Failure('--only before needs --before COMMIT', 2);
    const kinds = { ours: WORKERS.ours, [BEFORE]: await kindOf(before, join(context.folder, 'source')) };
    const contenders = await prepareKinds(context, kinds);
    const seeded = [...generatePasses(20_000, Math.floor(Date.now() / 1000))];
    const servers = await startAll(contenders, seeded);
    const { headers } = contenders;
    const loads = {
      fetch: fetchRequests(seeded, headers),
      search: searchRequests([undefined, seeded[10_000]?.id], headers),
      verify: verifyRequests(seeded),
    };
    const outcomes = [];
    const rounds = quick ? { rounds: 17, seconds: 0.5 } : { rounds: 31, seconds: 2 };
    for (const [what, requests] of Object.entries(loads)) {
      const compared = await compareLoads(context, loadOn(servers, requests), rounds);
      outcomes.push(...outcomesOf(`${what}, since ${before}`, compared, TARGETS));
    }
    for (const { stop } of Object.values(servers)) await stop();
    const issued = quick ? { rounds: 8, issued: 400 } : { rounds: 15, issued: 1_000 };
    const compared = await compareIssuances(context, contenders, issued);
    return [...outcomes, ...outcomesOf(`issue accepted, since ${before}`, compared, TARGETS)];
  },
};

/** Puts the files of the commit into the folder. Its own code fills its database. It uses the packages that are installed here. */
async function kindOf(commit: string, project: string): Promise<ContenderKind> {
  const archive = `${project}.tar`;
  mkdirSync(project);
  try {
    execFileSync('git', ['archive', `--output=${archive}`, '--end-of-options', `${commit}^{commit}`], {
      cwd: PROJECT,
      stdio: 'ignore',
    });
  } catch {
    throw new Failure(`git knows no commit ${commit}`, 2);
  }
  execFileSync('tar', ['-xf', archive, '-C', project]);
  symlinkSync(join(PROJECT, 'node_modules'), join(project, 'node_modules'));
  const { migrate }: typeof import('../database.ts') = await import(join(project, 'bench', 'database.ts'));
  const { seedService }: typeof import('../dataset.ts') = await import(join(project, 'bench', 'dataset.ts'));
  return { ...WORKERS.ours, project, tables: migrate, seed: seedService };
}
