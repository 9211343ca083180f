/** `npm run simulate`: plays random worlds of the whole service, or one again, and says what is wrong in them. */
import './platform/isolate.ts';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const { npmCommand, repeated, runNpmCommand } = await import('../../terminal/command.ts');
const { Failure } = await import('../../terminal/failure.ts');
const { print } = await import('../../terminal/print.ts');
const { worldOf } = await import('./plans/plan.ts');
const { play } = await import('./plans/play.ts');
const { kindOfFault, shrink } = await import('./plans/shrink.ts');
const { storyOf } = await import('./plans/story.ts');
const { addWork } = await import('./world/work.ts');
type Plan = import('./plans/plan.ts').Plan;
type Played = import('./plans/play.ts').Played;
type Work = import('./world/work.ts').Work;
type WorkerModule = import('./platform/platform.ts').WorkerModule;

interface Options {
  readonly seed?: number;
  readonly runs: number;
  readonly minutes?: number;
  readonly only?: readonly string[];
  readonly slim?: true;
  readonly replay?: readonly string[];
  readonly log?: true;
  readonly digest?: true;
  readonly work?: true;
}

/** Worlds of different runs. */
const SEEDS = 2 ** 30;

const worker = (await import('../../src/worker.ts')) as unknown as WorkerModule;

/** Plays a world, and prints what is asked for. */
async function playOne(plan: Plan, { log, digest }: Pick<Options, 'log' | 'digest'>): Promise<Played> {
  if (!log && !digest) return play(worker, plan);
  const lines: string[] = [];
  const played = await play(worker, plan, (line) => void lines.push(line));
  if (log) print(...lines);
  if (digest) print(`${plan.seed} ${createHash('sha256').update(lines.join('\n')).digest('hex')}`);
  return played;
}

/** Prints the smallest world that is wrong in the same way. */
async function tell(plan: Plan, [fault = '']: readonly string[]): Promise<void> {
  const kind = kindOfFault(fault);
  const isWrong = async (candidate: Plan) =>
    (await play(worker, candidate)).faults.some((each) => kindOfFault(each) === kind);
  const smallest = await shrink(plan, isWrong);
  print(...storyOf(smallest, (await play(worker, smallest)).faults).split('\n'));
}

/** Plays the worlds of files again. Throws if one is wrong. */
async function playAgain(files: readonly string[], shown: Pick<Options, 'log' | 'digest'>): Promise<void> {
  const stories: string[] = [];
  for (const file of files) {
    const plan = JSON.parse(readFileSync(file, 'utf8')) as Plan;
    const { faults } = await playOne(plan, shown);
    if (faults.length > 0) stories.push(`${file}\n${storyOf(plan, faults)}`);
  }
  if (stories.length > 0) throw new Failure(stories.join('\n\n'), 1);
  print(files.length === 1 ? 'The world is right.' : `The ${files.length} worlds are right.`);
}

async function simulate({ seed, runs, minutes, only, slim, replay, ...shown }: Options): Promise<void> {
  // Many errors are ordinary in a world, and each would describe its stack.
  Error.stackTraceLimit = shown.log ? 10 : 0;
  if (replay !== undefined) return playAgain(replay, shown);
  const first = seed ?? Math.floor(Math.random() * SEEDS);
  const begun = performance.now();
  const end = minutes === undefined ? undefined : begun + minutes * 60_000;
  let [played, wrong, tasks] = [0, 0, 0];
  let work: Work = {};
  while (end === undefined ? played < runs : performance.now() < end) {
    const number = first + played;
    const plan = worldOf(number, only, slim);
    const one = await playOne(plan, shown);
    played += 1;
    tasks += one.tasks;
    work = addWork(work, one.work);
    if (one.faults.length === 0) continue;
    wrong += 1;
    print(`World ${number} is wrong.`);
    await tell(plan, one.faults);
  }
  if (shown.work) print(JSON.stringify(work, undefined, 2));
  const perSecond = (played / ((performance.now() - begun) / 1_000)).toFixed(1);
  const size = Math.round(tasks / Math.max(1, played));
  print(
    `${played - wrong} of ${played} worlds from seed ${first} on are right (${perSecond} a second, ${size} tasks each).`,
  );
  if (wrong > 0) throw new Failure(wrong === 1 ? '1 world is wrong' : `${wrong} worlds are wrong`, 1);
}

const command = npmCommand('simulate', 'Plays random worlds of the whole service, and says what is wrong in them.')
  .option('--seed <number>', 'the first world; by default a random one', Number)
  .option('--runs <number>', 'the number of worlds', Number, 100)
  .option('--minutes <number>', 'plays worlds for that long instead', Number)
  .option('--only <step>', 'issuances, time and steps of that kind only; repeat it for several', repeated(String))
  .option('--slim', 'gives some contracts of each world the build SlimGateway')
  .option('--replay <file>', 'plays the world in that file; repeat it for several', repeated(String))
  .option('--log', 'prints everything that happens')
  .option('--digest', 'prints a hash of everything that happens in each world')
  .option('--work', 'prints how often everything happens in all worlds')
  .action(simulate);
process.exitCode = await runNpmCommand(command, process.argv.slice(2));
