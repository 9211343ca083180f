import { faultsAfterIdleTime, faultsOf } from '../judges/judges.ts';
import { faultsOfPromptness, settledMaxSeconds } from '../judges/promptness.ts';
import { faultsOfSigners } from '../judges/work.ts';
import type { WorkerModule } from '../platform/platform.ts';
import { type Step, takeStep, wordsOf } from '../steps/steps.ts';
import { passIdleTime, rest, settle } from '../world/rest.ts';
import { countLateEntries } from '../world/trails.ts';
import type { Work } from '../world/work.ts';
import { World } from '../world/world.ts';
import type { Plan } from './plan.ts';

/** The watcher checks all gatekeepers once in an hour. */
const RECHECK_SECONDS = 65 * 60;
const IDLE_SECONDS = 4 * 60;
/** The Worker asks its database and its issuer again by then. */
const RETRIED_SECONDS = 15;
/** Between steps after the rest, the watcher reads the chain. */
const LATE_PAUSE_SECONDS = 30;

/** Receives a line for each thing that happens in a world. */
export type Log = (line: string) => void;

/** A played world. */
export interface Played {
  /** The faults that its judges found. */
  readonly faults: readonly string[];
  /** Number of tasks that its scheduler ran. */
  readonly tasks: number;
  readonly work: Work;
}

/** Plays a world to its end. */
export async function play(
  worker: WorkerModule,
  { steps, prompt = [], late = [], ...options }: Plan,
  log?: Log,
): Promise<Played> {
  const world = new World(worker, { ...options, ...(log && { log }) });
  const take = async (all: readonly Step[], pauseSeconds: number) => {
    for (const each of all) {
      log?.(wordsOf(each));
      await takeStep(world, each);
      if (pauseSeconds > 0) await world.pass(pauseSeconds);
    }
  };
  const end = (faults: readonly string[]): Played => ({
    faults,
    tasks: world.platform.scheduler.steps,
    work: world.work,
  });
  try {
    await take(steps, 0);
    const isDone = () => countLateEntries(world.platform) === 0 && faultsOfSigners(world).length === 0;
    const left = await rest(world, isDone);
    if (prompt.length > 0) await world.pass(RETRIED_SECONDS);
    for (const group of prompt) {
      if (left.length > 0 || group.length === 0) continue;
      const kinds = group.map(([name]) => name);
      const begun = world.now;
      await take(group, 0);
      const maxSeconds = settledMaxSeconds(world, kinds);
      if ((await settle(world, begun, isDone, maxSeconds)) === undefined)
        left.push(`work is left after ${maxSeconds} s in which nothing fails`);
      world.crashes.cancel();
      left.push(...faultsOfPromptness(world, kinds, begun));
    }
    const faults = [...left, ...(await faultsOf(world))];
    if (late.length === 0 || faults.length > 0) return end(faults);
    const seconds = late.some(([name]) => name === 'voiding') ? RECHECK_SECONDS : IDLE_SECONDS;
    await passIdleTime(world, seconds, () => take(late, LATE_PAUSE_SECONDS));
    return end(await faultsAfterIdleTime(world));
  } catch (fault) {
    const text = `the world threw ${fault instanceof Error ? (fault.stack ?? fault.message) : fault}`;
    return end([text]);
  } finally {
    world.close();
  }
}
