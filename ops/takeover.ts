/** `npm run takeover -- scan`: reads the tokens that other software issued for a gatekeeper network. */
import type { Command } from 'commander';
import { wholeNumber } from '../packages/cli/src/parse-number.ts';
import type { GatekeeperNetwork } from '../src/network/slot.ts';
import { npmCommand, type Run, repeated, runNpmCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import { chainAddress, filePath, onChainNetwork } from '../terminal/option-values.ts';
import { print, printError } from '../terminal/print.ts';
import { openNodes } from './nodes/open-nodes.ts';
import { addNodeOptions, contractOption, type NodeValues, nodeOptionsOf } from './nodes/options.ts';
import { reportScan } from './takeover/progress.ts';
import { type ScanOptions, scan } from './takeover/scan.ts';

interface Values extends NodeValues {
  readonly gatekeeperNetwork: GatekeeperNetwork;
  readonly out: string;
  readonly fromBlock?: number;
  readonly byIndex?: true;
  readonly gatekeeper?: readonly string[];
}

export function takeoverCommand(run: Run<ScanOptions>): Command {
  const command = npmCommand('takeover', 'Reads the tokens that other software issued for a gatekeeper network.');
  addNodeOptions(
    command
      .command('scan')
      .description(
        'Reads every token of a gatekeeper network into a CSV file. A stopped scan continues if you run the same command again.',
      )
      .requiredOption('--gatekeeper-network <key>', 'the public key of the gatekeeper network', onChainNetwork)
      .requiredOption('--out <file>', 'new file for the tokens', filePath),
  )
    .addOption(contractOption())
    .option(
      '--from-block <number>',
      "the first block whose logs are read, on one Ethereum-type network; default: the block of the contract's deployment, if it is known",
      wholeNumber(0),
    )
    .option('--by-index', "on Ethereum-type networks, reads the contract's list of tokens instead of its logs")
    .option(
      '--gatekeeper <address>',
      'on Solana, a gatekeeper whose tokens are read if the provider refuses to list all tokens; repeat it for several. ' +
        'The gatekeepers of --local and --env are known',
      repeated(chainAddress),
    )
    .action((values: Values) => run(scanOptionsOf(values)));
  return command;
}

function scanOptionsOf(values: Values): ScanOptions {
  const { fromBlock, byIndex = false } = values;
  const nodes = nodeOptionsOf(values);
  if (fromBlock !== undefined) {
    if (byIndex) throw new Failure('--by-index reads no logs, so it does not take --from-block', 2);
    if (nodes.networks.length !== 1) throw new Failure('--from-block requires a single --network', 2);
  }
  return {
    gatekeeperNetwork: values.gatekeeperNetwork,
    nodes,
    out: values.out,
    fromBlock,
    byIndex,
    gatekeepers: [...new Set(values.gatekeeper)],
  };
}

/** Runs the command, prints its result, and returns the exit code. */
export function runTakeoverCommand(args: readonly string[]): Promise<number> {
  const command = takeoverCommand(async (options) => {
    print(...(await scan(options, openNodes(options.nodes), reportScan(), printError)));
  });
  return runNpmCommand(command, args);
}

if (import.meta.main) process.exitCode = await runTakeoverCommand(process.argv.slice(2));
