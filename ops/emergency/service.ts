import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { Failure } from '../../terminal/failure.ts';
import { runWranglerForJson } from '../../terminal/wrangler.ts';
import { openService } from '../admin-api.ts';
import { configFileOf } from '../deploy/deployment-config.ts';
import { setSecrets } from '../deploy/set-secrets.ts';
import { type Deployment, type DeploymentOptions, readDeployment } from '../nodes/deployment.ts';
import type { EffectiveLists } from './unconfirmed.ts';

/** The service whose lists change. */
export interface EmergencyService {
  /** Reads the lists of the running service. Throws Failure if it does not answer. */
  read(): Promise<EffectiveLists>;
  hasSecret(name: string): Promise<boolean>;
  /** Sets secrets in one version; null deletes one. The service restarts with them, and nothing else of it changes. */
  set(secrets: Readonly<Record<string, string | null>>): Promise<void>;
}

/** The service may need seconds to ask the nodes for balances. */
const ONCE = { times: 0, withinMs: 15_000, attemptMs: 15_000 };

export function openEmergency(options: DeploymentOptions): EmergencyService {
  const deployment = readDeployment(options);
  const read = async () => openService(deployment, ONCE)<EffectiveLists>('GET', '/admin/signers');
  return { read, ...openSecrets(deployment) };
}

/** Opens the secrets of a deployment, or of the localnet. */
export function openSecrets(deployment: Deployment): Pick<EmergencyService, 'hasSecret' | 'set'> {
  const { environment } = deployment;
  if (environment === undefined) return localSecrets(deployment);
  return {
    hasSecret: async (name) => (await secretNames(environment)).includes(name),
    set: (secrets) => setSecrets(environment, secrets),
  };
}

async function secretNames(environment: string): Promise<string[]> {
  const listed = await runWranglerForJson(['secret', 'list', '--config', configFileOf(environment)]);
  return (listed as { name: string }[]).map(({ name }) => name);
}

/** `npm run dev` restarts its Worker after a change of this file. */
function localSecrets({ state }: Deployment): Pick<EmergencyService, 'hasSecret' | 'set'> {
  if (state === undefined) throw new Failure('the localnet has no Worker: start one with `npm run dev`');
  const file = join(state, 'worker.env');
  const secrets = () => parseEnv(readFileSync(file, 'utf8')) as Record<string, string>;
  return {
    hasSecret: async (name) => name in secrets(),
    async set(changes) {
      const all = Object.entries({ ...secrets(), ...changes });
      const lines = all.flatMap(([each, text]) => (text === null ? [] : `${each}='${text}'\n`));
      // The Worker must not read half of it.
      writeFileSync(`${file}.new`, lines.join(''), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
  };
}
