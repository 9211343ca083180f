import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { startSystems } from './localnets.ts';

/** The process of the systems outside the Worker. All projects of a run share it. */

type Facts = Omit<Awaited<ReturnType<typeof startSystems>>, 'stop'>;

let users = 0;
let started:
  | { readonly child: ChildProcess; readonly exited: Promise<unknown>; readonly facts: Promise<Facts> }
  | undefined;

/** Starts the systems for the first project that needs them. */
export function useSystems(localnets: number): Promise<Facts> {
  users += 1;
  started ??= start(localnets);
  return started.facts;
}

/** Stops the systems after the last project. */
export async function releaseSystems(): Promise<void> {
  users -= 1;
  if (users > 0 || started === undefined) return;
  const { child, exited } = started;
  started = undefined;
  if (child.connected) child.disconnect();
  await exited;
}

function start(localnets: number) {
  const child = fork(join(import.meta.dirname, 'serve-systems.ts'), [String(localnets)], {
    execArgv: ['--no-warnings'],
  });
  const exited = once(child, 'exit');
  const failed = exited.then(() => Promise.reject(new Error('the systems outside the Worker did not start')));
  // It also exits at the end.
  failed.catch(() => {});
  return { child, exited, facts: Promise.race([once(child, 'message').then(([facts]) => facts as Facts), failed]) };
}
