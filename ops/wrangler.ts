/** `npm run wrangler -- --env NAME …`: any command of wrangler with the configuration of a deployment. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Failure, reportFailure } from '../terminal/failure.ts';
import { print } from '../terminal/print.ts';
import { PROJECT, QUIET_ENV, WRANGLER } from '../terminal/wrangler.ts';
import { configFileOf } from './deploy/deployment-config.ts';

const USAGE = [
  'Usage: npm run wrangler -- COMMAND… --env NAME',
  '',
  'Runs any command of wrangler with the configuration of a deployment, for example:',
  '  npm run wrangler -- versions list --env production',
  '',
  'npx wrangler --help lists the commands.',
];

/** Takes `--env NAME` out of the arguments and returns both. Throws Failure if it is missing. */
export function splitArguments(args: readonly string[]): { deployment: string; rest: string[] } {
  const at = args.findIndex((each) => /^--env(=|$)/.test(each));
  const [, joined] = /^--env=(.*)$/.exec(args[at] ?? '') ?? [];
  const deployment = joined ?? args[at + 1];
  const rest = args.filter((_, index) => index < at || index > at + (joined === undefined ? 1 : 0));
  if (at < 0 || !deployment || deployment.startsWith('-')) throw new Failure('name the deployment with --env NAME', 2);
  if (rest.length === 0) throw new Failure('name a command of wrangler: npx wrangler --help lists them', 2);
  return { deployment, rest };
}

/** Returns the exit code. The command shares the terminal, because wrangler asks questions. */
async function run(args: readonly string[]): Promise<number> {
  if (args.length === 0 || (args.length === 1 && args[0] === '--help')) {
    print(...USAGE);
    return 0;
  }
  const { deployment, rest } = splitArguments(args);
  const command = [WRANGLER, ...rest, '--config', configFileOf(deployment)];
  const child = spawn(process.execPath, ['--no-warnings', ...command], {
    cwd: PROJECT,
    env: { ...process.env, ...QUIET_ENV },
    stdio: 'inherit',
  });
  // Ctrl-C reaches wrangler too, which decides when to end.
  process.on('SIGINT', () => undefined);
  const [code] = await once(child, 'exit');
  return typeof code === 'number' ? code : 1;
}

if (import.meta.main) process.exitCode = await run(process.argv.slice(2)).catch(reportFailure);
