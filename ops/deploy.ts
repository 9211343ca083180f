/** `npm run deploy -- --env NAME`: checks the block of `wrangler.toml`, migrates the remote databases, releases the Worker. */
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { Failure, reportFailure } from '../scripts/failure.ts';
import { print } from '../scripts/print.ts';
import { startWrangler } from '../scripts/wrangler.ts';
import { boundShardsOf } from './deploy/environment-block.ts';
import { validateEnvironment } from './deploy/validate-environment.ts';

/**
 * Runs the steps and prints the output of wrangler. It stops before the first step if the Worker could not run with the block,
 * and before the release if a migration fails: a release never runs on a database that lacks a migration.
 */
async function deploy(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { env: { type: 'string' } } });
  if (!values.env) throw new Failure('name the environment: npm run deploy -- --env staging|production', 2);
  validateEnvironment(values.env);
  print('The block is valid. The Worker checks its secrets itself and answers 500 until they are valid.');
  for (const step of [
    ...boundShardsOf(values.env).map((shard) => ['d1', 'migrations', 'apply', shard, '--remote']),
    ['deploy', '--minify'],
  ]) {
    const child = await startWrangler([...step, '--env', values.env], {
      onLine: (line) => print(stripVTControlCharacters(line)),
    });
    if ((await child.ended) !== 0)
      throw new Failure(`\`wrangler ${step.join(' ')}\` failed, and the deployment stopped there`);
  }
}

try {
  await deploy(process.argv.slice(2));
} catch (error) {
  process.exitCode = reportFailure(error);
}
