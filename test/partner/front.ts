import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What becomes of a request instead of being passed on; `silence` and `half` end the connection, before or in the answer. */
export type Instead = 'silence' | 'half' | Answer;

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request that came, and when, as `performance.now()` counts. */
interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly at: number;
}

/** A server in front of another one, as gateways are: passes everything on, and fails when it is told to. */
export class Front {
  readonly seen: Seen[] = [];
  /** For as many of the requests to come. */
  instead: Instead[] = [];
  /** What it makes of bodies that it passes back. */
  alter = (body: string) => body;
  readonly #target: string;
  readonly #server = createServer((request, response) => {
    // One of the two sides has gone.
    this.#respond(request, response).catch(() => request.socket.destroy());
  });

  /** @param target Origin of the server behind it. */
  constructor(target: string) {
    this.#target = target;
  }

  /** Resolves to its origin. */
  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Forgets what it has seen, and what it was told. */
  reset(): void {
    this.seen.length = 0;
    this.instead = [];
    this.alter = (body) => body;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    this.seen.push({ method, path, headers, at: performance.now() });
    const instead = this.instead.shift();
    const body = await textOf(request);
    if (instead === 'silence') return void request.socket.destroy();
    const answer = typeof instead === 'object' ? instead : await this.#passOn(method, path, headers, body);
    response.writeHead(answer.status, answer.headers);
    if (instead !== 'half') return void response.end(answer.body);
    response.write(answer.body?.slice(0, 10), () => request.socket.destroy());
  }

  async #passOn(method: string, path: string, headers: IncomingMessage['headers'], body: string): Promise<Answer> {
    const passed = Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)) as [string, string][];
    const answer = await fetch(this.#target + path, {
      method,
      headers: passed,
      body: body === '' ? null : body,
      redirect: 'manual',
    });
    const back = [...answer.headers].filter(([name]) => !HOP_BY_HOP.includes(name));
    return { status: answer.status, headers: Object.fromEntries(back), body: this.alter(await answer.text()) };
  }
}

/** Of one connection (RFC 9110, section 7.6.1), or of the form in which the body was sent over it. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'host', 'transfer-encoding', 'content-length', 'content-encoding'];

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
