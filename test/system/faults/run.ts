/** `npm run test:faults`: kills and faults for a long time, and what came of every pass. */

import { runCommand } from '../../../localnet/commands/run-command.ts';
import { stopChildren } from '../../../scripts/child-process.ts';
import { table } from '../../../scripts/table.ts';
import { aftermath, SETTLED_WITHIN_MS } from './aftermath.ts';
import { killRun } from './kill-run.ts';
import { operationsRun } from './operations-run.ts';
import { randomFrom } from './random.ts';
import { type RunOptions, runOptions } from './run-options.ts';
import { openStage, type Stage } from './stage.ts';
import type { Difference } from './verdict.ts';

const INTERRUPTED = 1;
/** What of the time is for the kills, at the most. */
const FOR_KILLS = 0.45;
/** After forks: what can never land again is signed anew once that is certain, and is final before the next step. */
const RECOVERED_WITHIN_MS = 2 * SETTLED_WITHIN_MS;
/** While the Worker dies, the nodes are bad as well, but it is to get somewhere in its short lives. */
const WHILE_KILLED = { perRequest: 0.04, perSend: 0.04, hangMs: 5000 };
const WHILE_ASKED = { perRequest: 0.08, perSend: 0.15, hangMs: 30_000 };

type Figure = readonly [what: string, figure: string | number];

interface Part {
  readonly figures: readonly Figure[];
  readonly differences: readonly Difference[];
}

await runCommand(async (atEnd) => {
  const options = runOptions(process.argv.slice(2));
  const { seed, minutes } = options;
  const random = randomFrom(seed);
  const started = Date.now();
  const msOf = (part: number) => started + part * minutes * 60_000;
  atEnd(stopChildren);
  const stage = await openStage(random.fork());
  let isUnharmed = false;
  atEnd(() => stage.close(!isUnharmed));
  console.log(`seed ${seed}; what the Worker says and keeps is in ${stage.folder}`);

  const parts = [
    await withKills(stage, options, msOf(FOR_KILLS), random.fork()),
    await withOperations(stage, options, msOf(1) - RECOVERED_WITHIN_MS, random.fork()),
  ];
  const differences = parts.flatMap((part) => part.differences);
  for (const { is, what } of differences) console.error(`${is}: ${what}`);
  const sums = (['lost', 'doubled', 'unsettled', 'different'] as const).map(
    (kind): Figure => [kind, differences.filter(({ is }) => is === kind).length],
  );
  const figures = [...parts.flatMap((part) => part.figures), ...befallen(stage), ...sums];
  const rows = figures.map(([what, figure]) => [what, String(figure)]);
  console.log(`\n${table([`seed ${seed}`, ''], rows)}`);
  isUnharmed = differences.length === 0;
  return isUnharmed ? 0 : 1;
}, INTERRUPTED);

async function withKills(
  stage: Stage,
  { kills, issuances }: RunOptions,
  deadline: number,
  random: ReturnType<typeof randomFrom>,
): Promise<Part> {
  const onLife = every(20, 'kills');
  const run = await killRun(stage, { kills, issuances, severity: WHILE_KILLED, deadline, onLife }, random);
  const { unanswered } = stage.asker.tally;
  const { settledMs, differences } = await aftermath(stage, run.subjects);
  const accepted = run.subjects.filter(({ model }) => model.accepted);
  const byNetwork = [...Map.groupBy(accepted, ({ network }) => network)];
  return {
    differences,
    figures: [
      ['kills', run.kills],
      ...byNetwork.map(([network, { length }]): Figure => [`accepted issuances on ${network}`, length]),
      ['requests that died without an answer', unanswered],
      ['seconds from the last restart until all were settled', seconds(settledMs)],
    ],
  };
}

async function withOperations(
  stage: Stage,
  { operations }: RunOptions,
  deadline: number,
  random: ReturnType<typeof randomFrom>,
): Promise<Part> {
  const before = { ...stage.asker.tally };
  const pace = { perSecond: 15, crowd: 120, misfortuneEveryMs: 6000 };
  const told = { onProgress: every(1000, 'operations'), onMisfortune: (what: string) => console.log(what) };
  const run = { operations, severity: WHILE_ASKED, deadline, ...pace, ...told };
  const subjects = await operationsRun(stage, run, random);
  const { tally } = stage.asker;
  const figures: Figure[] = [
    ['operations', tally.operations - before.operations],
    ['of them without an answer, or with 5xx', tally.unanswered - before.unanswered],
    ['passes they were about', subjects.length],
  ];
  const { settledMs, differences } = await aftermath(stage, subjects, RECOVERED_WITHIN_MS);
  figures.push(['seconds from the last fault until all were settled', seconds(settledMs)]);
  return { figures, differences };
}

function befallen({ nodes }: Stage): Figure[] {
  return Object.entries(nodes.befallen()).map(([fault, times]) => [`requests to nodes: ${fault}`, times]);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}

function every(times: number, what: string): (count: number) => void {
  return (count) => {
    if (count % times === 0) console.log(`${count} ${what} …`);
  };
}
