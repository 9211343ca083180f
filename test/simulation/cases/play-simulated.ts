import { Chance } from '../platform/chance.ts';
import { SimulatedDatabase } from '../platform/d1-database.ts';
import { Execution, runIn } from '../platform/execution.ts';
import { enterWorld } from '../platform/globals.ts';
import { Namespace, type ObjectClass } from '../platform/objects.ts';
import { SimulatedQueue } from '../platform/queues.ts';
import { Scheduler } from '../platform/scheduler.ts';
import { SqlDatabase } from '../platform/sql-database.ts';
import { consumeScripts } from './consume-script.ts';
import { LIMIT, MAX_BATCH, MAX_RETRIES, type Script } from './script.ts';
import { playScript, type ScriptEnv, ScriptObject } from './script-object.ts';

const BEGINNING = 1_800_000_000_000;
/** Longer than all retries of an alarm. */
const SCRIPT_MAX_MS = 300_000;

/** Plays a script on the imitation, in an order and with delays that the seed decides. */
export async function playSimulated(given: Script, seed: number): Promise<string[][]> {
  // The other player sends it as JSON.
  const script = JSON.parse(JSON.stringify(given)) as Script;
  const scheduler = new Scheduler(new Chance(seed), BEGINNING);
  const chance = new Chance(seed + 1);
  const delay = (subject: string) => (chance.happens(0.5, subject) ? 0 : chance.below(4, subject));
  const rules = {
    journey: (receiver: string) => ({ there: delay(receiver), back: delay(receiver) }),
    alarmDelay: () => 0,
    doublesAlarm: () => false,
    lag: (database: string) => chance.below(4, database),
    delivery: (queue: string) => ({ delayMs: delay(queue), times: 1 }),
    bindings: (): Env => env as unknown as Env,
  };
  const consume = (batch: MessageBatch) => consumeScripts(batch, env as unknown as ScriptEnv);
  const queue = (name: keyof typeof MAX_BATCH, deadLetters?: SimulatedQueue): SimulatedQueue =>
    new SimulatedQueue(
      { name, maxBatch: MAX_BATCH[name], maxRetries: MAX_RETRIES, retryMs: 0, deadLetters },
      scheduler,
      rules,
      consume,
    );
  const dead = queue('dead');
  const objects = new Namespace('SCRIPTS', ScriptObject as unknown as ObjectClass, scheduler, rules);
  const databases = [new SqlDatabase(), new SqlDatabase()] as const;
  const limited = new Map<string, number>();
  const env = {
    SCRIPTS: objects,
    D1: new SimulatedDatabase('D1', databases, scheduler, rules),
    ones: queue('ones', dead),
    several: queue('several', dead),
    LIMIT: {
      limit: async ({ key }: { readonly key: string }) => {
        limited.set(key, (limited.get(key) ?? 0) + 1);
        return { success: (limited.get(key) ?? 0) <= LIMIT };
      },
    },
  };
  enterWorld({
    scheduler,
    chance: scheduler.chance,
    fetch: () => Promise.reject(new Error('there is no network')),
    print: () => {},
  });
  try {
    let outcomes: string[][] | undefined;
    const played = runIn(new Execution('script'), () => playScript(script, env as unknown as ScriptEnv));
    const ended = played.then((result) => {
      outcomes = result;
    });
    ended.catch(() => {});
    await scheduler.runUntil(() => outcomes !== undefined, BEGINNING + SCRIPT_MAX_MS);
    if (outcomes === undefined) throw new Error('the script does not end');
    await ended;
    return outcomes;
  } finally {
    enterWorld(undefined);
    for (const object of objects.all) object.close();
    for (const database of databases) database.close();
  }
}
