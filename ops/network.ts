/** `npm run network -- VERB`: creates and changes a gatekeeper network on the chains themselves, and deploys its contracts. */
import { printableJson } from '../packages/cli/src/printable.ts';
import { deriveSlot } from '../src/network/slot.ts';
import { runNpmCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import { print } from '../terminal/print.ts';
import { printPlan } from './dry-run.ts';
import { changeNetworks } from './network/change-networks.ts';
import { type NetworkCommand, networkCommand } from './network/commands.ts';
import { adapterJson, deployAdapters, formatAdapter } from './network/deploy-adapters.ts';
import { deployContracts, formatDeployment } from './network/deploy-contracts.ts';
import { createKeyFile } from './network/key-files.ts';
import { formatShown, showNetworks } from './network/show.ts';
import { formatTrust, isTrusted, readTrusts } from './network/trust.ts';
import { reportNodesCommand } from './report-command.ts';

async function run(command: NetworkCommand, args: readonly string[]): Promise<void> {
  const report = () => ('nodes' in command ? reportNodesCommand('network', args, command.nodes.source) : undefined);
  switch (command.type) {
    case 'keygen': {
      if (command.dryRun) return printPlan([`write a new key pair to ${command.out}, which only its owner may read`]);
      const key = createKeyFile(command.out);
      print(`gatekeeper network: ${key}`);
      print(`slot on Ethereum-type networks: 0x${deriveSlot(key).toString(16)}`);
      print(`${command.out} has its key pair. On Solana, whoever has the file controls the gatekeeper network.`);
      return;
    }
    case 'show': {
      const shown = await showNetworks(command);
      print(...(command.json ? printableJson(shown, 2).split('\n') : shown.flatMap(formatShown)));
      if (shown.some((each) => 'error' in each)) throw new Failure('some networks could not be read');
      return;
    }
    case 'deploy': {
      const result = await deployContracts(command, report);
      if (result === undefined) return;
      print(...(command.json ? printableJson(result, 2).split('\n') : formatDeployment(result)));
      return;
    }
    case 'adapter': {
      const deployed = await deployAdapters(command, report);
      if (deployed === undefined) return;
      print(...(command.json ? printableJson(adapterJson(deployed), 2).split('\n') : deployed.flatMap(formatAdapter)));
      return;
    }
    case 'trust': {
      const trusts = await readTrusts(command);
      print(...(command.json ? printableJson(trusts, 2).split('\n') : trusts.flatMap(formatTrust)));
      if (!trusts.every(isTrusted)) throw new Failure('somebody else controls a contract, or it is unknown who does');
      return;
    }
    default:
      await changeNetworks(command, report);
  }
}

/** Runs the command, prints its result, and returns the exit code. */
export const runNetworkCommand = (args: readonly string[]): Promise<number> =>
  runNpmCommand(
    networkCommand((command) => run(command, args)),
    args,
  );

if (import.meta.main) process.exitCode = await runNetworkCommand(process.argv.slice(2));
