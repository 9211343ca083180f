import { type Command, Option } from 'commander';
import type { Hex } from 'viem';
import type { Run } from '../../terminal/command.ts';
import { Failure } from '../../terminal/failure.ts';
import {
  accountOrNone,
  addCreationOptions,
  type CreationCommand,
  type CreationValues,
  creationOf,
} from './creation-options.ts';
import { BUILDS, type BuildName } from './gateway-build.ts';

export interface DeployCommand extends CreationCommand {
  readonly type: 'deploy';
  readonly build: BuildName;
  /** The super admin; undefined: nobody. */
  readonly admin: Hex | undefined;
  readonly adminWithoutCode: boolean;
}

interface Values extends Omit<CreationValues, 'contract'> {
  readonly contract: BuildName;
  readonly admin: Hex | 'none';
  readonly adminWithoutCode?: true;
}

/** Adds the verb that deploys a contract. */
export function addDeployCommand(program: Command, run: Run<DeployCommand>): void {
  const command = program
    .command('deploy')
    .description('Deploys a contract of your own, on Ethereum-type networks only. Its address is the same on each.');
  addCreationOptions(command)
    .addOption(
      new Option(
        '--contract <build>',
        'protocol: the bytecode of the protocol. slim: SlimGateway, whose passes take a fifth of the gas. It is tested, not audited',
      )
        .choices(BUILDS)
        .default('protocol'),
    )
    .option(
      '--admin <none|address>',
      'its super admin, who can replace its code and act for every gatekeeper. none: nobody, ever',
      accountOrNone,
      'none',
    )
    .option('--admin-without-code', 'allows an admin that is no contract, so that a single key commands it')
    .action(({ contract: build, admin: given, ...values }: Values) => {
      const { adminWithoutCode = false } = values;
      const admin = given === 'none' ? undefined : given;
      if (build === 'slim' && (admin !== undefined || adminWithoutCode))
        throw new Failure('the contract slim has no admin: omit --admin and --admin-without-code', 2);
      return run({ type: 'deploy', build, admin, adminWithoutCode, ...creationOf(values) });
    });
}
