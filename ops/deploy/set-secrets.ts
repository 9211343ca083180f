import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWrangler } from '../../scripts/wrangler.ts';
import { configFileOf } from './deployment-config.ts';

/**
 * Sets secrets of a deployed Worker; null deletes one. The platform makes a version that differs from the deployed one in these secrets
 * only, and deploys it at once. Nothing is built or migrated.
 */
export async function setSecrets(environment: string, secrets: Readonly<Record<string, string | null>>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-secrets-'));
  try {
    const file = join(folder, 'secrets.json');
    writeFileSync(file, JSON.stringify(secrets), { mode: 0o600 });
    await runWrangler(['secret', 'bulk', file, '--config', configFileOf(environment)]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
