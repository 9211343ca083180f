/** `npm run emergency -- compromise|suspend|list`: stops a key or a client without a database and without a release. */
import { type Command, InvalidArgumentError } from 'commander';
import { npmCommand, runNpmCommand } from '../terminal/command.ts';
import { OPERATORS_TOKEN } from '../terminal/option-values.ts';
import { print } from '../terminal/print.ts';
import { confirm, yesOption } from './confirm.ts';
import { type DryRunValues, dryRunOption, printPlan } from './dry-run.ts';
import { awaitConfirmation, SIGNERS_WITHIN_S } from './emergency/await-confirmation.ts';
import { COMPROMISED, type EmergencyList, entries, lineOf, SUSPENDED } from './emergency/lists.ts';
import { checkUnchanged, planChange } from './emergency/plan-change.ts';
import { openEmergency } from './emergency/service.ts';
import { describeUnconfirmed } from './emergency/unconfirmed.ts';
import { reportCommand } from './report-command.ts';
import { addServiceOptions, type ServiceValues, serviceOf } from './service-options.ts';

interface Values extends ServiceValues, DryRunValues {
  readonly undo?: true;
  /** The whole list, if the service cannot be asked. */
  readonly known?: readonly string[];
  /** How long to wait for the signers, in seconds. */
  readonly wait: number;
  readonly yes?: true;
}

const emergencyCommand = (args: readonly string[]): Command => {
  const program = npmCommand(
    'emergency',
    `Stops a key or a client at once. It changes a secret of the Worker, so it needs neither the database nor a release. ${OPERATORS_TOKEN}`,
  );
  const verb = (name: string, description: string) => addServiceOptions(program.command(name).description(description));
  const change = (name: string, list: EmergencyList, description: string) =>
    verb(name, description)
      .argument(`<${list.entry}...>`, `one ${list.entry} or several`, (text, all: readonly string[] = []) => [
        ...all,
        list.parse(text),
      ])
      .option('--undo', 'removes it from the list')
      .option(
        '--known <list>',
        `the whole list before the change, for a service that does not answer: each ${list.entry} after a space, or none`,
        entries(list),
      )
      .option(
        '--wait <seconds>',
        'how long to wait until every signer has confirmed the list',
        seconds,
        SIGNERS_WITHIN_S,
      )
      .addOption(yesOption())
      .addOption(dryRunOption())
      .action((given: readonly string[], values: Values) => runChange(list, given, values, args));
  change(
    'compromise',
    COMPROMISED,
    'Names keys that somebody else has: they sign nothing, and other keys serve their passes.',
  );
  change('suspend', SUSPENDED, 'Suspends clients, whatever the database says.');
  verb('list', 'Shows the keys and clients that are stopped.').action(showLists);
  return program;
};

async function showLists(values: ServiceValues): Promise<void> {
  const lists = await openEmergency(serviceOf(values)).read();
  for (const list of [COMPROMISED, SUSPENDED]) print(lineOf(list, lists[list.field]));
  for (const line of describeUnconfirmed(lists)) print(line);
}

async function runChange(list: EmergencyList, given: readonly string[], values: Values, args: readonly string[]) {
  const options = serviceOf(values);
  const service = openEmergency(options);
  const wanted = { list, given, isUndo: values.undo === true, named: values.known };
  const shown = await planChange(wanted, service);
  const { known, next } = shown;
  print(lineOf(list, known));
  if (values.dryRun)
    return printPlan([
      next.length === 0 ? `delete the secret ${list.secret}` : `set ${lineOf(list, next)}`,
      'raise the secret EMERGENCY_NUMBER',
      'wait until every signer has confirmed it',
    ]);
  await confirm(`Set it to: ${next.join(' ') || 'none'}?`, values);
  // The answer of the operator takes time, in which another operator may have changed the list.
  const planned = await planChange(wanted, service);
  checkUnchanged(shown, planned);
  const { number } = planned;
  const from = performance.now();
  // In one version: a signer obeys the list with the higher number.
  await service.set({ [list.secret]: next.join(' ') || null, EMERGENCY_NUMBER: String(number) });
  print(`${list.secret} is set`);
  const { environment, localnet, url } = options;
  await awaitConfirmation({ list, next, number }, service, from, values.wait).finally(() =>
    reportCommand({ command: 'emergency', args, environment, localnet, url }),
  );
}

function seconds(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number of seconds from 1 to 9999.');
}

/** Runs the command, prints its progress, and returns the exit code. */
export const runEmergencyCommand = (args: readonly string[]): Promise<number> =>
  runNpmCommand(emergencyCommand(args), args);

if (import.meta.main) process.exitCode = await runEmergencyCommand(process.argv.slice(2));
