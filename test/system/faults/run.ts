/** `npm run test:faults` runs kills and faults for a long time, and compares every pass and the feed afterwards. */

import { join } from 'node:path';
import { stopChildren } from '../../../terminal/child-process.ts';
import { formatTable } from '../../../terminal/print.ts';
import { runCommand } from '../../../terminal/run-command.ts';
import { openStateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { buildWorker, prepareDatabase } from '../../../tools/localnet/worker.ts';
import { checkAfterFaults, SETTLED_WITHIN_MS } from './check-after-faults.ts';
import type { FeedOutcome } from './check-feed.ts';
import type { Difference } from './compare-passes.ts';

import { type FaultEnvironment, openFaultEnvironment } from './fault-environment.ts';
import { runKills } from './kill-run.ts';
import { runOperations } from './operations-run.ts';
import { randomFrom } from './random.ts';
import { parseRunOptions, type RunOptions } from './run-options.ts';

const INTERRUPTED = 1;
/** The maximum share of the time for the kills. */
const KILLS_SHARE = 0.45;
/**
 * The time within which every pass must be settled after the operations. After a fork the signer waits until a lost
 * transaction can no longer land, signs it again, and waits until it is final before the next step.
 */
const RECOVERED_WITHIN_MS = 2 * SETTLED_WITHIN_MS;
// The nodes also fail during the kills, but less often, so that the Worker makes progress between two kills.
const WHILE_KILLED = { perRequest: 0.04, perSend: 0.04, hangMs: 5000, lying: 0.8 };
const WHILE_ASKED = { perRequest: 0.08, perSend: 0.15, hangMs: 30_000, lying: 0.8 };

type Figure = readonly [what: string, figure: string | number];

interface Part {
  readonly figures: readonly Figure[];
  readonly differences: readonly Difference[];
}

await runCommand(async (atEnd) => {
  const options = parseRunOptions(process.argv.slice(2));
  const { seed, minutes } = options;
  const random = randomFrom(seed);
  const started = Date.now();
  const msOf = (part: number) => started + part * minutes * 60_000;
  atEnd(stopChildren);
  const state = openStateFolder();
  const [config] = await Promise.all([buildWorker(join(state.folder, 'built')), prepareDatabase(state.folder)]);
  const environment = await openFaultEnvironment(random.fork(), state, config, { kms: options.kms });
  let isUnharmed = false;
  atEnd(() => environment.close(!isUnharmed));
  console.log(`seed ${seed}; the logs and the state of the Worker are in ${environment.folder}`);

  const parts = [
    show(await withKills(environment, options, msOf(KILLS_SHARE), random.fork())),
    show(await withOperations(environment, options, msOf(1) - RECOVERED_WITHIN_MS, random.fork())),
  ];
  const differences = parts.flatMap((part) => part.differences);
  const sums = (['lost', 'doubled', 'unsettled', 'different'] as const).map(
    (kind): Figure => [kind, differences.filter(({ type }) => type === kind).length],
  );
  const figures = [...parts.flatMap((part) => part.figures), ...faultFigures(environment), ...sums];
  const rows = figures.map(([what, figure]) => [what, String(figure)]);
  console.log(`\n${formatTable([`seed ${seed}`, ''], rows)}`);
  isUnharmed = differences.length === 0;
  return isUnharmed ? 0 : 1;
}, INTERRUPTED);

/** Prints the findings of a part as soon as it ends, because the next part may fail. */
function show(part: Part): Part {
  for (const { type, description } of part.differences) console.error(`${type}: ${description}`);
  for (const [what, figure] of part.figures) console.log(`${what}: ${figure}`);
  console.log(`differences: ${part.differences.length}`);
  return part;
}

async function withKills(
  environment: FaultEnvironment,
  { kills, issuances }: RunOptions,
  deadline: number,
  random: ReturnType<typeof randomFrom>,
): Promise<Part> {
  const onKill = every(20, 'kills');
  const run = await runKills(environment, { kills, issuances, severity: WHILE_KILLED, deadline, onKill }, random);
  const { unanswered } = environment.modelClient.tally;
  const { settledMs, feed, differences } = await checkAfterFaults(environment, run.passes);
  const accepted = run.passes.filter(({ model }) => model.accepted);
  const byNetwork = [...Map.groupBy(accepted, ({ network }) => network)];
  return {
    differences,
    figures: [
      ['kills', run.kills],
      ...byNetwork.map(([network, { length }]): Figure => [`accepted issuances on ${network}`, length]),
      ['requests without an answer', unanswered],
      ['seconds from the last restart until all passes were settled', seconds(settledMs)],
      ...feedFigures(feed),
    ],
  };
}

async function withOperations(
  environment: FaultEnvironment,
  { operations }: RunOptions,
  deadline: number,
  random: ReturnType<typeof randomFrom>,
): Promise<Part> {
  const before = { ...environment.modelClient.tally };
  const pace = { perSecond: 15, crowd: 120, chainFaultEveryMs: 6000 };
  const listeners = { onProgress: every(1000, 'operations'), onChainFault: (what: string) => console.log(what) };
  const run = { operations, severity: WHILE_ASKED, deadline, ...pace, ...listeners };
  const passes = await runOperations(environment, run, random);
  const { tally } = environment.modelClient;
  const figures: Figure[] = [
    ['operations', tally.operations - before.operations],
    ['operations that got no answer or a 5xx', tally.unanswered - before.unanswered],
    ['passes in these operations', passes.length],
  ];
  const { settledMs, feed, differences } = await checkAfterFaults(environment, passes, RECOVERED_WITHIN_MS);
  figures.push(['seconds from the last fault until all passes were settled', seconds(settledMs)]);
  figures.push(...feedFigures(feed));
  return { figures, differences };
}

function feedFigures({ events, arrivals, replays }: FeedOutcome): Figure[] {
  return [
    ['events in the feeds so far', events],
    ['deliveries to two receivers so far', arrivals],
    ['replays after a webhook gave up an event', replays],
  ];
}

function faultFigures({ nodes }: FaultEnvironment): Figure[] {
  return Object.entries(nodes.faultCounts()).map(([fault, times]) => [`node requests with the fault ${fault}`, times]);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}

function every(times: number, what: string): (count: number) => void {
  return (count) => {
    if (count % times === 0) console.log(`${count} ${what} …`);
  };
}
