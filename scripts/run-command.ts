import { reportFailure } from './failure.ts';

/** Something to do when the command ends, however it ends. */
type AtEnd = (action: () => unknown) => void;

/**
 * Runs a command to its end: that of `main`, which says the exit code, or a signal (Ctrl-C reaches the whole process
 * group, `kill` this process alone). Then undoes, newest first, what `main` left to be undone.
 * @param interrupted Exit code after a signal: 0 where that is how the command is meant to end.
 */
export async function runCommand(main: (atEnd: AtEnd) => Promise<number>, interrupted = 0): Promise<never> {
  const actions: (() => unknown)[] = [];
  // A terminal that was closed takes no more lines; that must not keep the rest from being undone.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const signal = new Promise<number>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => resolve(interrupted));
  });
  const work = main((action) => actions.unshift(action)).catch(async (error: unknown) => {
    // Ctrl-C ends the children too: what fails because of that is not worth a word.
    await new Promise((resolve) => setTimeout(resolve, 100));
    return () => reportFailure(error);
  });
  const outcome = await Promise.race([signal, work]);
  const code = typeof outcome === 'number' ? outcome : outcome();
  for (const action of actions) await action();
  process.exit(code);
}
