import { join } from 'node:path';
import { build } from './build.ts';
import type { Request } from './load.ts';
import type { BenchContext } from './measure.ts';
import { type ServerOptions, startServer } from './runtime.ts';

/**
 * Returns the average cost of each request, from the service with counters around its bindings. It is a separate run on an existing
 * database, because counting takes time.
 */
export async function countOperations(
  { folder, atEnd }: BenchContext,
  server: Omit<ServerOptions, 'built'>,
  requests: readonly Request[],
): Promise<Record<string, number>> {
  const built = await build({
    entry: join('tools', 'bench', 'counting', 'worker.ts'),
    folder: join(folder, 'counting'),
  });
  const { baseUrl, stop } = await startServer({ ...server, built });
  atEnd(stop);
  const [first] = requests;
  // Load the values that are cached from then on: the partner's row and the issuer's keys.
  if (first) await (await fetch(baseUrl + first.path, first)).text();
  await fetch(`${baseUrl}/__counts`);
  for (const { path, ...request } of requests) await (await fetch(baseUrl + path, request)).text();
  const response = await fetch(`${baseUrl}/__counts`);
  const { counts } = (await response.json()) as { counts: Record<string, number> };
  await stop();
  const totals = Object.entries(counts).filter(([name, count]) => !name.includes(': ') && count > 0);
  return Object.fromEntries(totals.map(([name, count]) => [name, count / requests.length]));
}
