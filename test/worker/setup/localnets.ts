import { GATEKEEPERS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { startKms } from '../../../tools/localnet/kms/server.ts';
import { startLocalnet } from '../../../tools/localnet/localnet.ts';
import { SOLANA_GATEKEEPERS } from '../../../tools/localnet/solana/gatekeepers.ts';
import { workerVariablesFor } from '../../../tools/localnet/worker.ts';
import { startSpecialIssuer } from '../../special-issuer.ts';
import { startWebhookReceiver } from '../../webhook-receiver.ts';
import type { LentLocalnet } from './provided-context.ts';

/** Starts the systems outside the Worker, with that many localnets. */
export async function startSystems(count: number) {
  const localnets = await Promise.all(
    Array.from({ length: count }, async () => ({ ...(await startLocalnet()), kms: await startKms() })),
  );
  const special = await startSpecialIssuer();
  const receiver = await startWebhookReceiver();
  // The second key of each chain gets a pass only where a test asks for it.
  const RETIRED_GATEKEEPERS = [GATEKEEPERS[1], SOLANA_GATEKEEPERS[1]].join(' ');
  const lent = ({ facts, kms: { url, credentials } }: (typeof localnets)[number]): LentLocalnet => ({
    localnet: facts,
    environment: { ...withoutWatchers(workerVariablesFor(facts, facts.rpc, 2)), RETIRED_GATEKEEPERS },
    kms: { url, credentials },
  });
  return {
    localnets: localnets.map(lent),
    specialIssuer: special.issuer,
    webhookReceiver: receiver.url,
    async stop() {
      special.stop();
      receiver.stop();
      for (const { kms } of localnets) kms.stop();
      await Promise.all(localnets.map((localnet) => localnet.stop()));
    },
  };
}

/** A watcher asks the nodes at its own times. The tests that need one turn it on. */
function withoutWatchers({ NETWORKS = '{}', ...others }: Record<string, string>): Record<string, string> {
  const networks = Object.entries(JSON.parse(NETWORKS) as Record<string, object>);
  const off = networks.map(([network, settings]) => [network, { ...settings, watch: false }]);
  return { ...others, NETWORKS: JSON.stringify(Object.fromEntries(off)) };
}
