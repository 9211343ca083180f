import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../../../terminal/failure.ts';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { compareInLots } from '../compare-in-lots.ts';
import { compareIssuances } from '../compare-issuances.ts';
import { outcomesOf } from '../compare-loads.ts';
import { type ContenderKind, prepareKinds, WORKERS } from '../contenders.ts';
import { fetchRequests, generatePasses, searchRequests, verifyRequests } from '../dataset.ts';
import type { Measure } from '../measure.ts';

export const BEFORE = 'before';

/** The measure cannot tell a smaller difference from noise. */
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
    const { headers } = contenders;
    const loads = {
      fetch: fetchRequests(seeded, headers),
      search: searchRequests([undefined, seeded[10_000]?.id], headers),
      verify: verifyRequests(seeded),
    };
    const lots = quick ? { lots: 8, rounds: 2, seconds: 0.5 } : { lots: 16, rounds: 3, seconds: 1 };
    const found = await compareInLots(context, contenders, { seeded, loads }, lots);
    const outcomes = Object.entries(found).flatMap(([what, compared]) =>
      outcomesOf(`${what}, since ${before}`, compared, TARGETS),
    );
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
  // Its build keeps unfinished files there.
  mkdirSync(join(project, 'dist'));
  // The packages that others install have some of their own.
  for (const path of globSync(['node_modules', 'packages/*/node_modules'], { cwd: PROJECT }))
    if (existsSync(join(project, dirname(path)))) symlinkSync(join(PROJECT, path), join(project, path));
  const bench = ['tools/bench', 'bench'].map((folder) => join(project, folder)).find(existsSync) ?? project;
  const { migrate }: typeof import('../database.ts') = await import(join(bench, 'database.ts'));
  const { seedService }: typeof import('../dataset.ts') = await import(join(bench, 'dataset.ts'));
  return { ...WORKERS.ours, project, tables: migrate, seed: seedService };
}
