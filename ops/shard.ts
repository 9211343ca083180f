/** `npm run shard`: moves a gatekeeper network to another database while the service runs. */
import { type Command, Option } from 'commander';
import { npmCommand, type Run, runNpmCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import { gatekeeperNetwork, OPERATORS_TOKEN, shardName } from '../terminal/option-values.ts';
import { print } from '../terminal/print.ts';
import { type AdminCall, openService } from './admin-api.ts';
import { type DryRunValues, dryRunOption, printPlan, requestStep } from './dry-run.ts';
import { type DeploymentOptions, readDeployment } from './nodes/deployment.ts';
import { demandPartnerOf } from './partner/read-partners.ts';
import { addServiceOptions, type ServiceValues, serviceOf } from './service-options.ts';

/** A parsed command, with the service that it calls. */
export type ShardCommand = { readonly service: DeploymentOptions } & DryRunValues &
  (
    | {
        readonly type: 'move' | 'cancel';
        readonly gatekeeperNetwork: string;
        readonly to: string;
        readonly reason?: string;
      }
    | { readonly type: 'status' }
  );

type MoveValues = ServiceValues & DryRunValues & { readonly to: string; readonly reason?: string };

export function shardCommand(run: Run<ShardCommand>): Command {
  const program = npmCommand(
    'shard',
    `Moves a gatekeeper network to another database while the service runs. ${OPERATORS_TOKEN}`,
  );
  const verb = (name: string, description: string) => addServiceOptions(program.command(name).description(description));
  const ofNetwork = (type: 'move' | 'cancel', description: string) =>
    verb(type, description)
      .argument('<gatekeeper-network>', 'the public key of the gatekeeper network', gatekeeperNetwork)
      .addOption(
        new Option('--to <name>', 'binding of the new database, for example DB_2')
          .argParser(shardName)
          .makeOptionMandatory(),
      )
      .option('--reason <text>', 'why, for the audit trail')
      .addOption(dryRunOption())
      .action((key: string, { to, reason, dryRun, ...values }: MoveValues) =>
        run({
          type,
          service: serviceOf(values),
          gatekeeperNetwork: key,
          to,
          ...(reason && { reason }),
          ...(dryRun && { dryRun }),
        }),
      );
  ofNetwork('move', 'Moves all passes of a gatekeeper network. A stopped command continues if it is run again.');
  ofNetwork('cancel', 'Cancels a move that has not switched to the new database, and deletes the copies there.');
  verb('status', 'Lists the moves that have begun and not ended.').action((values: ServiceValues) =>
    run({ type: 'status', service: serviceOf(values) }),
  );
  return program;
}

/** A move as the admin API shows it. */
interface Move {
  readonly gatekeeperNetwork: string;
  readonly from: string;
  readonly to: string;
  readonly phase: string;
  readonly passes: number;
  readonly events: number;
}

const PHASES: Readonly<Record<string, string>> = {
  clear: 'begins',
  copy: 'copies rows',
  compare: 'compares the copies',
  switch: 'switches',
  settle: 'waits until the whole service reads the new database',
  rest: 'has moved, and its passes are published again; deletes the old rows',
  cancel: 'is canceled; deletes the copies',
  canceled: 'is canceled. It stays where it was',
  done: 'has moved',
};

/** The phases from which a move can be canceled. */
const CANCELABLE = ['clear', 'copy', 'compare'];
const PAUSE =
  'from now on until shortly after the switch, its passes and events are not published. Requests are accepted, and reads are answered as before';

const lineOf = ({ gatekeeperNetwork: key, from, to, phase, passes, events }: Move) =>
  `${key} from ${from} to ${to}: ${PHASES[phase] ?? phase} (${passes} passes and ${events} events copied)`;

/** Repeats the request until the move has ended. Each request does its part by itself, so a lost answer does no harm. */
export async function runShardCommand(
  call: AdminCall,
  given: Omit<ShardCommand, 'service'> & ShardCommand,
  say: (line: string) => void = print,
): Promise<void> {
  if (given.type === 'status') {
    const { moves } = await call<{ moves: Move[] }>('GET', '/admin/moves');
    say(moves.length === 0 ? 'no gatekeeper network moves' : moves.map(lineOf).join('\n'));
    return;
  }
  const { type, gatekeeperNetwork: key, to, reason } = given;
  const body = { gatekeeperNetwork: key, to, reason };
  const first = type === 'cancel' ? { ...body, cancel: true } : body;
  if (given.dryRun) {
    say(await placeOf(call, given));
    return printPlan([`${requestStep('POST', '/admin/moves', first)}, and repeat it until the move has ended`], say);
  }
  let move = await call<Move>('POST', '/admin/moves', first);
  if (type === 'move' && CANCELABLE.includes(move.phase)) say(PAUSE);
  while (move.phase !== 'done' && move.phase !== 'canceled') {
    say(lineOf(move));
    move = await call<Move>('POST', '/admin/moves', body);
  }
  say(lineOf(move));
  const wanted = type === 'move' ? 'done' : 'canceled';
  if (move.phase === wanted) return;
  throw new Failure(
    type === 'move'
      ? 'an earlier cancellation has ended only now: run the command again'
      : 'the move had switched already',
  );
}

/** Returns where the gatekeeper network is or moves. Throws Failure if the service would refuse the request because of that. */
async function placeOf(
  call: AdminCall,
  { type, gatekeeperNetwork: key, to }: Exclude<ShardCommand, { readonly type: 'status' }>,
): Promise<string> {
  const { moves } = await call<{ moves: Move[] }>('GET', '/admin/moves');
  const move = moves.find((each) => each.gatekeeperNetwork === key);
  if (move !== undefined) {
    if (move.to === to) return lineOf(move);
    throw new Failure(`${key} moves to ${move.to}: let that move end, or cancel it`);
  }
  const { shard } = await demandPartnerOf(call, key);
  if (type === 'cancel') throw new Failure(`${key} does not move: it is in ${shard}`);
  return `${key} is in ${shard}, and does not move now`;
}

function run(given: ShardCommand): Promise<void> {
  const deployment = readDeployment(given.service);
  const { environment, shards } = deployment;
  // A local service may bind other databases than the template.
  if (environment !== undefined && given.type !== 'status' && given.dryRun && !shards.includes(given.to))
    throw new Failure(`${environment} binds no database ${given.to}: only ${shards.join(', ')}`);
  return runShardCommand(openService(deployment), given);
}

if (import.meta.main) process.exitCode = await runNpmCommand(shardCommand(run), process.argv.slice(2));
