import { type Command, Option } from 'commander';
import { wholeNumber } from '../../cli/src/parse-number.ts';
import { npmCommand, type Run, repeated } from '../../scripts/command.ts';
import { Failure } from '../../scripts/failure.ts';
import { filePath, type NodeUrl, nodeUrl } from '../../scripts/option-values.ts';

export interface DevOptions {
  readonly port: number;
  /** Folder with all state for the next run. */
  readonly state: string | undefined;
  /** URLs by network, instead of the localnet's nodes. */
  readonly rpc: Readonly<Record<string, string>>;
  /** File that describes a running localnet. */
  readonly localnet: string | undefined;
  /** File with the gateway program of Solana, for the localnet's node. */
  readonly solanaProgram: string | undefined;
}

interface Values extends Partial<Omit<DevOptions, 'port' | 'rpc'>> {
  readonly port: number;
  readonly rpc?: readonly NodeUrl[];
}

export const solanaProgramOption = () =>
  new Option('--solana-program <file>', "file with the gateway program of Solana, for the localnet's node");

export const devCommand = (run: Run<DevOptions>): Command =>
  npmCommand('dev', 'Runs the Worker in a localnet of its own until a signal stops it.')
    .option('--port <number>', 'the port of the Worker', wholeNumber(1, 65_535), 8787)
    .option('--state <dir>', 'folder with all state for the next run')
    .option(
      '--rpc <network=url>',
      "a node of a network, instead of the localnet's; repeat it for several",
      repeated(nodeUrl),
    )
    .option('--localnet <file>', 'file that describes a running localnet, like .dev/localnet.json', filePath)
    .addOption(solanaProgramOption())
    .action(({ port, state, rpc = [], localnet, solanaProgram }: Values) => {
      if (localnet !== undefined && solanaProgram !== undefined)
        throw new Failure(
          '--solana-program is an option of the command that starts the localnet: `npm run localnet -- --solana-program FILE`',
          2,
        );
      return run({ port, state, rpc: Object.fromEntries(rpc), localnet, solanaProgram });
    });
