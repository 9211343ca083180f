import { Option } from 'commander';
import { print } from '../terminal/print.ts';

/** The option of every verb that changes something outside this machine, or a database on it. */
export const dryRunOption = () => new Option('--dry-run', 'says what it would do, and changes nothing');

/** A command line that may have the option. */
export interface DryRunValues {
  readonly dryRun?: true | undefined;
}

/** Prints the steps that a dry run leaves out. */
export function printPlan(steps: readonly string[], say: (line: string) => void = print): void {
  for (const line of [...(steps.length > 0 ? ['It would, in this order:'] : []), ...steps.map((step) => `  ${step}`)])
    say(line);
  say('Nothing was changed.');
}

/** Returns the step that sends a request to the service. */
export const requestStep = (method: 'POST' | 'PATCH', path: string, body: object): string =>
  `send ${method} ${path} ${JSON.stringify(body)}`;
