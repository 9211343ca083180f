import type { Command } from 'commander';
import { demandOneOf, demandWith, filePath, LOCALNET_FILE, serviceUrlOption } from '../terminal/option-values.ts';
import type { DeploymentOptions } from './nodes/deployment.ts';

/** The values of the options that `addServiceOptions` adds. */
export interface ServiceValues {
  readonly local?: true;
  readonly localnet?: string;
  readonly env?: string;
  readonly url?: string;
}

/** Adds the options with which a command of the admin API names its service. */
export function addServiceOptions(command: Command): Command {
  return command
    .option('--local', 'the service of a running `npm run dev`')
    .option('--localnet <file>', 'file that describes the localnet; default: .dev/localnet.json', filePath)
    .option('--env <name>', 'the service of this deployment')
    .addOption(serviceUrlOption());
}

/**
 * Returns the service that the options name. Throws Failure if they name none, or contradict each other.
 * @param others Options that name something to work on instead of a service.
 */
export function serviceOf(values: ServiceValues, ...others: readonly string[]): DeploymentOptions {
  demandOneOf(values, 'local', 'env', ...others);
  demandWith(values, 'localnet', 'local');
  const { env: environment, localnet = LOCALNET_FILE, url } = values;
  return { environment, localnet, secrets: undefined, url };
}
