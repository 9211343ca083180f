import { setTimeout as pause } from 'node:timers/promises';
import { type FeedEvent, type FeedType, signWebhook } from '@gatepass/client';
import { type Command, InvalidArgumentError } from 'commander';
import { type Attempt, forwardEvent } from '../listen/forward-event.ts';
import { forwardFeed } from '../listen/forward-feed.ts';
import { wholeNumber } from '../parse-number.ts';
import { lineOfEvent } from '../print-passes.ts';
import type { Session } from '../session.ts';

interface ListenOptions {
  readonly forwardTo: string;
  readonly after?: number;
  readonly events?: readonly FeedType[];
  readonly print?: boolean;
}

/** The command itself retries, so that it can say so. */
const ONCE = { times: 0 };
const PAGE_EVENTS = 100;
const SECRET_BYTES = 32;

/** Adds the command that delivers the events of the feed to a receiver on this machine. */
export function addListen(program: Command, session: Session): void {
  program
    .command('listen')
    .summary('deliver events to a receiver on your machine, as a webhook does')
    .description(
      'Follows the feed, and posts each new event to a URL, signed as a webhook signs it. The receiver needs no public URL. Ctrl-C ends it.',
    )
    .requiredOption('--forward-to <url>', 'the receiver, for example http://localhost:3000/webhooks', parseTarget)
    .option('--after <sequence>', 'begins after this sequence; without it, with the next new event', wholeNumber(0))
    .option('--events <types>', 'only these types, separated by commas', (text) => text.split(',') as FeedType[])
    .option('--print', 'prints the body of each event')
    .addHelpText('after', HELP)
    .action((options: ListenOptions) => listen(options, session));
}

async function listen({ forwardTo, after, events: types, print }: ListenOptions, session: Session): Promise<void> {
  const { stdout, stderr } = session;
  const given = session.settings().webhookSecret;
  const secret = given ?? newSecret();
  // A malformed secret shows before the first event.
  await signWebhook({ id: 'a', type: 'webhook.test', timestamp: 'now' }, secret);
  const gatepass = session.connect(ONCE);
  const start = after ?? (await session.connect().newestSequence());
  let passed: number | undefined;
  const sayHowToContinue = () => {
    if (passed !== undefined) stderr.print(`stopped: --after ${passed} continues`);
  };
  process.prependOnceListener('SIGINT', sayHowToContinue);
  stdout.print(
    `forwards the events after the sequence ${start} to ${forwardTo}`,
    given === undefined ? `secret of this run: ${secret}` : 'signs with the secret in GATEPASS_WEBHOOK_SECRET',
  );
  try {
    await forwardFeed(start, {
      readEvents: (next) => gatepass.eventPage({ after: next, types, limit: PAGE_EVENTS }),
      forward: (event) => forwardEvent(forwardTo, event, secret),
      show(event, attempt, nextMs) {
        stdout.print(`${lineOfEvent(event)}  ${outcomeOf(event, attempt, nextMs)}`);
        if (print && nextMs === undefined) stdout.printJson(event);
      },
      note: (line) => stderr.print(line),
      onPassed(sequence) {
        passed = sequence;
      },
      pause: (ms) => pause(ms),
    });
  } finally {
    process.removeListener('SIGINT', sayHowToContinue);
  }
}

function outcomeOf({ sequence }: FeedEvent, attempt: Attempt, nextMs: number | undefined): string {
  const { isDelivered, status, error, durationMs } = attempt;
  const answer = `${status ?? error} in ${durationMs} ms`;
  if (isDelivered) return `-> ${answer}`;
  if (nextMs !== undefined) return `-> ${answer}, not delivered: tries again in ${nextMs / 1000} s`;
  const redirect = status !== undefined && status >= 300 && status < 400 ? '. A redirect is not followed' : '';
  const end = status === 410 ? '. A webhook of the service would be disabled' : redirect;
  return `-> ${answer}, not delivered: --after ${sequence - 1} repeats it${end}`;
}

/** Returns the URL of a receiver, also for `localhost:3000/webhooks`. */
function parseTarget(text: string): string {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError('It must be a URL such as http://localhost:3000/webhooks.');
  if (url.username !== '' || url.password !== '')
    throw new InvalidArgumentError('It must have no user name and no password.');
  return url.href;
}

const newSecret = () => `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString('base64')}`;

const HELP = `
Example:
  gatepass listen --forward-to localhost:3000/webhooks --events pass.issued,pass.rejected

Each run has a new secret, unless GATEPASS_WEBHOOK_SECRET has one. A failed delivery is tried three times
again. A webhook of the service tries for longer.`;
