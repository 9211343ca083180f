import type { Command } from 'commander';
import type { Hex } from 'viem';
import type { Run } from '../../terminal/command.ts';
import {
  accountOrNone,
  addCreationOptions,
  type CreationCommand,
  type CreationValues,
  creationOf,
} from './creation-options.ts';

export interface DeployCommand extends CreationCommand {
  readonly type: 'deploy';
  /** The super admin; undefined: nobody. */
  readonly admin: Hex | undefined;
  readonly adminWithoutCode: boolean;
}

interface Values extends CreationValues {
  readonly admin: Hex | 'none';
  readonly adminWithoutCode?: true;
}

/** Adds the verb that deploys a contract. */
export function addDeployCommand(program: Command, run: Run<DeployCommand>): void {
  const command = program
    .command('deploy')
    .description('Deploys a contract of your own, on Ethereum-type networks only. Its address is the same on each.');
  addCreationOptions(command)
    .option(
      '--admin <none|address>',
      'its super admin, who can replace its code and act for every gatekeeper. none: nobody, ever',
      accountOrNone,
      'none',
    )
    .option('--admin-without-code', 'allows an admin that is no contract, so that a single key commands it')
    .action((values: Values) => {
      const { admin, adminWithoutCode = false } = values;
      const own = { admin: admin === 'none' ? undefined : admin, adminWithoutCode };
      return run({ type: 'deploy', ...own, ...creationOf(values) });
    });
}
