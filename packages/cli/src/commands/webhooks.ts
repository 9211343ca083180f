import type { Delivery, FeedType, Gatepass, NewWebhook, Webhook } from '@gatepass/client';
import { type Command, Option } from 'commander';
import { confirm } from '../confirm.ts';
import type { Output } from '../output.ts';
import { limitPages } from '../page-limit.ts';
import { wholeNumber } from '../parse-number.ts';
import { parsePastTime } from '../parse-time.ts';
import { printLines, printTable } from '../print-passes.ts';
import { EXIT, type ExitCode, type Session } from '../session.ts';

interface JsonOption {
  readonly json?: boolean;
}

interface YesOption {
  readonly yes?: boolean;
}

const OUTCOMES = ['delivered', 'failed', 'given_up'];

interface DeliveryFilter {
  readonly status?: string;
  readonly type?: readonly string[];
  /** Unix seconds. */
  readonly since?: number;
}

/** Adds the commands that manage webhooks. */
export function addWebhooks(program: Command, session: Session, finish: (code: ExitCode) => void): void {
  const { stdout, stderr } = session;
  const connect = () => session.connect().webhooks;
  const webhooks = program.command('webhooks').description('Manages the webhooks of your gatekeeper network.');
  const add = (name: string, description: string) =>
    webhooks.command(name).description(description).option('--json', 'prints lines of JSON');

  add('list', 'Prints the webhooks.').action(async ({ json }: JsonOption) => {
    const list = await connect().list();
    if (json) printLines(list, stdout);
    else if (list.length > 0) printWebhooks(list, stdout);
    else stderr.print('no webhooks');
  });

  add('add', 'Creates a webhook, and prints its secret.')
    .argument('<url>', 'the URL to which events are delivered')
    .option('--types <types>', 'only these types, separated by commas', (text) => text.split(',') as FeedType[])
    .option('--description <text>', 'a text for people')
    .action(async (url: string, { json, ...body }: JsonOption & Omit<NewWebhook, 'url'>) => {
      const created = await connect().create({ url, ...body });
      if (json) return printLines([created], stdout);
      printWebhooks([created], stdout);
      stdout.print('', `secret: ${created.secret}`);
      stderr.print('Store the secret now: the service does not show it again.');
    });

  add('test', 'Sends a test delivery, and prints its outcome.')
    .argument('<id>', 'the id of the webhook')
    .action(async (id: string, { json }: JsonOption) => {
      const tested = await connect().test(id);
      const { delivered, status, durationMs, error } = tested;
      const outcome = [
        delivered ? 'delivered' : 'not delivered',
        status && `status ${status}`,
        `${durationMs} ms`,
        error,
      ];
      if (json) printLines([tested], stdout);
      else stdout.print(outcome.filter(Boolean).join(', '));
      if (!delivered) finish(EXIT.someFailed);
    });

  add('rotate-secret', 'Replaces the secret, and prints the new one.')
    .argument('<id>', 'the id of the webhook')
    .option('--yes', 'does not ask for a confirmation')
    .action(async (id: string, { json, yes }: JsonOption & YesOption) => {
      const question = `Replace the secret of ${id}? The previous one signs for one more day.`;
      await confirm(question, 'the rotation', { yes }, session);
      const rotated = await connect().rotateSecret(id);
      if (json) return printLines([rotated], stdout);
      const { secret, previousValidUntil } = rotated;
      stdout.print(`secret: ${secret}`, `The previous secret signs too until ${previousValidUntil}.`);
      stderr.print('Store the secret now: the service does not show it again.');
    });

  add('replay', 'Delivers all events after a sequence again.')
    .argument('<id>', 'the id of the webhook')
    .requiredOption('--after <sequence>', 'the sequence', wholeNumber(0))
    .action(async (id: string, { after, json }: JsonOption & { after: number }) => {
      const replayed = await connect().replay(id, after);
      if (json) printLines([replayed], stdout);
      else stdout.print(`${id} continues after the sequence ${replayed.cursor}`);
    });

  add('deliveries', 'Prints the newest deliveries, newest first. The service keeps 1,000 of each webhook.')
    .argument('<id>', 'the id of the webhook')
    .addOption(new Option('--status <outcome>', 'only deliveries with this outcome').choices(OUTCOMES))
    .option('--type <types>', 'only events of these types, separated by commas', (text) => text.split(','))
    .option(
      '--since <time>',
      'only deliveries since this time (UTC), or in the last hours, for example 2h',
      parsePastTime,
    )
    .option('--limit <number>', 'the maximum number of deliveries', wholeNumber(1), 50)
    .action(async (id: string, { json, limit, ...filter }: JsonOption & DeliveryFilter & { limit: number }) => {
      const found = (await readDeliveries(id, connect())).filter((each) => matches(each, filter));
      const deliveries = found.toReversed().slice(0, limit);
      if (json) return printLines(deliveries, stdout);
      if (deliveries.length > 0) printDeliveries(deliveries, stdout);
      else stderr.print('no deliveries');
      if (found.length > limit) stderr.print(`the newest ${limit} of ${found.length}. --limit gives more`);
    });

  add('remove', 'Deletes a webhook.')
    .argument('<id>', 'the id of the webhook')
    .option('--yes', 'does not ask for a confirmation')
    .action(async (id: string, { yes }: YesOption) => {
      await confirm(`Delete the webhook ${id}?`, 'the deletion', { yes }, session);
      await connect().remove(id);
      stdout.print(`${id} is deleted`);
    });
}

/** Returns all deliveries that the service keeps, oldest first. */
async function readDeliveries(id: string, webhooks: Gatepass['webhooks']): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  const countPage = limitPages(DELIVERY_PAGES_MAX);
  let after = 0;
  for (;;) {
    const page = await webhooks.deliveries(id, { after, limit: DELIVERIES_PER_PAGE });
    deliveries.push(...page.deliveries);
    if (!page.more) return deliveries;
    countPage(page.deliveries.length);
    after = page.next;
  }
}

const DELIVERIES_PER_PAGE = 1_000;
/** The service keeps one page. Deliveries that are made meanwhile add some. */
const DELIVERY_PAGES_MAX = 10;

function matches({ outcome, type, at }: Delivery, { status, type: types, since }: DeliveryFilter): boolean {
  if (status !== undefined && outcome !== status) return false;
  if (types !== undefined && !types.includes(type)) return false;
  return since === undefined || Date.parse(at) >= since * 1000;
}

function printWebhooks(webhooks: readonly Webhook[], stdout: Output): void {
  const rows = webhooks.map(({ id, url, status, types, cursor }) => [
    id,
    url,
    status,
    types?.join(',') ?? 'all',
    String(cursor),
  ]);
  printTable(['id', 'url', 'status', 'types', 'cursor'], rows, stdout);
}

function printDeliveries(deliveries: readonly Delivery[], stdout: Output): void {
  const rows = deliveries.map(({ number, at, type, event, attempt, outcome, status, durationMs, error }) => [
    String(number),
    at,
    type,
    event,
    String(attempt),
    outcome,
    [status, error].filter(Boolean).join(' '),
    `${durationMs} ms`,
  ]);
  printTable(['number', 'time', 'type', 'event', 'attempt', 'outcome', 'status', 'duration'], rows, stdout);
}
