/** `npm run deploy -- --env NAME`: brings the remote database up to date, then releases the Worker. */
import { parseArgs } from 'node:util';
import { Failure, reportFailure } from './failure.ts';
import { startWrangler } from './wrangler.ts';

/** Both steps are shown as wrangler prints them; the release never runs on a database that is behind. */
async function deploy(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { env: { type: 'string' } } });
  if (!values.env) throw new Failure('name the environment: npm run deploy -- --env staging|production', 2);
  for (const step of [
    ['d1', 'migrations', 'apply', 'DB', '--remote'],
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
