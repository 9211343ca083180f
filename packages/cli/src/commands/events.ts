import { setTimeout as pause } from 'node:timers/promises';
import { type EventPage, type FeedType, GatepassProblem } from '@gatepass/client';
import type { Command } from 'commander';
import { readCursor, storeCursor } from '../cursor-file.ts';
import { Failure } from '../failure.ts';
import { limitPages } from '../page-limit.ts';
import { wholeNumber } from '../parse-number.ts';
import { lineOfEvent, printLines } from '../print-passes.ts';
import type { Session } from '../session.ts';

const POLL_MS = 5_000;
const PATIENT = { times: Number.POSITIVE_INFINITY, withinMs: Number.POSITIVE_INFINITY };

interface EventOptions {
  readonly follow?: boolean;
  readonly after?: number;
  readonly cursor: string;
  readonly type?: readonly FeedType[];
  readonly json?: boolean;
}

/** Adds the command that prints the event feed. */
export function addEvents(program: Command, session: Session): void {
  program
    .command('events')
    .summary('print the event feed')
    .description('Prints the events of your passes in order, from the oldest on, or after a sequence.')
    .option('--follow', 'waits for new events, and stores how far it is in a file')
    .option('--after <sequence>', 'begins after this sequence', wholeNumber(0))
    .option('--cursor <file>', 'the file in which --follow stores the sequence', '.gatepass-cursor.json')
    .option('--type <types>', 'only these types, separated by commas', (text) => text.split(',') as FeedType[])
    .option('--json', 'prints each event as a line of JSON')
    .addHelpText('after', '\nExample:\n  gatepass events --follow --type pass.revoked,pass.frozen')
    .action((options: EventOptions) => printFeed(options, session));
}

async function printFeed({ follow, after, cursor, type: types, json }: EventOptions, session: Session): Promise<void> {
  const owner = session.settings();
  let next = after ?? (follow ? readCursor(cursor, owner) : undefined);
  // A wrong URL or secret must not be retried forever.
  let gatepass = session.connect();
  let isFirst = true;
  // Following has no end.
  const countPage = limitPages(follow ? Number.POSITIVE_INFINITY : undefined);
  for (;;) {
    const page: EventPage = await gatepass.eventPage({ after: next, types, limit: 1_000 }).catch(explainCursor);
    if (json) printLines(page.events, session.stdout);
    else session.stdout.print(...page.events.map(lineOfEvent));
    next = page.next;
    // A killed command leaves a complete file.
    if (follow) storeCursor(cursor, owner, page.next);
    if (!page.more && !follow) return;
    if (page.more) countPage(page.events.length);
    else await pause(POLL_MS);
    if (follow && isFirst) gatepass = session.connect(PATIENT);
    isFirst = false;
  }
}

function explainCursor(fault: unknown): never {
  if (!(fault instanceof GatepassProblem) || fault.code !== 'cursor_expired') throw fault;
  const before = (fault.oldest ?? 1) - 1;
  throw new Failure(
    `events after this sequence are deleted. Read your passes again with search, and use --after ${before}`,
  );
}
