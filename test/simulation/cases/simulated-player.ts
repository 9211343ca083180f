import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Script } from './script.ts';

/** Plays scripts on the imitation. */
export interface SimulatedPlayer {
  /** Plays it in an order and with delays that the seed decides. */
  play(script: Script, seed: number): Promise<string[][]>;
  stop(): Promise<unknown>;
}

/** Starts a thread for the imitation. */
export function simulatedPlayer(): SimulatedPlayer {
  const thread = new Worker(join(import.meta.dirname, 'simulated-thread.ts'), { execArgv: ['--no-warnings'] });
  let last: Promise<unknown> = Promise.resolve();
  const ask = async (script: Script, seed: number) => {
    thread.postMessage({ script, seed });
    const [answer] = (await once(thread, 'message')) as [{ readonly outcomes?: string[][]; readonly fault?: string }];
    if (answer.outcomes === undefined) throw new Error(answer.fault);
    return answer.outcomes;
  };
  return {
    play(script, seed) {
      const answer = last.then(() => ask(script, seed));
      last = answer.catch(() => {});
      return answer;
    },
    stop: () => thread.terminate(),
  };
}
