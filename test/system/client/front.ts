import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What becomes of a request instead of being passed on; `silence` and `half` end the connection, before or in the answer. */
export type Instead = 'silence' | 'half' | Answer;

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request that came, and when, as `performance.now()` counts. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
}

/** A server in front of another one, as gateways are: passes everything on, and fails when it is told to. */
export class Front {
  readonly seen: Seen[] = [];
  /** For as many of the requests to come. */
  instead: Instead[] = [];
  /** For those after them: undefined where the request is passed on. */
  insteadOfEach = (_request: Seen): Instead | undefined => undefined;
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
    this.insteadOfEach = () => undefined;
    this.alter = (body) => body;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** What becomes of the request, the newest seen; undefined when it is passed on. */
  protected insteadOf(request: Seen): Instead | undefined {
    return this.instead.shift() ?? this.insteadOfEach(request);
  }

  /** The answer of the server behind it. */
  protected async passOn({ method, path, headers, body }: Seen): Promise<Answer> {
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

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = performance.now();
    const { method = '', url: path = '', headers } = request;
    const seen = { method, path, headers, body: await text(request), at };
    this.seen.push(seen);
    const instead = this.insteadOf(seen);
    if (instead === 'silence') return void request.socket.destroy();
    const answer = typeof instead === 'object' ? instead : await this.passOn(seen);
    response.writeHead(answer.status, answer.headers);
    if (instead !== 'half') return void response.end(answer.body);
    response.write(answer.body?.slice(0, 10), () => request.socket.destroy());
  }
}

/** Of one connection (RFC 9110, section 7.6.1), or of the form in which the body was sent over it. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'host', 'transfer-encoding', 'content-length', 'content-encoding'];
