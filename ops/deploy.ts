/** `npm run deploy -- --env NAME`: checks the values of a deployment, migrates the remote databases, releases the Worker. */
import { npmCommand, runNpmCommand } from '../scripts/command.ts';
import { Failure } from '../scripts/failure.ts';
import { print } from '../scripts/print.ts';
import { startWrangler } from '../scripts/wrangler.ts';
import { boundShardsOf, configFileOf } from './deploy/deployment-config.ts';
import { validateDeployment } from './deploy/validate-deployment.ts';
import { reportCommand } from './report-command.ts';

/**
 * Runs the steps and prints the output of wrangler. It stops before the first step if the Worker could not run with the values,
 * and before the release if a migration fails: a release never runs on a database that lacks a migration.
 */
async function deploy(environment: string): Promise<void> {
  validateDeployment(environment);
  const config = configFileOf(environment);
  await reportCommand({ command: 'deploy', args: ['--env', environment], environment });
  print('The values are valid. The Worker checks its secrets itself and answers 500 until they are valid.');
  for (const step of [
    ...boundShardsOf(environment).map((shard) => ['d1', 'migrations', 'apply', shard, '--remote']),
    ['deploy', '--minify'],
  ]) {
    const child = await startWrangler(step, { config, onLine: (line) => print(line) });
    if ((await child.ended) !== 0)
      throw new Failure(`\`wrangler ${step.join(' ')}\` failed, and the deployment stopped there`);
  }
}

const command = npmCommand(
  'deploy',
  'Checks the values of a deployment, migrates its databases, and releases the Worker.',
)
  .requiredOption('--env <name>', 'the deployment: deployments/NAME.toml has its values')
  .action(({ env }: { readonly env: string }) => deploy(env));

process.exitCode = await runNpmCommand(command, process.argv.slice(2));
