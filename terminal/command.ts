import { Command } from 'commander';
import { Failure, reportFailure } from './failure.ts';
import { print, printError } from './print.ts';

/** Runs a command with its parsed options. */
export type Run<Options> = (options: Options) => void | Promise<void>;

/**
 * Returns the command of an npm script, to which the caller adds options and an action. Commander prints the help and the faults
 * of the command line itself. For a fault that it cannot know, an action throws Failure with the exit code 2.
 */
export function npmCommand(script: string, description: string): Command {
  const name = `npm run ${script} --`;
  return new Command(name)
    .description(description)
    .helpOption('--help', 'prints this text')
    .helpCommand(false)
    .showHelpAfterError(`Usage: ${name} --help`)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => print(...text.trimEnd().split('\n')),
      writeErr: (text) => printError(...text.trimEnd().split('\n')),
      outputError: (text, write) => write(text.replace(/^error: /, '')),
    })
    .hook('preAction', (_, command) => demandValues(command));
}

/** A private key in hex, or the JSON array of solana-keygen, alone or as the value of an option. */
const PRIVATE_KEY = /^(--[a-z-]+=)?((0x)?[0-9a-f]{64}$|\[)/i;

/** Runs the command. Returns its exit code: 0, 1 if it failed, or 2 for an invalid command line. */
export async function runNpmCommand(command: Command, args: readonly string[]): Promise<number> {
  try {
    // Commander quotes an invalid argument.
    if (args.some((each) => PRIVATE_KEY.test(each)))
      throw new Failure('a private key must be in a file, not on the command line', 2);
    await command.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    return reportFailure(error);
  }
}

/** Throws Failure if an option took the next option as its value: commander accepts any text. */
function demandValues(command: Command): void {
  for (const option of command.options) {
    const values = [command.getOptionValue(option.attributeName())].flat();
    if (values.some((value) => typeof value === 'string' && value.startsWith('--')))
      throw new Failure(`${option.long} needs a value`, 2);
  }
}

/** Returns the parser of an option that may be repeated. */
export function repeated<T>(parse: (text: string) => T): (text: string, earlier?: readonly T[]) => readonly T[] {
  return (text, earlier = []) => [...earlier, parse(text)];
}
