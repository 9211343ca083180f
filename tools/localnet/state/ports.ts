import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** Whether a server can listen on that port of 127.0.0.1 now. */
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
 * Returns a free port of 127.0.0.1 outside the range that systems give to connections. In that range, a connection could take the port
 * before the server listens.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(11_000, 32_000);
    if (await isPortFree(port)) return port;
  }
}

/**
 * Returns a free port for each name. With a state folder it returns the same ports as before while they are free, so that URLs, and
 * tokens that name their issuer by URL, stay valid after a restart.
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
