/** `npm run facts`: prints the facts about the networks, their sources, and when a person last checked each. */
import type { Command } from 'commander';
import { nowSeconds } from '../src/lib/units.ts';
import { npmCommand, type Run, runNpmCommand } from '../terminal/command.ts';
import { formatTable, print } from '../terminal/print.ts';
import { FACT_NAMES, factFaults, factsAt } from './facts/network-facts.ts';

const factsCommand = (run: Run<object>): Command =>
  npmCommand(
    'facts',
    'Prints the facts about the networks, their sources, and when a person last checked each.',
  ).action(run);

export const runFactsCommand = (args: readonly string[], now = nowSeconds()): Promise<number> =>
  runNpmCommand(
    factsCommand(() => printFacts(now)),
    args,
  );

/** Prints a table of each kind of fact, with a row for each network. */
function printFacts(now: number): void {
  const facts = factsAt(now);
  for (const name of FACT_NAMES) {
    const rows = facts.filter((fact) => fact.name === name);
    const cells = rows.map(({ network, value, checked, source }) => [network, value, checked, source]);
    print(...formatTable(['network', name, 'checked', 'source'], cells).split('\n'), '');
  }
  const faults = factFaults(facts, now);
  print(
    faults.length === 0
      ? 'A release may be named with these facts.'
      : `${faults.length} facts are too old for a release.`,
  );
}

if (import.meta.main) process.exitCode = await runFactsCommand(process.argv.slice(2));
