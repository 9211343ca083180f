/**
 * `npm run bench`: compares this service with its peers and each number with its target. With `--show`, prints the newest
 * results. With `--before COMMIT`, compares the requests with the code of that commit instead.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopChildren } from '../../terminal/child-process.ts';
import { npmCommand, repeated } from '../../terminal/command.ts';
import { Failure } from '../../terminal/failure.ts';
import { runCommand } from '../../terminal/run-command.ts';
import { memoryFolder } from '../memory-folder.ts';
import { type BenchContext, beginPart, isMet, type Measure, type Outcome } from './measure.ts';
import { BEFORE } from './measures/before.ts';
import { MEASURES } from './measures.ts';
import { formatOutcomes } from './outcome-table.ts';
import { readCommit, readResults, storeResult } from './results.ts';

interface Values {
  readonly quick?: true;
  readonly show?: true;
  readonly only?: readonly string[];
  readonly before?: string;
}

const SCRATCH_FOLDER = memoryFolder() ?? tmpdir();

await runCommand(async (atEnd) => {
  const values = npmCommand('bench', 'Compares this service with its peers, and each number with its target.')
    .option('--only <measure>', 'runs only this measure; repeat it for several', repeated(String))
    .option('--quick', 'measures for a short time')
    .option('--show', 'prints the newest results, and measures nothing')
    .option('--before <commit>', 'compares the requests with the code of this commit instead')
    .parse()
    .opts<Values>();
  const { quick = false, show = false, before } = values;
  const { only = before === undefined ? undefined : [BEFORE] } = values;
  const unknown = only?.find((name) => !MEASURES.some((measure) => measure.name === name));
  if (unknown !== undefined) {
    throw new Failure(`there is no measure "${unknown}": ${MEASURES.map(({ name }) => name).join(', ')}`, 2);
  }
  atEnd(stopChildren);
  const scratch = await mkdtemp(join(SCRATCH_FOLDER, 'gatepass-bench-'));
  atEnd(() => rm(scratch, { recursive: true, force: true }));

  const outcomes: Outcome[] = [];
  for (const measure of MEASURES.filter(({ name }) => only?.includes(name) ?? (show || name !== BEFORE))) {
    if (show) {
      outcomes.push(...((await readResults())?.measures[measure.name]?.outcomes ?? []));
      continue;
    }
    const begun = performance.now();
    const found = await runMeasure(measure, { quick, before }, join(scratch, measure.name), atEnd);
    const seconds = Math.round((performance.now() - begun) / 1000);
    await storeResult(measure.name, {
      at: new Date().toISOString(),
      commit: readCommit(),
      quick,
      seconds,
      outcomes: found,
    });
    outcomes.push(...found);
  }
  console.log(`\n${formatOutcomes(outcomes)}`);
  return outcomes.every((outcome) => outcome.targets.every((target) => isMet(outcome, target))) ? 0 : 1;
}, 130);

/** Runs one measure, and then its registered actions. */
async function runMeasure(
  { name, run }: Measure,
  options: Pick<BenchContext, 'quick' | 'before'>,
  folder: string,
  atEnd: (action: () => unknown) => void,
): Promise<readonly Outcome[]> {
  await mkdir(folder);
  const part = beginPart({ ...options, folder, atEnd, say: (line) => console.error(`${name}: ${line}`) });
  part.atEnd(() => rm(folder, { recursive: true, force: true }));
  try {
    return await run(part);
  } finally {
    await part.end();
  }
}
