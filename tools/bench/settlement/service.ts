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

/** The Worker in a localnet with a chain. */
export interface Service extends Server {
  readonly localnet: LocalnetFacts;
  readonly client: LocalnetPartner;
  /** Headers of the partner's requests. */
  readonly headers: Readonly<Record<string, string>>;
}

interface ServiceOptions {
  readonly built: Built;
  readonly localnet: LocalnetFacts;
  /** Number of gatekeeper keys. */
  readonly keys?: number;
  /** Overrides of the Ethereum-type network; `blockMs` is that of its node. */
  readonly settings?: { readonly blockMs: number; readonly unmined?: number };
  readonly inspectorPort?: number;
}

/** Builds the Worker as for a deployment, or the counting one. */
export function buildService({ folder }: BenchContext, entry = 'src/worker.ts'): Promise<Built> {
  return build({ entry, folder: join(folder, entry.split('/')[0] ?? '') });
}

type Surroundings = Pick<BenchContext, 'atEnd' | 'say'>;

/** Starts it with an empty read model. It ends with the measure, or when its caller stops it. */
export async function startService(context: Surroundings, options: ServiceOptions): Promise<Service> {
  const { built, localnet, keys = 1, settings = { blockMs: BLOCK_MS.sepolia }, inspectorPort } = options;
  const variables = workerVariablesFor(localnet, localnet.rpc, keys);
  const networks = JSON.parse(variables.NETWORKS ?? '{}');
  // Two seconds to finality, because the work after it is part of the cost of an issuance.
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

/** Prints each kind of fault once. A measurement should have none. */
function faultReporter({ say }: Surroundings): (line: string) => void {
  const told = new Set<string>();
  return (line) => {
    const kind = /"event":"([^"]+)","error":/.exec(line)?.[1];
    if (kind === undefined || told.has(kind)) return;
    told.add(kind);
    say(`the Worker logged ${line}`);
  };
}
