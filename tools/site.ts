/**
 * `npm run site` builds all documents as a site into `dist/site`, for operators and contributors, and serves it until Ctrl+C.
 * `--build` only builds: any server of files can serve the folder. `--port` chooses the port.
 */
import { once } from 'node:events';
import { createReadStream, mkdirSync, rmSync, statSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { parseArgs } from 'node:util';
import { Failure, reportFailure } from '../terminal/failure.ts';
import { PROJECT } from '../terminal/wrangler.ts';
import { buildSite } from './site/build-site.ts';

const FOLDER = join(PROJECT, 'dist', 'site');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
};

function sendFile(response: ServerResponse, path: string, status = 200): void {
  const file = join(FOLDER, normalize(path.endsWith('/') ? `${path}index.html` : path));
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) {
    response.writeHead(status, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  } else if (status === 404) response.writeHead(404).end();
  else sendFile(response, '/404.html', 404);
}

/** Serves the site on this machine only. Resolves to its address. */
async function serveSite(port: number): Promise<string> {
  // The parser removes `..` from the path.
  const server = createServer(({ url = '/' }, response) => {
    sendFile(response, new URL(url, 'http://127.0.0.1').pathname);
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

try {
  const { values } = parseArgs({ options: { build: { type: 'boolean' }, port: { type: 'string', default: '0' } } });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Failure('--port takes a number up to 65535.', 2);
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  await buildSite('repository', FOLDER);
  console.log(`The site is in ${FOLDER}.`);
  if (!values.build) console.log(`The documents are at ${await serveSite(port)} (end with Ctrl+C).`);
} catch (error) {
  process.exitCode = reportFailure(error);
}
