import { type Command, InvalidArgumentError } from 'commander';
import type { Hex } from 'viem';
import { isVisibleText, VISIBLE_TEXT_RULE } from '../../src/lib/characters.ts';
import { Failure } from '../../terminal/failure.ts';
import { chainAddress, filePath } from '../../terminal/option-values.ts';
import { addNodeOptions, type NodeOptions, type NodeValues, nodeOptionsOf } from '../nodes/options.ts';
import { addSendOptions, type SendValues, type Sent, sentOf } from './send-options.ts';

/** A verb that creates contracts through a deterministic factory. */
export interface CreationCommand extends Sent {
  readonly nodes: NodeOptions;
  /** Undefined: the deterministic deployer. */
  readonly factory: Hex | undefined;
  readonly bringDeployer: boolean;
  readonly keyFile: string | undefined;
  readonly json: boolean;
}

export interface CreationValues extends NodeValues, SendValues {
  readonly factory?: Hex;
  readonly bringDeployer?: true;
  readonly keyFile?: string;
  readonly json?: true;
}

/** Adds the options of a verb that creates contracts. */
export function addCreationOptions(command: Command): Command {
  return addSendOptions(addNodeOptions(command))
    .option('--factory <address>', 'another deterministic factory, which changes the address of the contract', address)
    .option('--bring-deployer', 'creates the deterministic deployer where it is missing, which costs 0.01 coins')
    .option(
      '--key-file <file>',
      'hex key of the account that sends and pays. It gets no rights. Only its owner may be able to read the file',
      filePath,
    )
    .option('--json', 'prints the result as JSON');
}

/** Returns the values of those options. Throws Failure if they contradict each other. */
export function creationOf(values: CreationValues): CreationCommand {
  const { factory, keyFile, bringDeployer = false, json = false } = values;
  const sent = sentOf(values);
  if ((keyFile === undefined) === (sent.calldata === undefined))
    throw new Failure('name the account that sends with --key-file FILE, or write the calls with --calldata FILE', 2);
  if (bringDeployer && (factory !== undefined || sent.calldata !== undefined))
    throw new Failure('--bring-deployer is for --key-file without --factory', 2);
  return { nodes: nodeOptionsOf(values), factory, bringDeployer, keyFile, json, ...sent };
}

/** Parses an account of an Ethereum-type network. */
export function address(text: string): Hex {
  const found = chainAddress(text);
  if (found.startsWith('0x')) return found as Hex;
  throw new InvalidArgumentError('It must be an address of an Ethereum-type network.');
}

/** Parses an account that may be nobody. */
export const accountOrNone = (text: string): Hex | 'none' => (text === 'none' ? text : address(text));

const NAME_MAX_CHARS = 100;

/** Parses a name on chain. In an older build of the contract, anybody can create a gatekeeper network with an empty name again. */
export function visibleName(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  if (text.length > NAME_MAX_CHARS)
    throw new InvalidArgumentError(`It must have at most ${NAME_MAX_CHARS} characters.`);
  if (!isVisibleText(text)) throw new InvalidArgumentError(`It ${VISIBLE_TEXT_RULE}.`);
  return text;
}
