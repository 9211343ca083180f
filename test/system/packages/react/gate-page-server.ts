import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { buildSync } from 'esbuild';

const PROJECT = join(import.meta.dirname, '../../../..');

/** The other end of the page's requests to its own origin. The test changes it. */
export interface Behavior {
  /** Answers the page's request for a pass. Undefined: the back end refuses. */
  issue: ((request: { readonly wallet: string; readonly reason: string }) => Promise<unknown>) | undefined;
  /** Whether the node answers. */
  hasNode: boolean;
  /** Resolves when the node may answer. */
  beforeAnswer: (body: string) => Promise<void>;
}

/** Serves the page with its script, its back end, and the node as a path of the same origin. */
export async function serveGatePage(nodeUrl: string) {
  const { outputFiles } = buildSync({
    entryPoints: [join(import.meta.dirname, 'gate-page.tsx')],
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"development"' },
    alias: { '@gatepass/client/verify': join(PROJECT, 'packages/client/src/verify.ts') },
  });
  const script = outputFiles[0]?.text ?? '';
  const behavior: Behavior = { issue: undefined, hasNode: true, beforeAnswer: async () => undefined };
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const [path] = (request.url ?? '').split('?');
    if (path === '/page.js') return response.setHeader('content-type', 'text/javascript').end(script);
    if (path === '/rpc') {
      const body = await text(request);
      asked.push(body);
      await behavior.beforeAnswer(body);
      if (!behavior.hasNode) return response.writeHead(503).end();
      const answer = await fetch(nodeUrl, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
      return response.setHeader('content-type', 'application/json').end(await answer.text());
    }
    if (path === '/issue') {
      const record = await behavior.issue?.(JSON.parse(await text(request)));
      return response.writeHead(record === undefined ? 403 : 200).end(JSON.stringify(record));
    }
    response.setHeader('content-type', 'text/html').end(PAGE);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behavior,
    /** The bodies of the requests to the node. */
    asked,
    stop: () => server.close(),
  };
}

const PAGE = `<!doctype html><html lang="en"><head><title>Gate</title><meta charset="utf-8"></head>
<body><main><h1>Gate</h1><div id="root"></div></main><script type="module" src="/page.js"></script></body></html>`;
