import { INPUT_FILE } from '../../scripts/child-process.ts';
import { runWrangler } from '../../scripts/wrangler.ts';
import { configFileOf } from './deployment-config.ts';

/**
 * Sets secrets of a deployed Worker; null deletes one. The platform makes a version that differs from the deployed one in these secrets
 * only, and deploys it at once. Nothing is built or migrated.
 */
export async function setSecrets(environment: string, secrets: Readonly<Record<string, string | null>>): Promise<void> {
  await runWrangler(['secret', 'bulk', INPUT_FILE, '--config', configFileOf(environment)], JSON.stringify(secrets));
}
