/** `npm run revoke`: revokes passes, and the tokens of wallets without a pass. */
import type { Command } from 'commander';
import { npmCommand, type Run, repeated, runNpmCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import { chainAddress, demandOneOf, filePath, gatekeeperNetwork, OPERATORS_TOKEN } from '../terminal/option-values.ts';
import { print } from '../terminal/print.ts';
import { openService } from './admin-api.ts';
import { type DryRunValues, dryRunOption } from './dry-run.ts';
import { readDeployment } from './nodes/deployment.ts';
import { listsIn } from './revoke/read-wallets.ts';
import { revoke } from './revoke/revoke.ts';
import { addServiceOptions, type ServiceValues, serviceOf } from './service-options.ts';

export interface RevokeOptions extends ServiceValues, DryRunValues {
  readonly client?: string;
  /** Unix seconds. */
  readonly from?: number;
  readonly to?: number;
  readonly gatekeeperNetwork?: string;
  readonly all?: true;
  readonly passes?: string;
  readonly wallets?: string;
  readonly issuedBy?: readonly string[];
  readonly reason: string;
}

export const revokeCommand = (run: Run<RevokeOptions>): Command =>
  addServiceOptions(
    npmCommand('revoke', `Revokes passes for good. If it is stopped, run the same command again. ${OPERATORS_TOKEN}`),
  )
    .option('--client <id>', 'the passes that this OAuth client issued between --from and --to')
    .option('--from <time>', 'the first second, for example 2026-11-26T09:00:00Z', time)
    .option('--to <time>', 'the last second, for example 2026-11-26T10:30:00Z', time)
    .option('--gatekeeper-network <key>', 'the gatekeeper network of --all, --passes or --wallets', gatekeeperNetwork)
    .option('--all', 'all passes of the gatekeeper network')
    .option('--passes <file>', 'the passes of a CSV file with the columns chain, network and walletAddress', filePath)
    .option(
      '--wallets <file>',
      'the wallets without a pass of the file of `npm run takeover -- scan`. Wallets with a pass are left alone',
      filePath,
    )
    .option(
      '--issued-by <address>',
      'only the tokens of the file that this key issued; repeat it for several',
      repeated(chainAddress),
    )
    .requiredOption('--reason <text>', 'the reason, for the audit trail: 1 to 200 characters')
    .addOption(dryRunOption())
    .action((options: RevokeOptions) => {
      demandSelection(options);
      return run(options);
    });

/** Throws Failure unless the options select in exactly one way. */
function demandSelection(options: RevokeOptions): void {
  const { client, from, to, gatekeeperNetwork, wallets, issuedBy } = options;
  demandOneOf(options, 'client', 'all', 'passes', 'wallets');
  const hasTimes = from !== undefined && to !== undefined;
  if (client !== undefined ? !hasTimes : from !== undefined || to !== undefined)
    throw new Failure('--client requires --from and --to, and only --client takes them', 2);
  if (hasTimes && from > to) throw new Failure('--from must not be after --to', 2);
  if ((client === undefined) !== (gatekeeperNetwork !== undefined))
    throw new Failure('--all, --passes and --wallets require --gatekeeper-network, and --client does not take it', 2);
  if (issuedBy !== undefined && wallets === undefined) throw new Failure('--issued-by requires --wallets', 2);
}

/** Returns the Unix seconds of a time with its time zone. */
function time(text: string): number {
  const ms = /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) throw new Failure('--from and --to must be like 2026-11-26T09:00:00Z', 2);
  return Math.floor(ms / 1000);
}

async function run(options: RevokeOptions): Promise<void> {
  const { reason, dryRun } = options;
  const bodies = selectionsOf(options).map((selection) => ({ ...selection, reason, dryRun }));
  const call = openService(readDeployment(serviceOf(options)));
  print(...(await revoke(call, bodies, print)));
}

/** Returns the fields that select passes: of one request, or of one for each part of a file. */
function selectionsOf({
  client,
  from,
  to,
  gatekeeperNetwork = '',
  passes,
  wallets,
  issuedBy,
}: RevokeOptions): object[] {
  if (client !== undefined) return [{ client, from, to }];
  if (passes !== undefined) return listsIn(passes, gatekeeperNetwork).map((list) => ({ passes: list }));
  if (wallets === undefined) return [{ gatekeeperNetwork }];
  return listsIn(wallets, gatekeeperNetwork, issuedBy).map((list) => ({ wallets: list }));
}

if (import.meta.main) process.exitCode = await runNpmCommand(revokeCommand(run), process.argv.slice(2));
