import { createRequire } from 'node:module';
import type { TestProject } from 'vitest/node';

// Node loads the localnet in a second, and once for all projects. An import would have Vite transform all its packages first, for
// nine seconds, and for each project again.
const require = createRequire(import.meta.url);
const { useSystems, releaseSystems } = require('./localnets.ts') as typeof import('./localnets.ts');

/** Runs the systems outside the Worker while the tests in the Worker runtime run: a localnet for each file of those that run together. */
export default async function setup({ config, provide }: TestProject): Promise<() => Promise<void>> {
  const { localnets, specialIssuer, webhookReceiver } = await useSystems(Number(config.maxWorkers));
  provide('localnets', localnets);
  provide('specialIssuer', specialIssuer);
  provide('webhookReceiver', webhookReceiver);
  return releaseSystems;
}
