/** `npm run doctor`: checks whether a service can work with its configuration, and prints a remedy for each failed check. */
import type { Command } from 'commander';
import type { GatekeeperNetwork } from '../src/network/slot.ts';
import { stopChildren } from '../terminal/child-process.ts';
import { npmCommand, type Run, repeated, runNpmCommand } from '../terminal/command.ts';
import {
  demandOneOf,
  demandWith,
  filePath,
  LOCALNET_FILE,
  onChainNetwork,
  serviceUrl,
} from '../terminal/option-values.ts';
import { lineOf, summaryOf } from './doctor/check.ts';
import { withCompromisedKeys } from './doctor/compromised-keys.ts';
import { examine } from './doctor/examine.ts';
import { type DeploymentOptions, readDeployment } from './nodes/deployment.ts';

export interface DoctorOptions extends DeploymentOptions {
  readonly gatekeeperNetworks: readonly GatekeeperNetwork[];
}

interface Values {
  readonly env?: string;
  readonly secrets?: string;
  readonly local?: true;
  readonly localnet?: string;
  readonly url?: string;
  readonly gatekeeperNetwork?: readonly GatekeeperNetwork[];
}

export const doctorCommand = (run: Run<DoctorOptions>): Command =>
  npmCommand('doctor', 'Checks whether a service can work with its configuration.')
    .option('--env <name>', 'checks this deployment, before or after its first release')
    .option(
      '--secrets <file>',
      "file with the secrets, in a format of `wrangler secret bulk`: JSON, or lines of NAME='value'. " +
        'Without it, the doctor reads the secrets from environment variables, if they are set',
      filePath,
    )
    .option('--local', 'checks a running `npm run dev`')
    .option('--localnet <file>', 'file that describes the localnet; default: .dev/localnet.json', filePath)
    .option(
      '--url <url>',
      'URL of the service, including its base path; the doctor then also checks the running service',
      serviceUrl,
    )
    .option(
      '--gatekeeper-network <key>',
      'checks whether the keys may issue for this gatekeeper network. Repeat it for several. ' +
        'Default: the gatekeeper networks of the registered partners',
      repeated(onChainNetwork),
    )
    .action((values: Values) => {
      demandOneOf(values, 'local', 'env');
      demandWith(values, 'secrets', 'env');
      demandWith(values, 'localnet', 'local');
      return run({
        environment: values.env,
        localnet: values.localnet ?? LOCALNET_FILE,
        secrets: values.secrets,
        url: values.url,
        gatekeeperNetworks: [...new Set(values.gatekeeperNetwork)],
      });
    });

/** Prints the findings, and returns whether a check failed. */
async function diagnose(options: DoctorOptions): Promise<boolean> {
  const deployment = await withCompromisedKeys(readDeployment(options));
  const findings = await examine(deployment, options.gatekeeperNetworks, (finding) => console.log(lineOf(finding)));
  console.log(`\n${summaryOf(findings)}`);
  return findings.some(({ verdict }) => verdict.type === 'failed');
}

/** Runs the command, prints its findings, and returns the exit code. */
export async function runDoctorCommand(args: readonly string[]): Promise<number> {
  let hasFailed = false;
  const command = doctorCommand(async (options) => {
    hasFailed = await diagnose(options);
  });
  return (await runNpmCommand(command, args)) || Number(hasFailed);
}

if (import.meta.main) {
  const code = await runDoctorCommand(process.argv.slice(2));
  // A check that timed out may still run a child process or a request.
  await stopChildren();
  process.exit(code);
}
