import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** Whether a server could listen on that port of 127.0.0.1 now. */
export async function isPortFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

/**
 * A port of 127.0.0.1 that nobody listens on: one of those that systems do not give to connections, as they would give
 * away what was free a moment ago before anybody listens there.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(11_000, 32_000);
    if (await isPortFree(port)) return port;
  }
}

/**
 * A free port for each name. With a state folder the same ones as the last time while they are free, so that addresses
 * (and tokens, which name their issuer by address) stay good over a restart.
 */
export async function portsFor<Name extends string>(
  names: readonly Name[],
  state?: string,
): Promise<Record<Name, number>> {
  const file = state && join(state, 'ports.json');
  const before = file ? await readFile(file, 'utf8').then(JSON.parse, () => ({})) : {};
  const ports = {} as Record<Name, number>;
  for (const name of names) {
    const last: number | undefined = before[name];
    ports[name] = last !== undefined && (await isPortFree(last)) ? last : await findFreePort();
  }
  if (file) await writeFile(file, JSON.stringify(ports));
  return ports;
}
