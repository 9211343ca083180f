import type { Command } from 'commander';
import type { Hex } from 'viem';
import type { GatekeeperNetwork } from '../../src/network/slot.ts';
import type { Run } from '../../terminal/command.ts';
import { onChainNetwork } from '../../terminal/option-values.ts';
import { contractOption } from '../nodes/options.ts';
import {
  accountOrNone,
  addCreationOptions,
  address,
  type CreationCommand,
  type CreationValues,
  creationOf,
  visibleName,
} from './creation-options.ts';

/** A contract that others' contracts ask, and what its constructor needs beside the gateway contract. */
export type Adapter =
  | {
      readonly kind: 'uniswap' | 'erc3643';
      readonly key: GatekeeperNetwork;
      /** Undefined: nobody. */
      readonly owner: Hex | undefined;
    }
  | {
      readonly kind: 'erc7943';
      readonly key: GatekeeperNetwork;
      readonly owner: Hex;
      readonly name: string;
      readonly symbol: string;
    }
  | { readonly kind: 'verdicts'; readonly owner: Hex; readonly verdictKey: Hex };

export interface AdapterCommand extends CreationCommand {
  readonly type: 'adapter';
  readonly adapter: Adapter;
  readonly ownerWithoutCode: boolean;
}

interface Values extends CreationValues {
  readonly owner: Hex | 'none';
  readonly ownerWithoutCode?: true;
  readonly name?: string;
  readonly symbol?: string;
  readonly verdictKey?: Hex;
}

const GATE_OWNER = 'its owner, who can change the contract and the gatekeeper network that it asks about';

/** Adds the verbs that deploy a contract through which somebody else's contracts ask about passes. */
export function addAdapterCommand(program: Command, run: Run<AdapterCommand>): void {
  const adapter = program
    .command('adapter')
    .description(
      "Deploys a contract through which others' contracts ask about passes, on Ethereum-type networks only.",
    );

  for (const [kind, description] of [
    ['uniswap', "The allowlist checker of Uniswap's permissioned pools."],
    ['erc3643', 'The identity registry of a token of ERC-3643 (T-REX).'],
  ] as const)
    addKind(adapter, kind, description)
      .argument('<key>', 'the public key of the gatekeeper network', onChainNetwork)
      .addOption(contractOption())
      .option('--owner <none|address>', `${GATE_OWNER}. none: nobody, ever`, accountOrNone, 'none')
      .action((key: GatekeeperNetwork, values: Values) => {
        const owner = values.owner === 'none' ? undefined : values.owner;
        return run(commandOf({ kind, key, owner }, values));
      });

  addKind(adapter, 'erc7943', 'The example of a token with the interface of ERC-7943, whose owner mints.')
    .argument('<key>', 'the public key of the gatekeeper network', onChainNetwork)
    .addOption(contractOption())
    .requiredOption('--owner <address>', `${GATE_OWNER}, mint, freeze tokens and force transfers`, address)
    .requiredOption('--name <name>', 'the name of the token', visibleName)
    .requiredOption('--symbol <symbol>', 'the symbol of the token', visibleName)
    .action((key: GatekeeperNetwork, values: Values) => {
      const { owner, name, symbol } = values as Required<Values> & { readonly owner: Hex };
      return run(commandOf({ kind: 'erc7943', key, owner, name, symbol }, values));
    });

  addKind(
    adapter,
    'verdicts',
    'The contract that checks signed verdicts. A chain needs one, for all gatekeeper networks.',
  )
    .requiredOption('--owner <address>', 'its owner, who can change the verdict keys', address)
    .requiredOption('--verdict-key <address>', 'the address of the first verdict key', address)
    .action((values: Values) => {
      const { owner, verdictKey } = values as Required<Values> & { readonly owner: Hex };
      return run(commandOf({ kind: 'verdicts', owner, verdictKey }, values));
    });
}

const addKind = (adapter: Command, kind: string, description: string): Command =>
  addCreationOptions(adapter.command(kind).description(description)).option(
    '--owner-without-code',
    'allows an owner that is no contract, so that a single key commands it',
  );

const commandOf = (adapter: Adapter, values: Values): AdapterCommand => {
  const { ownerWithoutCode = false } = values;
  return { type: 'adapter', adapter, ownerWithoutCode, ...creationOf(values) };
};
