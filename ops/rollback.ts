/** `npm run rollback -- --env NAME RELEASE`: returns a deployment to a release that it had. */
import type { Command } from 'commander';
import { npmCommand, type Run, runNpmCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import { print } from '../terminal/print.ts';
import { runWrangler } from '../terminal/wrangler.ts';
import { confirm, yesOption } from './confirm.ts';
import { configFileOf } from './deploy/deployment-config.ts';
import { rollbackFault } from './deploy/rollback-fault.ts';
import { codeAgain } from './deploy/secret-change-fault.ts';
import { isVersion } from './deploy/version.ts';
import {
  type RecentVersion,
  readRecentVersions,
  readRunningVersions,
  readVersion,
  type WorkerVersion,
} from './deploy/worker-versions.ts';
import { type DryRunValues, dryRunOption, printPlan } from './dry-run.ts';
import { reportCommand } from './report-command.ts';

interface RollbackOptions extends DryRunValues {
  readonly release: string;
  readonly env: string;
  readonly yes?: boolean;
}

export const rollbackCommand = (run: Run<RollbackOptions>): Command =>
  npmCommand('rollback', 'Returns a deployment to the newest version of a release that it had.')
    .argument('<release>', 'the release, like 1.0.0')
    .requiredOption('--env <name>', 'the deployment: deployments/NAME.toml has its values')
    .addOption(dryRunOption())
    .addOption(yesOption())
    .action((release: string, options: Omit<RollbackOptions, 'release'>) => run({ release, ...options }));

export const runRollbackCommand = (args: readonly string[]): Promise<number> =>
  runNpmCommand(rollbackCommand(rollBack), args);

async function rollBack({ release, env, dryRun, yes }: RollbackOptions): Promise<void> {
  if (!isVersion(release)) throw new Failure(`"${release}" must be like 1.0.0 or 1.0.0-rc.1`, 2);
  const config = configFileOf(env);
  const [running, recent] = await Promise.all([readRunningVersions(config), readRecentVersions(config)]);
  const target = await findVersion(config, recent, release);
  const isRunning = running.length === 1 && running[0]?.id === target.id;
  if (isRunning) return print(`${env} runs ${release} already, with the version ${target.id}.`);
  const fault = rollbackFault(target, running, recent);
  if (fault !== undefined)
    throw new Failure(
      `${fault}. Deploy the code of ${release} with the values and secrets of today instead: ${codeAgain(env, release)}`,
    );
  const shares = running.map((each) => `${each.release} (${each.percentage} %)`).join(' and ');
  print(`${env} runs ${shares}. The newest version of ${release} is ${target.id}, of ${target.createdOn}.`);
  if (dryRun) return printPlan([`let ${target.id} answer all requests of ${env}`]);
  await confirm(`Shall it answer all requests of ${env}?`, { yes });
  await reportCommand({ command: 'rollback', args: ['--env', env, release], environment: env });
  // Unlike `wrangler rollback`, this never overrides Cloudflare's refusal because of a changed secret.
  const message = `Rollback to ${release}`;
  await runWrangler(['versions', 'deploy', `${target.id}@100%`, '--message', message, '--yes', '--config', config]);
  print(`${env} runs ${release}, with the version ${target.id}.`);
  if (recent[0]?.id !== target.id)
    print(
      'Until that code is the newest version, Cloudflare changes no secret, so `npm run emergency` fails. Deploy it now: ' +
        codeAgain(env, release),
    );
}

/** Returns the newest version of a release. A version that a change of a secret made has no tag. */
async function findVersion(config: string, recent: readonly RecentVersion[], release: string): Promise<WorkerVersion> {
  for (const { id, tag } of recent) {
    const isOther = tag !== undefined && tag !== release && !tag.startsWith(`${release}-`);
    const version = isOther ? undefined : await readVersion(config, id);
    if (version?.release === release) return version;
  }
  throw new Failure(`none of the ten newest versions is of ${release}: ${tagsOf(recent)}`);
}

const tagsOf = (recent: readonly RecentVersion[]) =>
  recent.map(({ id, tag }) => `${id} (${tag ?? 'no tag'})`).join(', ') || 'there is no version';

if (import.meta.main) process.exitCode = await runRollbackCommand(process.argv.slice(2));
