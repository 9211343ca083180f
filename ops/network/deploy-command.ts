import { type Command, InvalidArgumentError } from 'commander';
import type { Hex } from 'viem';
import type { Run } from '../../scripts/command.ts';
import { Failure } from '../../scripts/failure.ts';
import { chainAddress, filePath } from '../../scripts/option-values.ts';
import { addNodeOptions, type NodeOptions, type NodeValues, nodeOptionsOf } from '../nodes/options.ts';
import { addSendOptions, type SendValues, type Sent, sentOf } from './send-options.ts';

export interface DeployCommand extends Sent {
  readonly type: 'deploy';
  readonly nodes: NodeOptions;
  /** The super admin; undefined: nobody. */
  readonly admin: Hex | undefined;
  readonly adminWithoutCode: boolean;
  /** Undefined: the deterministic deployer. */
  readonly factory: Hex | undefined;
  readonly bringDeployer: boolean;
  readonly keyFile: string | undefined;
  readonly json: boolean;
}

interface Values extends NodeValues, SendValues {
  readonly admin: Hex | 'none';
  readonly adminWithoutCode?: true;
  readonly factory?: Hex;
  readonly bringDeployer?: true;
  readonly keyFile?: string;
  readonly json?: true;
}

/** Adds the verb that deploys a contract. */
export function addDeployCommand(program: Command, run: Run<DeployCommand>): void {
  const command = program
    .command('deploy')
    .description('Deploys a contract of your own, on Ethereum-type networks only. Its address is the same on each.');
  addSendOptions(addNodeOptions(command))
    .option(
      '--admin <none|address>',
      'its super admin, who can replace its code and act for every gatekeeper. none: nobody, ever',
      adminOf,
      'none',
    )
    .option('--admin-without-code', 'allows an admin that is no contract, so that a single key commands it')
    .option('--factory <address>', 'another deterministic factory, which changes the address of the contract', address)
    .option('--bring-deployer', 'creates the deterministic deployer where it is missing, which costs 0.01 coins')
    .option(
      '--key-file <file>',
      'hex key of the account that sends and pays. It gets no rights. Only its owner may be able to read the file',
      filePath,
    )
    .option('--json', 'prints the result as JSON')
    .action((values: Values) => run(commandOf(values)));
}

function commandOf(values: Values): DeployCommand {
  const { admin, factory, keyFile, adminWithoutCode = false, bringDeployer = false, json = false } = values;
  const sent = sentOf(values);
  if ((keyFile === undefined) === (sent.calldata === undefined))
    throw new Failure('name the account that sends with --key-file FILE, or write the calls with --calldata FILE', 2);
  if (bringDeployer && (factory !== undefined || sent.calldata !== undefined))
    throw new Failure('--bring-deployer is for --key-file without --factory', 2);
  const nodes = nodeOptionsOf(values);
  const own = { admin: admin === 'none' ? undefined : admin, adminWithoutCode, factory, bringDeployer };
  return { type: 'deploy', nodes, ...own, keyFile, json, ...sent };
}

function address(text: string): Hex {
  const found = chainAddress(text);
  if (found.startsWith('0x')) return found as Hex;
  throw new InvalidArgumentError('It must be an address of an Ethereum-type network.');
}

const adminOf = (text: string) => (text === 'none' ? text : address(text));
