import { printableJson } from '../../cli/src/printable.ts';
import { Failure, reportFailure } from '../../scripts/failure.ts';
import { print } from '../../scripts/print.ts';
import { deriveSlot } from '../../src/network/slot.ts';
import { changeNetworks } from './change-networks.ts';
import { createKeyFile } from './key-files.ts';
import { type NetworkCommand, parseNetworkCommand, USAGE } from './options.ts';
import { formatShown, showNetworks } from './show.ts';

/** Runs the command, prints its result, and returns the exit code. */
export async function runNetworkCommand(args: readonly string[]): Promise<number> {
  try {
    await run(parseNetworkCommand(args));
    return 0;
  } catch (error) {
    return reportFailure(error);
  }
}

async function run(command: NetworkCommand): Promise<void> {
  switch (command.type) {
    case 'help':
      print(...USAGE.split('\n'));
      return;
    case 'keygen': {
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
    default:
      await changeNetworks(command);
  }
}
