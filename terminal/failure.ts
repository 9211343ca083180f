import { inspect } from 'node:util';
import { CommanderError } from 'commander';
import { printError } from './print.ts';

/** A fault that the person at the terminal can correct. The message is one line that says how. */
export class Failure extends Error {
  override readonly name = 'Failure';
  /** 2 for an invalid command line, otherwise 1. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Prints why a command ends, and returns the exit code. Prints the message of a failure, and the stack of any other error. */
export function reportFailure(error: unknown): number {
  // Commander has printed the help or its own error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const wrongUsage = (error as { code?: unknown }).code?.toString().startsWith('ERR_PARSE_ARGS') ?? false;
  const expected = error instanceof Failure || wrongUsage;
  printError(...(expected ? (error as Error).message : inspect(error)).split('\n'));
  return error instanceof Failure ? error.exitCode : wrongUsage ? 2 : 1;
}
