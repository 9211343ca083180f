/** `npm run deploy -- --env NAME`: checks its block, brings the remote databases up to date, releases the Worker. */
import { parseArgs } from 'node:util';
import { Failure, reportFailure } from '../scripts/failure.ts';
import { startWrangler } from '../scripts/wrangler.ts';
import { boundShardsOf } from './deploy/environment-block.ts';
import { validateEnvironment } from './deploy/validate-environment.ts';

/**
 * Each step is shown as wrangler prints it. None is taken with a block that the Worker could not run with, and the release
 * never runs on a database that is behind.
 */
async function deploy(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { env: { type: 'string' } } });
  if (!values.env) throw new Failure('name the environment: npm run deploy -- --env staging|production', 2);
  validateEnvironment(values.env);
  console.log('The block is in order. The Worker checks its secrets itself: until they are, it answers 500.');
  for (const step of [
    ...boundShardsOf(values.env).map((shard) => ['d1', 'migrations', 'apply', shard, '--remote']),
    ['deploy', '--minify'],
  ]) {
    const child = await startWrangler([...step, '--env', values.env], { onLine: (line) => console.log(line) });
    if ((await child.ended) !== 0) throw new Failure(`stopped at \`wrangler ${step.join(' ')}\``);
  }
}

try {
  await deploy(process.argv.slice(2));
} catch (error) {
  process.exitCode = reportFailure(error);
}
