import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { buildSync } from 'esbuild';

export const FOLDER = join(import.meta.dirname, 'civic-react');

/** A page in `civic-react/`, as it was written for Civic's package or after its migration. */
export interface CivicPage {
  readonly file: `${'ethereum' | 'solana'}-${'before' | 'after'}.jsx`;
  readonly rpc: string;
  readonly query: Readonly<Record<string, string>>;
  /** Issues the pass of a wallet in the name of the page's back end. */
  readonly issue?: (wallet: string) => Promise<unknown>;
}

/**
 * Serves the page, its script, its back end, and the node of its network as a path, because a node allows no requests of other origins.
 * Resolves to the URL with the query of the page.
 */
export async function servePage({ file, rpc, query, issue }: CivicPage): Promise<{ url: string; stop(): void }> {
  const { outputFiles } = buildSync({
    entryPoints: [join(FOLDER, file)],
    inject: [join(FOLDER, 'buffer.js')],
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis' },
  });
  const script = outputFiles[0]?.text ?? '';
  const server = createServer(async (request, response) => {
    const send = (type: string, body: string) => {
      response.setHeader('content-type', type);
      response.end(body);
    };
    const { pathname } = new URL(request.url ?? '/', 'http://page');
    const [, wallet] = /^\/pass\/(\w+)$/.exec(pathname) ?? [];
    if (pathname === '/rpc') {
      const body = await text(request);
      const answer = await fetch(rpc, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
      send('application/json', await answer.text());
    } else if (wallet !== undefined) {
      send('application/json', JSON.stringify((await issue?.(wallet)) ?? {}));
    } else if (pathname === '/page.js') {
      send('text/javascript', script);
    } else {
      send(
        'text/html; charset=utf-8',
        '<!doctype html><div id="root"></div><script type="module" src="page.js"></script>',
      );
    }
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/?${new URLSearchParams(query)}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
