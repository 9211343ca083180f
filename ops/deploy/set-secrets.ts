import { INPUT_FILE } from '../../terminal/child-process.ts';
import { Failure } from '../../terminal/failure.ts';
import { runWrangler } from '../../terminal/wrangler.ts';
import { configFileOf } from './deployment-config.ts';
import { secretChangeFault } from './secret-change-fault.ts';
import { readRecentVersions, readRunningVersions } from './worker-versions.ts';

/**
 * Sets secrets of a deployed Worker; null deletes one. The platform makes a version that differs from the deployed one in these secrets
 * only, and deploys it at once. Nothing is built or migrated.
 */
export async function setSecrets(environment: string, secrets: Readonly<Record<string, string | null>>): Promise<void> {
  const config = configFileOf(environment);
  try {
    await runWrangler(['secret', 'bulk', INPUT_FILE, '--config', config], JSON.stringify(secrets));
  } catch (fault) {
    // Wrangler's advice is to deploy the newest version, which may be the one that a rollback has just left.
    const reason = await refusalReason(environment, config);
    throw reason === undefined ? fault : new Failure(`nothing was changed. ${reason}`);
  }
}

async function refusalReason(environment: string, config: string): Promise<string | undefined> {
  try {
    return secretChangeFault(
      environment,
      ...(await Promise.all([readRunningVersions(config), readRecentVersions(config)])),
    );
  } catch {
    return undefined;
  }
}
