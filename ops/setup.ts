/** `npm run setup -- --env NAME`: takes a deployment from nothing to a release with a partner. It may be killed and run again. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runNpmCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import { LOCALNET_FILE } from '../terminal/option-values.ts';
import { print } from '../terminal/print.ts';
import { PROJECT } from '../terminal/wrangler.ts';
import { urlOf } from './admin-api.ts';
import { configFileOf } from './deploy/deployment-config.ts';
import { readValues, shownFile, valuesFileOf } from './deploy/deployment-values.ts';
import { validateDeployment, validateSecrets, validateValues } from './deploy/validate-deployment.ts';
import { readRunningVersions } from './deploy/worker-versions.ts';
import { runDeployCommand } from './deploy.ts';
import { runDoctorCommand } from './doctor.ts';
import { readDeployment, readSecrets } from './nodes/deployment.ts';
import { runPartnerCommand } from './partner.ts';
import { createDatabase, createQueues, demandCredentials, firstDatabaseOf, queuesOf } from './setup/account.ts';
import { checklistOf } from './setup/checklist.ts';
import { plannedPartner, registerPartner } from './setup/first-partner.ts';
import { type SetupOptions, setupCommand } from './setup/options.ts';
import { askForSecrets, plannedSecrets, writeSecrets } from './setup/secrets.ts';
import { askForValues, hasValues, plannedValues, writeValues } from './setup/values.ts';

/** A step, which says what it did. `plan` is what it would do. Run again, it finds its result and changes nothing. */
interface Step {
  readonly title: string;
  readonly plan: () => string;
  /** Lines about the plan, without secrets. */
  readonly details?: () => readonly string[];
  readonly run: () => unknown;
}

const secretsFileOf = ({ env, secrets }: SetupOptions) => secrets ?? join(PROJECT, `${env}.secrets`);

function stepsOf(options: SetupOptions): Step[] {
  const { env } = options;
  const file = shownFile(valuesFileOf(env));
  const secrets = secretsFileOf(options);
  const secretsOption = () => (existsSync(secrets) ? ['--secrets', secrets] : []);
  const nameOf = (thing: string, read: () => string) => (hasValues(env) ? read() : `the ${thing} of ${env}`);
  return [
    {
      title: 'Values',
      plan: () => (hasValues(env) ? `take ${file}` : `write ${file}`),
      details: () => plannedValues(options),
      run: async () => {
        if (hasValues(env)) readValues(env);
        else writeValues(env, await askForValues(options));
        validateValues(env);
        print(`The values are in ${file}.`);
      },
    },
    {
      title: 'Secrets',
      plan: () =>
        existsSync(secrets)
          ? `take ${shownFile(secrets)}`
          : `write ${shownFile(secrets)}, unless a release with its secrets runs already`,
      details: () => (existsSync(secrets) ? [] : plannedSecrets(options)),
      run: async () => {
        if (!existsSync(secrets)) {
          // The operator deletes the file after the setup. New keys would replace those in service.
          if ((await readRunningVersions(configFileOf(env))).length > 0)
            return print(`${env} runs with its secrets. They stay as they are.`);
          const { text, lines } = await askForSecrets(options);
          writeSecrets(secrets, text);
          print(...lines, 'Store the new keys: Cloudflare never returns them.');
        }
        validateSecrets(env, readSecrets(secrets));
        print(`The secrets are in ${shownFile(secrets)}.`);
      },
    },
    {
      title: 'Authorization server',
      plan: () => 'print what to set there',
      run: () => print(...checklistOf(env)),
    },
    {
      title: 'Queues',
      plan: () => `create ${nameOf('queues', () => queuesOf(env).join(', '))}`,
      run: () => createQueues(env, print),
    },
    {
      title: 'Database',
      plan: () => `create ${nameOf('database', () => firstDatabaseOf(env).name)}, and write its id into ${file}`,
      run: () => createDatabase(env, print),
    },
    {
      title: 'Release',
      plan: () => 'migrate the database, and release the code with its secrets as one version',
      run: async () => {
        validateDeployment(env);
        await demandSuccess(runDeployCommand(['--env', env, ...secretsOption()]), 'the release');
      },
    },
    {
      title: 'First partner',
      plan: () => `register ${options.clientId ?? 'the client of --client-id'}`,
      details: () => plannedPartner(options),
      run: () => registerPartner(options, runPartnerCommand, print),
    },
    {
      title: 'Doctor',
      plan: () => 'check the service, its keys and its endpoints',
      run: () => {
        const url = urlOf(
          readDeployment({ environment: env, localnet: LOCALNET_FILE, secrets: undefined, url: options.url }),
        );
        return demandSuccess(
          runDoctorCommand(['--env', env, ...secretsOption(), '--url', url]),
          'a check of the doctor',
        );
      },
    },
  ];
}

async function demandSuccess(code: Promise<number>, subject: string): Promise<void> {
  if ((await code) !== 0)
    throw new Failure(`${subject} failed: correct it, and run the command again. It continues there`);
}

async function setup(options: SetupOptions): Promise<void> {
  const steps = stepsOf(options);
  if (!options.dryRun) await demandCredentials(options.env);
  for (const [at, { title, plan, details, run }] of steps.entries()) {
    const head = `${at + 1} of ${steps.length}: ${title}`;
    if (options.dryRun) print(`${head}: ${plan()}`, ...(details?.() ?? []).map((line) => `  ${line}`));
    else {
      print('', head);
      await run();
    }
  }
}

export const runSetupCommand = (args: readonly string[]): Promise<number> => runNpmCommand(setupCommand(setup), args);

if (import.meta.main) process.exit(await runSetupCommand(process.argv.slice(2)));
