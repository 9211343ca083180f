import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** Whether a server could listen on that port of 127.0.0.1 now. */
export async function isFree(port: number): Promise<boolean> {
  return (await listenOnce(port)) !== undefined;
}

/** A port of 127.0.0.1 that nobody listens on. */
export async function freePort(): Promise<number> {
  return (await listenOnce(0)) as number;
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
    ports[name] = last !== undefined && (await isFree(last)) ? last : await freePort();
  }
  if (file) await writeFile(file, JSON.stringify(ports));
  return ports;
}

/** Listens on the port for a moment: the port that was got, or undefined where somebody else has it. */
async function listenOnce(port: number): Promise<number | undefined> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch {
    return undefined;
  }
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' ? address?.port : undefined;
}
