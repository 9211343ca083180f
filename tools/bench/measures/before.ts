import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../../../terminal/failure.ts';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { compareIssuances } from '../compare-issuances.ts';
import { type Compared, compareLoads, joined, outcomesOf } from '../compare-loads.ts';
import {
  type Contender,
  type ContenderKind,
  type Contenders,
  loadOn,
  prepareKinds,
  startAll,
  WORKERS,
} from '../contenders.ts';
import { fetchRequests, generatePasses, type SeededPass, searchRequests, verifyRequests } from '../dataset.ts';
import type { Request } from '../load.ts';
import type { BenchContext, Measure } from '../measure.ts';

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
    const lots = await compareInLots(context, contenders, seeded, loads);
    const outcomes = Object.entries(lots).flatMap(([what, compared]) =>
      outcomesOf(`${what}, since ${before}`, compared, TARGETS),
    );
    const issued = quick ? { rounds: 8, issued: 400 } : { rounds: 15, issued: 1_000 };
    const compared = await compareIssuances(context, contenders, issued);
    return [...outcomes, ...outcomesOf(`issue accepted, since ${before}`, compared, TARGETS)];
  },
};

/**
 * Puts each load on several pairs of processes, a few rounds each. Two processes of the same code differ by up to ten percent for as long
 * as they live, so the rounds of one pair would compare the processes, not the code.
 */
async function compareInLots<Asked extends string, What extends string>(
  context: BenchContext,
  contenders: Contenders<Asked>,
  seeded: readonly SeededPass[],
  loads: Readonly<Record<What, readonly Request[]>>,
): Promise<Record<What, Compared<Asked>>> {
  const [lots, rounds] = context.quick ? [8, { rounds: 2, seconds: 0.5 }] : [16, { rounds: 3, seconds: 1 }];
  const whats = Object.keys(loads) as What[];
  const found = Object.fromEntries(whats.map((what) => [what, [] as Compared<Asked>[]])) as Record<
    What,
    Compared<Asked>[]
  >;
  for (let lot = 0; lot < lots; lot++) {
    // Neither side always starts first.
    const names = lot % 2 === 0 ? contenders.names : contenders.names.toReversed();
    const servers = await startAll({ ...contenders, names }, seeded);
    for (const what of whats) found[what].push(await compareLoads(context, loadOn(servers, loads[what]), rounds));
    for (const { stop } of Object.values<Contender>(servers)) await stop();
  }
  return Object.fromEntries(whats.map((what) => [what, joined(found[what])])) as Record<What, Compared<Asked>>;
}

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
