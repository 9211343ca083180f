import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { answerCall, isTestControl, LostAnswer } from './json-rpc.ts';
import { PARSE_ERROR } from './rpc-error.ts';
import type { SolanaNode } from './solana-node.ts';

/** Bytes (Agave: `MAX_REQUEST_BODY_SIZE`). */
const BODY_MAX_BYTES = 50 * 1024;
const KEEP_ALIVE_MS = 600_000;

/** Serves JSON-RPC 2.0 over HTTP on that port of 127.0.0.1. Throws if the port is in use. */
export async function startRpcServer(node: SolanaNode, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    respond(node, request, response).catch((error: unknown) => {
      // Either the client disconnected, or the node has a defect. In that case this line is its only trace.
      if (!request.socket.destroyed) console.error(error);
      request.socket.destroy();
    });
  });
  // As long as other nodes, so that a client does not reuse a connection that was just closed.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function respond(node: SolanaNode, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = (status: number, body: string) => response.writeHead(status, { 'content-type': 'text/plain' }).end(body);
  if (request.method === 'GET' && request.url === '/health') return void text(200, 'ok');
  if (request.method !== 'POST') return void text(405, 'Used HTTP Method is not allowed. POST or OPTIONS is required');
  if (!request.headers['content-type']?.startsWith('application/json')) {
    return void text(415, 'Supplied content type is not allowed. Content-Type: application/json is required');
  }
  const body = await readBody(request);
  if (body === undefined) {
    node.requests.http++;
    return void text(413, 'Payload too large');
  }
  try {
    const reply = toJson(await answerBody(node, body));
    response.writeHead(200, { 'content-type': 'application/json' }).end(reply);
  } catch (error) {
    if (!(error instanceof LostAnswer)) throw error;
    const { fault } = error;
    if ('http' in fault) text(fault.http, 'as the test wants it');
    else if ('garbage' in fault)
      response.writeHead(200, { 'content-type': 'application/json' }).end('<html>busy</html>');
    else if ('reset' in fault) request.socket.resetAndDestroy();
  }
}

/** A single call or a batch. */
async function answerBody(node: SolanaNode, body: string): Promise<unknown> {
  const calls = parseJson(body);
  const all = Array.isArray(calls) ? calls : [calls];
  if (!all.every(isTestControl)) node.requests.http++;
  if (calls === undefined) {
    return { jsonrpc: '2.0', error: { code: PARSE_ERROR, message: 'Parse error' }, id: null };
  }
  const replies: unknown[] = [];
  for (const call of all) replies.push(await answerCall(node, call));
  return Array.isArray(calls) ? replies : replies[0];
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Returns the body; undefined if it is too long. It is read to its end in any case, so that the client gets the answer. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length <= BODY_MAX_BYTES) chunks.push(chunk);
  }
  return length > BODY_MAX_BYTES ? undefined : Buffer.concat(chunks).toString();
}

/** Numbers of 64 bits are JSON numbers of any length. */
function toJson(value: unknown): string {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? rawJSON(String(each)) : each));
}
