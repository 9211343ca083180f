import { Argument, type Command } from 'commander';
import type { Hex } from 'viem';
import type { GatekeeperNetwork } from '../../src/network/slot.ts';
import type { Run } from '../../terminal/command.ts';
import { onChainNetwork } from '../../terminal/option-values.ts';
import { contractOption } from '../nodes/options.ts';
import {
  accountOrNone,
  addCreationOptions,
  type CreationCommand,
  type CreationValues,
  creationOf,
} from './creation-options.ts';

export interface AdapterCommand extends CreationCommand {
  readonly type: 'adapter';
  readonly key: GatekeeperNetwork;
  /** The owner of the checker; undefined: nobody. */
  readonly owner: Hex | undefined;
  readonly ownerWithoutCode: boolean;
}

interface Values extends CreationValues {
  readonly owner: Hex | 'none';
  readonly ownerWithoutCode?: true;
}

/** Adds the verb that deploys a contract through which somebody else's contracts ask about passes. */
export function addAdapterCommand(program: Command, run: Run<AdapterCommand>): void {
  const command = program
    .command('adapter')
    .description(
      "Deploys a contract through which others' contracts ask about passes, on Ethereum-type networks only: for `uniswap`, the " +
        "allowlist checker of Uniswap's permissioned pools.",
    )
    .addArgument(new Argument('<kind>', 'whose contracts ask').choices(['uniswap']))
    .argument('<key>', 'the public key of the gatekeeper network', onChainNetwork);
  addCreationOptions(command)
    .addOption(contractOption())
    .option(
      '--owner <none|address>',
      'its owner, who can change the contract and the gatekeeper network that it asks about. none: nobody, ever',
      accountOrNone,
      'none',
    )
    .option('--owner-without-code', 'allows an owner that is no contract, so that a single key commands it')
    .action((_kind: string, key: GatekeeperNetwork, values: Values) => {
      const { owner, ownerWithoutCode = false } = values;
      const own = { owner: owner === 'none' ? undefined : owner, ownerWithoutCode };
      return run({ type: 'adapter', key, ...own, ...creationOf(values) });
    });
}
