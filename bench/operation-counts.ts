import { join } from 'node:path';
import { build } from './build.ts';
import type { Request } from './load.ts';
import type { BenchContext } from './measure.ts';
import { type ServerOptions, startServer } from './runtime.ts';

/**
 * What each of these requests costs on average, counted by the service with counters around its bindings. In a run of
 * its own on a database that is there already: counting takes time.
 */
export async function countOperations(
  { folder, atEnd }: BenchContext,
  server: Omit<ServerOptions, 'built'>,
  requests: readonly Request[],
): Promise<Record<string, number>> {
  const built = await build({ entry: join('bench', 'counting', 'worker.ts'), folder: join(folder, 'counting') });
  const { baseUrl, stop } = await startServer({ ...server, built });
  atEnd(stop);
  const [first] = requests;
  // The partner's row, the issuer's keys: what is remembered from then on.
  if (first) await (await fetch(baseUrl + first.path, first)).text();
  await fetch(`${baseUrl}/__counts`);
  for (const { path, ...request } of requests) await (await fetch(baseUrl + path, request)).text();
  const response = await fetch(`${baseUrl}/__counts`);
  const { counts } = (await response.json()) as { counts: Record<string, number> };
  await stop();
  const totals = Object.entries(counts).filter(([name, count]) => !name.includes(': ') && count > 0);
  return Object.fromEntries(totals.map(([name, count]) => [name, count / requests.length]));
}
