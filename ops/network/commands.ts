import { type Command, InvalidArgumentError, Option } from 'commander';
import type { GatekeeperNetwork } from '../../src/network/slot.ts';
import { npmCommand, type Run, repeated } from '../../terminal/command.ts';
import { Failure } from '../../terminal/failure.ts';
import { chainAddress, filePath, onChainNetwork } from '../../terminal/option-values.ts';
import { type DryRunValues, dryRunOption } from '../dry-run.ts';
import { addNodeOptions, contractOption, type NodeOptions, type NodeValues, nodeOptionsOf } from '../nodes/options.ts';
import { type AdapterCommand, addAdapterCommand } from './adapter-command.ts';
import { visibleName } from './creation-options.ts';
import { addDeployCommand, type DeployCommand } from './deploy-command.ts';
import { addSendOptions, type SendValues, type Sent, sentOf } from './send-options.ts';

export type Verb = 'create' | 'add-gatekeeper' | 'remove-gatekeeper' | 'add-authority' | 'remove-authority' | 'rename';

export interface ChangeCommand extends Sent {
  readonly type: Verb;
  readonly key: GatekeeperNetwork;
  /** Canonical addresses on either chain; empty: the deployment's gatekeeper keys. */
  readonly addresses: readonly string[];
  /** New name, for `create` and `rename`. */
  readonly name: string | undefined;
  readonly nodes: NodeOptions;
  readonly keyFiles: readonly string[];
  readonly authority: string | undefined;
}

export interface ShowCommand extends Pick<ChangeCommand, 'key' | 'addresses' | 'nodes' | 'keyFiles' | 'authority'> {
  readonly type: 'show';
  readonly json: boolean;
}

export interface TrustCommand extends Pick<ChangeCommand, 'key' | 'nodes' | 'keyFiles' | 'authority'> {
  readonly type: 'trust';
  /** The operator's accounts on either chain. */
  readonly known: readonly string[];
  readonly scanLogs: boolean;
  readonly json: boolean;
}

export type NetworkCommand =
  | ({ readonly type: 'keygen'; readonly out: string } & DryRunValues)
  | ShowCommand
  | TrustCommand
  | DeployCommand
  | AdapterCommand
  | ChangeCommand;

interface Values extends NodeValues {
  readonly authorityKeyFile?: readonly string[];
  readonly authority?: string;
}

interface ChangeValues extends Values, SendValues {
  readonly name?: string;
}

interface TrustValues extends Values {
  readonly known?: readonly string[];
  readonly scanLogs?: true;
  readonly json?: true;
}

/** The description of each verb, and the addresses that it takes. */
const CHANGES: Readonly<Record<Verb, readonly [description: string, addresses?: string, parse?: typeof chainAddress]>> =
  {
    create: ['Creates it, and adds the gatekeepers.', '[address...]', chainAddress],
    'add-gatekeeper': ['Adds gatekeepers.', '[address...]', chainAddress],
    'remove-gatekeeper': ['Removes gatekeepers.', '<address...>', chainAddress],
    'add-authority': ['Adds authorities, on Ethereum-type networks only.', '<address...>', authorityAddress],
    'remove-authority': ['Removes authorities, on Ethereum-type networks only.', '<address...>', authorityAddress],
    rename: ['Changes its name, on Ethereum-type networks only.'],
  };

/** Returns the command with its verbs. */
export function networkCommand(run: Run<NetworkCommand>): Command {
  const program = npmCommand('network', 'Creates and changes a gatekeeper network on the chains themselves.');
  program
    .command('keygen')
    .description('Creates the key pair that names a gatekeeper network on every chain.')
    .requiredOption('--out <file>', 'new file for the key pair', filePath)
    .addOption(dryRunOption())
    .action((values: { readonly out: string } & DryRunValues) => run({ type: 'keygen', ...values }));

  addDeployCommand(program, run);
  addAdapterCommand(program, run);

  addSubject(program.command('show').description('Shows a gatekeeper network on each named network.'))
    .argument('[address...]', ADDRESSES, repeated(chainAddress))
    .option('--json', 'prints JSON')
    .action((key: GatekeeperNetwork, addresses: readonly string[], values: Values & { readonly json?: true }) =>
      run({ type: 'show', ...subjectOf(key, addresses, values), json: values.json ?? false }),
    );

  addSubject(
    program.command('trust').description('Shows who controls the contract or the program of each named network.'),
  )
    .option('--known <address>', 'an account of yours; repeat it for several', repeated(chainAddress))
    .option('--scan-logs', 'also asks about the accounts in all logs of the contract, and shows who issued tokens')
    .option('--json', 'prints JSON')
    .action((key: GatekeeperNetwork, values: TrustValues) => {
      const { addresses: known, ...subject } = subjectOf(key, values.known ?? [], values);
      return run({ type: 'trust', ...subject, known, scanLogs: values.scanLogs ?? false, json: values.json ?? false });
    });

  for (const type of Object.keys(CHANGES) as Verb[]) {
    const [description, addresses, parse = chainAddress] = CHANGES[type];
    const command = addSubject(program.command(type).description(description));
    if (addresses !== undefined) command.argument(addresses, ADDRESSES, repeated(parse));
    if (type === 'create' || type === 'rename') command.requiredOption('--name <name>', 'its name', visibleName);
    addSendOptions(command).action((key: GatekeeperNetwork, ...rest: readonly unknown[]) => {
      const [given, values] = (addresses === undefined ? [[], ...rest] : rest) as [string[], ChangeValues];
      return run(changeOf(type, subjectOf(key, given, values), values));
    });
  }
  return program;
}

const ADDRESSES = 'addresses; without any: the gatekeeper keys of the deployment (--local, --env)';

/** Adds the gatekeeper network, the networks and the account that all of these verbs take. */
function addSubject(command: Command): Command {
  return addNodeOptions(command.argument('<key>', 'the public key of the gatekeeper network', onChainNetwork))
    .addOption(contractOption())
    .option(
      '--authority-key-file <file>',
      'key of the account that sends: hex for Ethereum-type networks, the JSON array of solana-keygen for Solana. ' +
        'Repeat it for both. Only its owner may be able to read the file',
      repeated(filePath),
    )
    .addOption(
      new Option(
        '--authority <address>',
        'for show, trust and --calldata: the account on Ethereum-type networks, instead of a key file',
      )
        .argParser(authorityAddress)
        .conflicts('authorityKeyFile'),
    );
}

function subjectOf(key: GatekeeperNetwork, addresses: readonly string[], values: Values) {
  return {
    key,
    addresses: [...new Set(addresses)],
    nodes: nodeOptionsOf(values),
    keyFiles: values.authorityKeyFile ?? [],
    authority: values.authority,
  };
}

function changeOf(type: Verb, subject: ReturnType<typeof subjectOf>, values: ChangeValues): ChangeCommand {
  const sent = sentOf(values);
  const { calldata } = sent;
  if (calldata === undefined && subject.authority !== undefined)
    throw new Failure('--authority sends nothing: give --authority-key-file FILE, or --calldata FILE', 2);
  if (calldata === undefined && subject.keyFiles.length === 0)
    throw new Failure('name the key of the account that sends with --authority-key-file FILE', 2);
  return { type, ...subject, name: values.name, ...sent };
}

function authorityAddress(text: string): string {
  const address = chainAddress(text);
  if (address.startsWith('0x')) return address;
  throw new InvalidArgumentError('It must be an address of an Ethereum-type network: Solana has no authorities.');
}
