/** Something went wrong that the person at the terminal can put right: the message is one line that says how. */
export class Failure extends Error {
  override readonly name = 'Failure';
  /** 2 for a command line that is wrong, else 1. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Prints why a command ends and says with which code: a line for a failure, the stack for what nobody expected. */
export function reportFailure(error: unknown): number {
  const wrongUsage = (error as { code?: unknown }).code?.toString().startsWith('ERR_PARSE_ARGS') ?? false;
  const expected = error instanceof Failure || wrongUsage;
  console.error(expected ? (error as Error).message : error);
  return error instanceof Failure ? error.exitCode : wrongUsage ? 2 : 1;
}
