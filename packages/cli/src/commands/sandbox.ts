import { type EventToTrigger, GatepassProblem } from '@gatepass/client';
import { type Command, InvalidArgumentError } from 'commander';
import { Failure } from '../failure.ts';
import { chainWith, networkOption } from '../networks.ts';
import { parseDuration } from '../parse-time.ts';
import type { Session } from '../session.ts';

interface JsonOption {
  readonly json?: boolean;
}

/** The events of this release, for the help. The service may know more. */
const EVENTS = [
  'pass.issued',
  'pass.rejected',
  'pass.renewed',
  'pass.expiry_changed',
  'pass.frozen',
  'pass.unfrozen',
  'pass.revoked',
  'pass.expiring',
  'pass.expired',
  'pass.reorged',
  'pass.change_failed',
  'pass.reference_changed',
  'pass.subject_changed',
  'feed.restored',
  'feed.events_deleted',
] as const satisfies readonly EventToTrigger['type'][];

/** Adds the command that causes an event in a sandbox. */
export function addTrigger(program: Command, session: Session): void {
  program
    .command('trigger')
    .summary('cause an event, in a sandbox')
    .description('Causes an event of the feed with a new pass. Only for clients of a sandbox.')
    .argument('<event>', 'the type of the event, for example pass.rejected')
    .addOption(networkOption())
    .option('--json', 'prints the answer as a line of JSON')
    .addHelpText(
      'after',
      `\nEvents:\n  ${EVENTS.join('\n  ')}\n\nExample:\n  gatepass trigger pass.reorged --network devnet`,
    )
    // The service knows the types, also those of later releases.
    .action(async (type: EventToTrigger['type'], { network, json }: JsonOption & { readonly network?: string }) => {
      const event = { type, ...(network !== undefined && { chain: chainWith(network) }) };
      const triggered = await inSandbox(session, () => session.connect().sandbox.trigger(event));
      if (json) return void session.stdout.printJson(triggered);
      const { pass } = triggered;
      const about = pass === undefined ? '' : ` for ${pass.walletAddress} on ${pass.chain.network}`;
      return void session.stdout.print(`${triggered.type} follows${about}`);
    });
}

/** Adds the command that shows and advances the clock of a sandbox. */
export function addClock(program: Command, session: Session): void {
  program
    .command('clock')
    .summary('print or advance the time of a sandbox')
    .description('Prints the time of the sandbox, or advances it first. It only goes forward, at most 400 days in all.')
    .argument('[advance]', 'for example +90s, +30m, +12h, +8d or +1d12h', parseAdvance)
    .option('--json', 'prints the answer as a line of JSON')
    .addHelpText('after', '\nExample:\n  gatepass clock +8d')
    .action(async (advance: number | undefined, { json }: JsonOption) => {
      const clock = await inSandbox(session, () =>
        advance === undefined ? session.connect().sandbox.clock() : session.connect().sandbox.advanceClock(advance),
      );
      if (json) return void session.stdout.printJson(clock);
      return void session.stdout.print(new Date(clock.now * 1000).toISOString().replace('.000', ''));
    });
}

/** Returns the seconds of `+1d12h`. */
function parseAdvance(text: string): number {
  const [, parts = ''] = /^\+((?:\d{1,9}[smhd])+)$/.exec(text) ?? [];
  const seconds = (parts.match(/\d+[smhd]/g) ?? []).reduce((sum, part) => sum + (parseDuration(part) ?? 0), 0);
  if (seconds > 0) return seconds;
  throw new InvalidArgumentError(
    'It must be a duration after a plus: +90s, +30m, +12h, +8d. The clock only goes forward.',
  );
}

/** Says in words that the client is not in a sandbox. The operations do not exist for it. */
async function inSandbox<Answer>(session: Session, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (fault) {
    if (!(fault instanceof GatepassProblem) || fault.code !== 'not_found') throw fault;
    const { clientId, url } = session.settings();
    throw new Failure(`the client ${clientId} is in no sandbox of ${url}: there, nobody can move time or cause events`);
  }
}
