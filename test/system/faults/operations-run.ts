import { setTimeout as sleep } from 'node:timers/promises';
import { misfortune } from './chain-faults.ts';
import { nextOperation } from './operations.ts';
import type { Random } from './random.ts';
import type { Severity } from './random-faults.ts';
import type { Stage } from './stage.ts';
import { newSubject, type Subject } from './subject.ts';

export interface OperationsRun {
  readonly operations: number;
  /** At the most. */
  readonly perSecond: number;
  /** How many passes are dealt with at a time. */
  readonly crowd: number;
  readonly severity: Severity;
  /** Between two misfortunes of the chains themselves, in milliseconds; undefined: there are none. */
  readonly misfortuneEveryMs?: number | undefined;
  /** Nothing is asked after it (Unix ms). */
  readonly deadline: number;
  onProgress?(operations: number): void;
  onMisfortune?(what: string): void;
}

const AT_ONCE = 24;

/** Partners ask for everything there is, of many passes at once; of each pass, one thing after the other. */
export async function operationsRun(stage: Stage, run: OperationsRun, random: Random): Promise<readonly Subject[]> {
  const { facts, asker, nodes } = stage;
  const networks = Object.keys(facts.rpc);
  const all: Subject[] = [];
  const idle: Subject[] = [];
  const join = () => {
    const subject = newSubject(random, random.pick(networks));
    all.push(subject);
    idle.push(subject);
  };
  for (let count = 0; count < run.crowd; count++) join();

  nodes.become(run.severity);
  const over = new AbortController();
  const misfortunes = bringMisfortunes(stage, run, random.fork(), over.signal);
  const started = Date.now();
  let begun = 0;
  const work = async () => {
    while (begun < run.operations && Date.now() < run.deadline) {
      const turn = begun++;
      await sleep(Math.max(0, started + (turn * 1000) / run.perSecond - Date.now()));
      const [subject] = idle.splice(random.below(idle.length), 1) as [Subject];
      await nextOperation(random, subject)(asker, subject);
      run.onProgress?.(turn + 1);
      // Nothing happens to a revoked pass any more: another takes its place, and in the end it is looked at too.
      if (subject.model.beliefs.every(({ state }) => state === 'REVOKED') && random.chance(0.7)) join();
      else idle.push(subject);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, run.crowd - 1) }, work));
  over.abort();
  await misfortunes;
  return all;
}

async function bringMisfortunes(
  { facts }: Stage,
  { misfortuneEveryMs: every, onMisfortune }: OperationsRun,
  random: Random,
  over: AbortSignal,
): Promise<void> {
  if (every === undefined) return;
  while (!over.aborted) {
    await sleep(every / 2 + random.below(every), undefined, { signal: over }).catch(() => undefined);
    if (!over.aborted) onMisfortune?.(await misfortune(facts, random));
  }
}
