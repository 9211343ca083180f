import type { Command } from 'commander';
import type { Run } from '../terminal/command.ts';

/** Returns what a command runs with for these arguments. Throws the error of an invalid command line, and prints nothing. */
export function parseCommand<Options>(declare: (run: Run<Options>) => Command, args: readonly string[]): Options {
  const runs: Options[] = [];
  const program = declare((options) => {
    runs.push(options);
  });
  silence(program);
  program.parse(args, { from: 'user' });
  const [options] = runs;
  if (options === undefined) throw new Error('the command did not run');
  return options;
}

function silence(command: Command): void {
  command.configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  command.commands.forEach(silence);
}
