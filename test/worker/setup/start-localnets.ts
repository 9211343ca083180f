import { createRequire } from 'node:module';
import type { TestProject } from 'vitest/node';
import { GATEKEEPERS } from '../../../localnet/ethereum/gatekeepers.ts';
import { SOLANA_GATEKEEPERS } from '../../../localnet/solana/gatekeepers.ts';
import { startSpecialIssuer } from '../../special-issuer.ts';
import { startWebhookReceiver } from '../../webhook-receiver.ts';
import type { LentLocalnet } from './provided-context.ts';

// Node loads the localnet in a second. An import would have Vite transform all its packages first, for nine seconds.
const require = createRequire(import.meta.url);
const { startLocalnet } = require('../../../localnet/localnet.ts') as typeof import('../../../localnet/localnet.ts');
const { workerVariablesFor } = require('../../../localnet/worker.ts') as typeof import('../../../localnet/worker.ts');

/** Runs the outside localnet while the tests in the Worker runtime run, once for each file of those that run together. */
export default async function setup({ config, provide }: TestProject): Promise<() => Promise<void>> {
  const localnets = await Promise.all(Array.from({ length: Number(config.maxWorkers) }, () => startLocalnet()));
  const special = await startSpecialIssuer();
  const receiver = await startWebhookReceiver();
  // The second key of each chain gets a pass only where a test asks for it.
  const RETIRED_GATEKEEPERS = [GATEKEEPERS[1], SOLANA_GATEKEEPERS[1]].join(' ');
  const lent = ({ facts }: (typeof localnets)[number]): LentLocalnet => ({
    localnet: facts,
    environment: { ...workerVariablesFor(facts, facts.rpc, 2), RETIRED_GATEKEEPERS },
  });
  provide('localnets', localnets.map(lent));
  provide('specialIssuer', special.issuer);
  provide('webhookReceiver', receiver.url);
  return async () => {
    special.stop();
    receiver.stop();
    await Promise.all(localnets.map((localnet) => localnet.stop()));
  };
}
