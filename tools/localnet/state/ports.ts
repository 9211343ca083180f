import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
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

/** The servers of a machine that start side by side, also those of other processes, reserve their ports with files of this folder. */
const RESERVATIONS = join(tmpdir(), 'gatepass-ports');
/** It is longer than the start of a server on a busy machine. */
const RESERVED_MS = 120_000;

/** Reserves a port for a server that starts now. Returns whether nobody else has done so. */
async function reservePort(port: number): Promise<boolean> {
  await mkdir(RESERVATIONS, { recursive: true });
  const file = join(RESERVATIONS, String(port));
  const reserved = await stat(file).catch(() => undefined);
  if (reserved !== undefined) {
    if (Date.now() - reserved.mtimeMs < RESERVED_MS) return false;
    await rm(file, { force: true });
  }
  return writeFile(file, '', { flag: 'wx' }).then(
    () => true,
    () => false,
  );
}

/**
 * Returns a free port of 127.0.0.1 outside the range that systems give to connections. In that range, a connection could take the port
 * before the server listens.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(11_000, 32_000);
    if ((await isPortFree(port)) && (await reservePort(port))) return port;
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
