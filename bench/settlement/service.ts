import { join } from 'node:path';
import { LocalnetPartner } from '../../localnet/partner/localnet-partner.ts';
import type { LocalnetFacts } from '../../localnet/state/localnet-facts.ts';
import { workerVariablesFor } from '../../localnet/worker.ts';
import { type Built, build } from '../build.ts';
import { migrate, seedDatabase } from '../database.ts';
import { PARTNER } from '../dataset.ts';
import type { BenchContext } from '../measure.ts';
import { type Server, startServer } from '../runtime.ts';
import { BLOCK_MS, createStateFolder } from './localnet.ts';

/** The Worker in a localnet that has a chain. */
export interface Service extends Server {
  readonly localnet: LocalnetFacts;
  readonly client: LocalnetPartner;
  /** Of the partner's requests. */
  readonly headers: Readonly<Record<string, string>>;
}

interface ServiceOptions {
  readonly built: Built;
  readonly localnet: LocalnetFacts;
  /** How many gatekeeper keys it signs with. */
  readonly keys?: number;
  /** What is different on the network of Ethereum's type from how the localnet has it; `blockMs` as its node has it. */
  readonly settings?: { readonly blockMs: number; readonly unmined?: number };
  readonly inspectorPort?: number;
}

/** Builds the Worker as it is deployed, or the one that counts. */
export function buildService({ folder }: BenchContext, entry = 'src/worker.ts'): Promise<Built> {
  return build({ entry, folder: join(folder, entry.split('/')[0] ?? '') });
}

type Surroundings = Pick<BenchContext, 'atEnd' | 'say'>;

/** Starts it with an empty read model; it ends with the measure, or before. */
export async function startService(context: Surroundings, options: ServiceOptions): Promise<Service> {
  const { built, localnet, keys = 1, settings = { blockMs: BLOCK_MS.sepolia }, inspectorPort } = options;
  const variables = workerVariablesFor(localnet, localnet.rpc, keys);
  const networks = JSON.parse(variables.NETWORKS ?? '{}');
  // Two seconds to finality: what comes after it is part of what an issuance costs.
  const final = { depth: Math.ceil(2_000 / settings.blockMs) };
  networks.sepolia = { ...networks.sepolia, ...settings, final };
  const server = {
    built,
    folder: await createStateFolder(context),
    variables: { ...variables, NETWORKS: JSON.stringify(networks), LOG_SUCCESSES: '0.05' },
    ...(inspectorPort && { inspectorPort }),
    onLog: faultReporter(context),
  };
  await seedDatabase(server, migrate);
  const { stop: end, ...started } = await startServer(server);
  let ended: Promise<void> | undefined;
  const stop = () => {
    ended ??= end();
    return ended;
  };
  context.atEnd(stop);
  const facts = { ...localnet, baseUrl: started.baseUrl };
  const client = new LocalnetPartner(facts, PARTNER.name);
  const headers = { authorization: `Bearer ${await client.token()}`, 'content-type': 'application/json' };
  return { ...started, stop, localnet: facts, client, headers };
}

/** Tells of each kind of fault once: what is measured should have none. */
function faultReporter({ say }: Surroundings): (line: string) => void {
  const told = new Set<string>();
  return (line) => {
    const kind = /"at":"([^"]+)".*"fault":/.exec(line)?.[1];
    if (kind === undefined || told.has(kind)) return;
    told.add(kind);
    say(`the Worker logged ${line}`);
  };
}
