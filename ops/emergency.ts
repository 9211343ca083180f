/** `npm run emergency -- compromise|suspend|list`: stops a key or a client without a database and without a release. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { npmCommand, runNpmCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import { OPERATORS_TOKEN } from '../terminal/option-values.ts';
import { print } from '../terminal/print.ts';
import { confirm, yesOption } from './confirm.ts';
import { type DryRunValues, dryRunOption, printPlan } from './dry-run.ts';
import { COMPROMISED, changeList, type EmergencyList, entries, SUSPENDED } from './emergency/lists.ts';
import { type EmergencyService, openEmergency } from './emergency/service.ts';
import { reportCommand } from './report-command.ts';
import { addServiceOptions, type ServiceValues, serviceOf } from './service-options.ts';

interface Values extends ServiceValues, DryRunValues {
  readonly undo?: true;
  /** The whole list, if the service cannot be asked. */
  readonly known?: readonly string[];
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
}

async function runChange(list: EmergencyList, given: readonly string[], values: Values, args: readonly string[]) {
  const options = serviceOf(values);
  const service = openEmergency(options);
  const known = await knownEntries(list, service, values.known);
  const next = changeList(known, given, values.undo === true);
  print(lineOf(list, known));
  if (values.dryRun)
    return printPlan([next.length === 0 ? `delete the secret ${list.secret}` : `set ${lineOf(list, next)}`]);
  await confirm(`Set it to: ${next.join(' ') || 'none'}?`, values);
  const from = performance.now();
  await service.set(list.secret, next.length === 0 ? undefined : next.join(' '));
  print(`${list.secret} is set`);
  const { environment, localnet, url } = options;
  await waitUntilEffective(list, service, next, from).finally(() =>
    reportCommand({ command: 'emergency', args, environment, localnet, url }),
  );
}

const lineOf = ({ secret }: EmergencyList, list: readonly string[]) => `${secret}: ${list.join(' ') || 'none'}`;

/** The value of a secret cannot be read, so the service says what it has. An entry that is not known here would be lost. */
async function knownEntries(
  { secret, field }: EmergencyList,
  service: EmergencyService,
  named: readonly string[] | undefined,
): Promise<readonly string[]> {
  const effective = await service.read().catch((fault: Failure) => fault);
  if (!(effective instanceof Error)) return [...new Set([...effective[field], ...(named ?? [])])];
  if (named !== undefined) return named;
  if (!(await service.hasSecret(secret))) return [];
  throw new Failure(
    `nothing was changed: ${secret} is set, and the service does not say to which value (${effective.message}). ` +
      'Name the whole list with --known: the audit trail and your notes have the earlier commands',
  );
}

const EFFECTIVE_WITHIN_MS = 60_000;

/** Waits until the service answers with the new list. `from`: when the secret was set. */
async function waitUntilEffective(
  list: EmergencyList,
  service: EmergencyService,
  next: readonly string[],
  from: number,
) {
  let answer = 'it did not answer';
  for (const until = from + EFFECTIVE_WITHIN_MS; performance.now() < until; await sleep(500)) {
    const lists = await service.read().catch((fault: Failure) => fault);
    if (lists instanceof Error) answer = lists.message;
    else if (isSame(lists[list.field], next)) {
      print(`the service has it, ${Math.ceil((performance.now() - from) / 1000)} s after the command`);
      return;
    } else answer = lineOf(list, lists[list.field]);
  }
  throw new Failure(
    `${list.secret} is set, and the service did not show it within a minute (${answer}). Run \`list\` until it does`,
  );
}

const isSame = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((each) => other.includes(each));

/** Runs the command, prints its progress, and returns the exit code. */
export const runEmergencyCommand = (args: readonly string[]): Promise<number> =>
  runNpmCommand(emergencyCommand(args), args);

if (import.meta.main) process.exitCode = await runEmergencyCommand(process.argv.slice(2));
