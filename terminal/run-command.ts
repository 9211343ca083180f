import { reportFailure } from './failure.ts';

/** Registers an action to run when the command ends, however it ends. */
export type AtEnd = (action: () => unknown) => void;

/**
 * Runs a command until `main` returns the exit code, or until a signal arrives (Ctrl-C reaches the whole process group, `kill`
 * only this process). Then runs the actions that `main` registered, newest first, and exits.
 * @param interrupted Exit code after a signal: 0 if a signal is the normal end of the command.
 */
export async function runCommand(main: (atEnd: AtEnd) => Promise<number>, interrupted = 0): Promise<never> {
  const actions: (() => unknown)[] = [];
  // Writing to a closed terminal fails. That must not prevent the actions.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const signal = new Promise<number>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => resolve(interrupted));
  });
  const work = main((action) => actions.unshift(action)).catch(async (error: unknown) => {
    // Ctrl-C ends the children too. Give the signal time to win, so that errors of ended children are not reported.
    await new Promise((resolve) => setTimeout(resolve, 100));
    return () => reportFailure(error);
  });
  const outcome = await Promise.race([signal, work]);
  const code = typeof outcome === 'number' ? outcome : outcome();
  for (const action of actions) await action();
  process.exit(code);
}
