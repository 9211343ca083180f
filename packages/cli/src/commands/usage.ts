import type { Command } from 'commander';
import { printLines, printTable } from '../print-passes.ts';
import type { Session } from '../session.ts';

interface UsageOptions {
  readonly month?: string;
  readonly json?: boolean;
}

/** Adds the command that prints the usage of a month. */
export function addUsage(program: Command, session: Session): void {
  program
    .command('usage')
    .summary('print the passes issued, renewed and revoked in a month')
    .description('Prints the passes issued, renewed and revoked in a month by network, and the active ones now.')
    .option('--month <month>', 'the month in UTC, for example 2026-11; without it, the current one')
    .option('--json', 'prints each network as a line of JSON')
    .action(async ({ month, json }: UsageOptions) => {
      const usage = await session.connect().usage(month === undefined ? {} : { month });
      if (json) return printLines(usage.networks, session.stdout);
      if (usage.networks.length === 0) return void session.stderr.print('no passes yet');
      const rows = usage.networks.map(({ chain, issued, renewed, revoked, active }) => [
        chain.network,
        ...[issued, renewed, revoked, active].map(String),
      ]);
      printTable([`in ${usage.month}`, 'issued', 'renewed', 'revoked', 'active now'], rows, session.stdout);
    });
}
