import { createRequire } from 'node:module';
import type { TestProject } from 'vitest/node';

// Node loads the module once for all projects. An import would load it for each project again.
const require = createRequire(import.meta.url);
const { useSystems, releaseSystems } = require('./systems.ts') as typeof import('./systems.ts');

/** Runs the systems outside the Worker while the tests in the Worker runtime run: a localnet for each file of those that run together. */
export default async function setup({ config, provide }: TestProject): Promise<() => Promise<void>> {
  const { localnets, specialIssuer, webhookReceiver } = await useSystems(Number(config.maxWorkers));
  provide('localnets', localnets);
  provide('specialIssuer', specialIssuer);
  provide('webhookReceiver', webhookReceiver);
  return releaseSystems;
}
