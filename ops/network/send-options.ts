import type { Command } from 'commander';
import { filePath } from '../../terminal/option-values.ts';
import { PROJECT } from '../../terminal/wrangler.ts';
import { yesOption } from '../confirm.ts';
import { dryRunOption } from '../dry-run.ts';

/** How a verb sends its transactions, or writes their calls. */
export interface Sent {
  /** File for the calls. If it is given, the verb sends nothing. */
  readonly calldata: string | undefined;
  /** File with the transactions under way. */
  readonly state: string;
  readonly yes: boolean;
  /** Whether the verb says only what it would send. */
  readonly isDryRun: boolean;
  readonly mainnet: boolean;
}

export interface SendValues {
  readonly local?: true;
  readonly calldata?: string;
  readonly state?: string;
  readonly yes?: true;
  readonly dryRun?: true;
  readonly mainnet?: true;
}

/** Adds the options of a verb that sends transactions. */
export function addSendOptions(command: Command): Command {
  return command
    .option(
      '--calldata <file>',
      "sends nothing, and writes the calls for Safe's transaction builder. Several networks get a file each",
      filePath,
    )
    .option(
      '--state <file>',
      'file with the transactions under way; default: .dev/network-transactions.json, with --local .dev/local-network-transactions.json',
      filePath,
    )
    .addOption(yesOption())
    .addOption(dryRunOption().conflicts('calldata'))
    .option('--mainnet', 'allows transactions on mainnets');
}

export function sentOf({ local, calldata, state, yes, dryRun, mainnet }: SendValues): Sent {
  // A rehearsal on the localnet uses the chain ids of real networks, so its transactions must never be sent there.
  const file = state ?? filePath(`${PROJECT}/.dev/${local ? 'local-' : ''}network-transactions.json`);
  return { calldata, state: file, yes: yes ?? false, isDryRun: dryRun ?? false, mainnet: mainnet ?? false };
}
