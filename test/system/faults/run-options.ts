import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Failure } from '../../../scripts/failure.ts';

export interface RunOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly kills: number;
  readonly issuances: number;
  readonly operations: number;
  /** Whether the keys are in a KMS. */
  readonly kms: boolean;
}

const DEFAULTS = { minutes: 60, kills: 200, issuances: 1000, operations: 10_000, kms: false };

/** The minimum duration. A shorter run would have time only to settle after the kills, and no time for operations. */
const MINUTES_MIN = 12;

/** Returns the options from the command line of `npm run test:faults`. Throws a Failure that names an invalid option. */
export function parseRunOptions(args: readonly string[]): RunOptions {
  const names = ['minutes', 'seed', 'kills', 'issuances', 'operations'] as const;
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  const { values } = parseArgs({ args: [...args], options: { ...options, kms: { type: 'boolean' } } });
  const given = Object.entries(values).map(([name, value]) => {
    if (name === 'kms') return [name, value];
    if (typeof value !== 'string' || !/^\d{1,10}$/.test(value))
      throw new Failure(`--${name} must be a whole number`, 2);
    return [name, Number(value)];
  });
  const chosen: RunOptions = { ...DEFAULTS, seed: randomInt(2 ** 32), ...Object.fromEntries(given) };
  if (chosen.minutes < MINUTES_MIN) throw new Failure(`--minutes must be at least ${MINUTES_MIN}`, 2);
  return chosen;
}
