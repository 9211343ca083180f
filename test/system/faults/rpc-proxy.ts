import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { alteredAnswers, type Behind } from './altered-answers.ts';
import { json, parsed, postTo } from './ask-node.ts';
import { type FaultSource, isSend, type RpcCall, type RpcFault } from './rpc-fault.ts';

/** Stands in front of a node, on a port of its own, and lets requests fail as it is told. */
export interface RpcProxy {
  readonly url: string;
  /** How often each fault befell a request. */
  readonly befallen: ReadonlyMap<RpcFault['is'], number>;
  /** The paths it was asked by, with their queries. */
  readonly asked: ReadonlySet<string>;
  /** The signed bytes it was to hand on. */
  readonly sent: ReadonlySet<string>;
  stop(): Promise<void>;
}

export async function startRpcProxy(behind: Behind, faultFor: FaultSource): Promise<RpcProxy> {
  const befallen = new Map<RpcFault['is'], number>();
  const asked = new Set<string>();
  const sent = new Set<string>();
  const ending = new AbortController();
  const server = createServer((request, response) => {
    // The Worker has gone, or the node: either way nobody gets an answer.
    respond(request, response).catch(() => request.socket.destroy());
  });
  server.keepAliveTimeout = 600_000;
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;

  async function beGone(ms: number): Promise<void> {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await sleep(ms, undefined, { signal: ending.signal });
    while (!ending.signal.aborted && !server.listening) await listen(port).catch(() => sleep(50));
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    const calls = callsIn(body);
    asked.add(request.url ?? '');
    for (const { params } of calls.filter(isSend)) sent.add(String(params[0]));
    const fault = faultFor(calls);
    if (fault !== undefined) befallen.set(fault.is, (befallen.get(fault.is) ?? 0) + 1);
    const answer = (text: string, status = 200) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    if (fault === undefined) {
      const { status, text } = await postTo(behind.node, body);
      return answer(text, status);
    }
    switch (fault.is) {
      case 'refused':
        return beGone(fault.ms);
      case 'reset':
        return void request.socket.resetAndDestroy();
      case 'hang':
        await sleep(fault.ms, undefined, { signal: ending.signal });
        return void request.socket.destroy();
      case 'http':
        return void response.writeHead(fault.status, { 'content-type': 'text/html' }).end('<html>busy</html>');
      case 'malformed':
        return answer('[{"jsonrpc":"2.0","id":0,"resu');
      case 'echo': {
        const error = { code: -32600, message: quoting(request) };
        if (fault.in === 'page') return void response.writeHead(403).end(error.message);
        const refused = calls.map(({ id }) => ({ jsonrpc: '2.0', id, error }));
        const answers =
          fault.in === 'answers' ? refused : await alteredAnswers({ is: 'send-refused', error }, calls, behind);
        return answer(json(body.startsWith('[') ? answers : answers[0]));
      }
      case 'answer-lost':
        await postTo(behind.node, body);
        return void request.socket.resetAndDestroy();
      default: {
        const answers = await alteredAnswers(fault, calls, behind);
        return answer(json(body.startsWith('[') ? answers : (answers[0] ?? [])));
      }
    }
  }

  return {
    url: `http://127.0.0.1:${port}`,
    befallen,
    asked,
    sent,
    async stop() {
      ending.abort();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The URL that it was asked by, as it is and in other guises. */
function quoting({ headers, url }: IncomingMessage): string {
  const whole = `http://${headers.host}${url}`;
  return `no project at ${whole}, ${whole.toUpperCase()} or ${encodeURIComponent(whole)}`;
}

function callsIn(body: string): RpcCall[] {
  const calls = parsed(body) as RpcCall | RpcCall[];
  return Array.isArray(calls) ? calls : [calls];
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
