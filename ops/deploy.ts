/** `npm run deploy -- --env NAME`: checks the values of a deployment, migrates the remote databases, releases the Worker. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { INPUT_FILE } from '../terminal/child-process.ts';
import { npmCommand, type Run, runNpmCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import { filePath } from '../terminal/option-values.ts';
import { print, printError } from '../terminal/print.ts';
import { startWrangler } from '../terminal/wrangler.ts';
import { type CodeRelease, namingArgs, readCodeRelease } from './deploy/code-release.ts';
import { boundShardsOf, configFileOf, wranglerConfigOf } from './deploy/deployment-config.ts';
import { gradualFault } from './deploy/gradual-fault.ts';
import { ANY_RELEASE, jumpFault } from './deploy/release-jump.ts';
import { isEmergencySecret, SECRET_NAMES } from './deploy/secret-names.ts';
import { validateDeployment, validateSecrets } from './deploy/validate-deployment.ts';
import { type RunningVersion, readRunningVersions } from './deploy/worker-versions.ts';
import { type DryRunValues, dryRunOption, printPlan } from './dry-run.ts';
import { readSecrets } from './nodes/deployment.ts';
import { reportCommand } from './report-command.ts';

interface DeployOptions extends DryRunValues {
  readonly env: string;
  readonly secrets?: string;
  readonly percent?: number;
  readonly anyRelease: boolean;
}

export const deployCommand = (run: Run<DeployOptions>): Command =>
  npmCommand('deploy', 'Checks the values of a deployment, migrates its databases, and releases the Worker.')
    .requiredOption('--env <name>', 'the deployment: deployments/NAME.toml has its values')
    .option(
      '--secrets <file>',
      'the released version also gets the secrets of this file, in a format of `wrangler secret bulk`. The first release needs them',
      filePath,
    )
    .option('--percent <n>', 'the release answers only this share of the requests, beside the one that runs', percent)
    .option(ANY_RELEASE, 'also if the running release is unknown, or not the one before or after', false)
    .addOption(dryRunOption())
    .action(run);

function percent(text: string): number {
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be from 1 to 99. Without the option, the release answers every request.');
}

export const runDeployCommand = (args: readonly string[]): Promise<number> =>
  runNpmCommand(deployCommand(deploy), args);

/**
 * Runs the steps and prints the output of wrangler. It stops before the first step if the Worker could not run with the values or
 * beside the running release, and before the release if a migration fails: a release never runs on a database that lacks a migration.
 */
async function deploy({ env, secrets, percent, anyRelease, dryRun }: DeployOptions): Promise<void> {
  validateDeployment(env);
  const config = configFileOf(env);
  const code = readCodeRelease();
  const running = await readRunningVersions(config);
  demandNeighbors(code, running, anyRelease);
  const fault = percent && gradualFault(wranglerConfigOf(env).migrations.at(-1)?.tag, running);
  if (fault) throw new Failure(fault);
  const known = secrets === undefined ? undefined : demandSecrets(secrets);
  if (known === undefined && running.length === 0)
    throw new Failure('the first release needs --secrets FILE: without its secrets, the service would answer 500', 2);
  if (known !== undefined && isComplete(known, running)) validateSecrets(env, known);
  if (dryRun) return printPlan(stepsOf(env, code, Object.keys(known ?? {}), percent));
  await reportCommand({ command: 'deploy', args: ['--env', env, code.tag], environment: env });
  print('The values are valid.');
  for (const shard of boundShardsOf(env)) await runStep(config, ['d1', 'migrations', 'apply', shard, '--remote']);
  const args = [...namingArgs(code), ...(known === undefined ? [] : ['--secrets-file', INPUT_FILE])];
  // JSON, because wrangler replaces `$NAME` in every other form by variables of this process.
  const input = known && JSON.stringify(known);
  if (percent === undefined) return runStep(config, ['deploy', ...args], { input });
  const uploaded = await uploadVersion(config, args, input);
  const shares = [`${uploaded}@${percent}%`, `${running[0]?.id}@${100 - percent}%`];
  await runStep(config, ['versions', 'deploy', ...shares, '--message', `Gatepass ${code.tag}`, '--yes']);
}

/** Returns the secrets of the file. Throws Failure if one is no secret of the Worker, or one that `npm run emergency` alone sets. */
function demandSecrets(file: string): Readonly<Record<string, unknown>> {
  const secrets = readSecrets(file);
  if (Object.keys(secrets).every((name) => (SECRET_NAMES as readonly string[]).includes(name))) return secrets;
  throw new Failure(`${file} has a secret that is none of ${SECRET_NAMES.join(', ')}`, 2);
}

/** Whether the release has these secrets only, and those that `npm run emergency` and `npm run verdict` set. */
const isComplete = (secrets: object, running: readonly RunningVersion[]) =>
  running
    .flatMap((version) => version.secrets)
    .every((name) => name in secrets || name === 'VERDICT_KEY' || isEmergencySecret(name));

function stepsOf(env: string, code: CodeRelease, secrets: readonly string[], percent = 100): string[] {
  const share = percent === 100 ? 'all requests' : `${percent} % of the requests`;
  const migrations = boundShardsOf(env).map((shard) => `apply the migrations that the database ${shard} lacks`);
  const added = secrets.length === 0 ? '' : ` with the secrets ${secrets.join(', ')}`;
  return [...migrations, `upload ${code.tag} to ${env}${added}, and let it answer ${share}`];
}

function demandNeighbors(code: CodeRelease, running: readonly RunningVersion[], anyRelease: boolean): void {
  const shares = running.map(({ release = 'an unknown release', percentage }) => `${release} (${percentage} %)`);
  print(`Release ${code.tag}. ${shares.length > 0 ? `Now runs: ${shares.join(' and ')}.` : 'Nothing runs yet.'}`);
  if (running.some(({ release }) => release !== code.release))
    print(...code.operatorSteps.map((step, at) => `The operator's step ${at + 1} for ${code.release}: ${step}`));
  const fault = jumpFault(code, running);
  if (fault === undefined) return;
  if (!anyRelease) throw new Failure(fault);
  printError(`warning: ${fault}`);
}

interface StepOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A text that wrangler reads from the file `INPUT_FILE`. */
  readonly input?: string | undefined;
}

async function runStep(config: string, step: readonly string[], options: StepOptions = {}): Promise<void> {
  const child = await startWrangler(step, { config, ...options, onLine: (line) => print(line) });
  if ((await child.ended) !== 0)
    throw new Failure(`\`wrangler ${step.join(' ')}\` failed, and the deployment stopped there`);
}

/** Uploads the code as a version that answers no request yet, and returns the id of the version. */
async function uploadVersion(config: string, args: readonly string[], input: string | undefined): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-deploy-'));
  try {
    const file = join(folder, 'output.json');
    await runStep(config, ['versions', 'upload', ...args], { env: { WRANGLER_OUTPUT_FILE_PATH: file }, input });
    const entries = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    return entries.find(({ type }) => type === 'version-upload').version_id;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.main) process.exitCode = await runDeployCommand(process.argv.slice(2));
