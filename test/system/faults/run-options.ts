import { randomInt } from 'node:crypto';
import { wholeNumber } from '../../../packages/cli/src/parse-number.ts';
import { npmCommand } from '../../../terminal/command.ts';

export interface RunOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly kills: number;
  readonly issuances: number;
  readonly operations: number;
  /** Whether the keys are in a KMS. */
  readonly kms: boolean;
}

/** The minimum duration. A shorter run would have time only to settle after the kills, and no time for operations. */
const MINUTES_MIN = 12;

/** Returns the options from the command line of `npm run test:faults`. Throws a CommanderError that names an invalid option. */
export const parseRunOptions = (args: readonly string[]): RunOptions =>
  npmCommand('test:faults', 'Runs kills and faults for a long time, and compares every pass and the feed afterwards.')
    .option('--minutes <number>', 'how long it runs', wholeNumber(MINUTES_MIN), 60)
    .option('--seed <number>', 'repeats the random choices of an earlier run', wholeNumber(0), randomInt(2 ** 32))
    .option('--kills <number>', 'kills of the Worker', wholeNumber(0), 200)
    .option('--issuances <number>', 'issuances during the kills', wholeNumber(0), 1000)
    .option('--operations <number>', 'operations after the kills', wholeNumber(0), 10_000)
    .option('--kms', 'the keys are in a KMS', false)
    .parse(args, { from: 'user' })
    .opts<RunOptions>();
