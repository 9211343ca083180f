import { type Command, Option } from 'commander';
import { BUILDS, type BuildName } from '../../../ops/network/gateway-build.ts';
import { wholeNumber } from '../../../packages/cli/src/parse-number.ts';
import { npmCommand, type Run, repeated } from '../../../terminal/command.ts';
import { Failure } from '../../../terminal/failure.ts';
import { filePath, type NodeUrl, nodeUrl } from '../../../terminal/option-values.ts';
import { HARDFORKS } from '../state/node.ts';

export interface DevOptions {
  readonly port: number;
  /** Folder with all state for the next run. */
  readonly state: string | undefined;
  /** URLs by network in order of preference, instead of the localnet's nodes. */
  readonly rpc: Readonly<Record<string, readonly string[]>>;
  /** File that describes a running localnet. */
  readonly localnet: string | undefined;
  /** File with the gateway program of Solana, for the localnet's node. */
  readonly solanaProgram: string | undefined;
  /** Whether it starts no nodes: only the partner in the sandbox has networks. */
  readonly sandbox: boolean;
  /** Whether the keys are in the localnet's key management service. */
  readonly kms: boolean;
  /** The contract of the Ethereum networks; undefined: the protocol's. */
  readonly contract: BuildName | undefined;
  /** Number of gatekeeper keys on each chain. */
  readonly keys: number;
}

/** The localnet authorizes and funds these numbers of keys. */
const MAX_KEYS = 4;
const MAX_KMS_KEYS = 2;

interface Values extends Partial<Omit<DevOptions, 'port' | 'rpc' | 'keys'>> {
  readonly port: number;
  readonly keys: number;
  readonly rpc?: readonly NodeUrl[];
}

export const solanaProgramOption = () =>
  new Option('--solana-program <file>', "file with the gateway program of Solana, for the localnet's node");

export const kmsOption = () => new Option('--kms', "keep the gatekeeper keys in the localnet's key management service");

export const hardforkOption = () =>
  new Option('--hardfork <name>', 'run the Ethereum nodes with the rules of that hardfork, in hardhat').choices(
    HARDFORKS,
  );

export const contractOption = () =>
  new Option(
    '--contract <build>',
    'the contract of the Ethereum networks: the bytecode of the protocol, or SlimGateway',
  ).choices(BUILDS);

export const devCommand = (run: Run<DevOptions>): Command =>
  npmCommand('dev', 'Runs the Worker in a localnet of its own until a signal stops it.')
    .option('--port <number>', 'the port of the Worker', wholeNumber(1, 65_535), 8787)
    .option('--state <dir>', 'folder with all state for the next run')
    .option(
      '--rpc <network=url>',
      "a node of a network, instead of the localnet's; repeat it for several networks, or for several nodes of one",
      repeated(nodeUrl),
    )
    .option('--localnet <file>', 'file that describes a running localnet, like .dev/localnet.json', filePath)
    .option('--sandbox', 'start no nodes: only the sandbox, whose networks are simulated')
    .addOption(solanaProgramOption())
    .addOption(kmsOption())
    .addOption(contractOption())
    .option(
      '--keys <number>',
      `how many gatekeeper keys each chain has, at most ${MAX_KEYS}, with --kms ${MAX_KMS_KEYS}`,
      wholeNumber(1, MAX_KEYS),
      1,
    )
    .action(
      ({ port, state, rpc = [], localnet, solanaProgram, sandbox = false, kms = false, contract, keys }: Values) => {
        const ofNodes = [localnet, solanaProgram, contract].some((each) => each !== undefined);
        if (sandbox && (rpc.length > 0 || ofNodes || kms || keys > 1))
          throw new Failure('--sandbox has no nodes and no keys, so it takes no option about them', 2);
        const ofContract = contract && `--contract ${contract}`;
        const ofLocalnet = kms ? '--kms' : solanaProgram ? '--solana-program FILE' : ofContract;
        if (localnet !== undefined && ofLocalnet)
          throw new Failure(
            `${ofLocalnet.split(' ')[0]} is an option of the command that starts the localnet: \`npm run localnet -- ${ofLocalnet}\``,
            2,
          );
        if (kms && keys > MAX_KMS_KEYS) throw new Failure(`--kms has at most --keys ${MAX_KMS_KEYS}`, 2);
        return run({ port, state, rpc: urlsByNetwork(rpc), localnet, solanaProgram, sandbox, kms, contract, keys });
      },
    );

function urlsByNetwork(nodes: readonly NodeUrl[]): DevOptions['rpc'] {
  const networks = [...Map.groupBy(nodes, ([network]) => network)];
  return Object.fromEntries(networks.map(([network, urls]) => [network, urls.map(([, url]) => url)]));
}
