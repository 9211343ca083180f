import type { PassRecord } from '../../../src/pass/record.ts';
import { chainOf } from './chain-of.ts';

export type { PassRecord };

export type Send = (request: Request) => Promise<Response>;

export interface Search {
  readonly limit?: number;
  readonly skip?: number;
  readonly after?: string | undefined;
  readonly filter?: {
    readonly state?: string;
    readonly walletAddress?: string;
    readonly reference?: string | null;
    readonly subject?: string | null;
    readonly chain?: { readonly type: string; readonly network: string };
    readonly walletPrefix?: string;
    readonly validity?: string;
    readonly expiresBefore?: number;
  };
  readonly order?: string;
  readonly count?: boolean;
}

/** A change; expiry in Unix seconds. Null removes a reference. */
export interface Update {
  readonly state?: string;
  readonly reason?: string;
  readonly expiryTimestamp?: number;
  readonly reference?: string | null;
  readonly subject?: string | null;
}

/** A request as the service receives it. */
export interface Call {
  readonly method: string;
  /** Path with its query. */
  readonly path: string;
}

export interface CallInit {
  readonly body?: NonNullable<RequestInit['body']>;
  readonly headers?: NonNullable<RequestInit['headers']>;
}

/** Thrown for a reply that is not 2xx. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  /** The problem document, or the text of a reply that has none. */
  readonly problem: unknown;

  constructor(request: string, status: number, text: string) {
    super(`${request}: ${status} ${text}`);
    this.status = status;
    this.problem = /^\s*\{/.test(text) ? JSON.parse(text) : text;
  }
}

interface ClientOptions {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly send: Send;
  /** Returns an access token; undefined sends the request without one. */
  readonly token: () => Promise<string | undefined>;
}

/**
 * A client of the partners' API, in Node and in the Worker runtime. A subclass defines the result of a reply: `Pass` for one pass,
 * `Page` for a search. `network` is the name of a network (`sepolia`), or a chain and a network (`ethereum/sepolia`) that need not
 * exist.
 */
export abstract class PartnerClient<Pass, Page> {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  protected abstract readPass(response: Response, call: Call): Promise<Pass>;
  protected abstract readPage(response: Response, call: Call): Promise<Page>;

  issue(network: string, walletAddress: string, more: Omit<Update, 'state'> = {}): Promise<Pass> {
    return this.#pass('POST', `/pass/${pairOf(network)}`, { walletAddress, ...more });
  }

  fetch(network: string, wallet: string): Promise<Pass> {
    return this.#pass('GET', pathOf(network, wallet));
  }

  update(network: string, wallet: string, update: Update): Promise<Pass> {
    return this.#pass('PATCH', pathOf(network, wallet), update);
  }

  revoke(network: string, wallet: string): Promise<Pass> {
    return this.#pass('DELETE', pathOf(network, wallet));
  }

  /** Makes the service read the chain now. */
  sync(network: string, wallet: string): Promise<Pass> {
    return this.#pass('POST', `${pathOf(network, wallet)}/sync`);
  }

  async search(search?: Search): Promise<Page> {
    return this.readPage(...(await this.exchange('POST', '/pass', jsonInit(search))));
  }

  /** Sends any request with the partner's token. A content type is sent only if `headers` has one. */
  protected async exchange(method: string, path: string, init: CallInit = {}): Promise<[Response, Call]> {
    const { baseUrl, send, token } = this.#options;
    const request = new Request(baseUrl + path, { method, redirect: 'manual', ...(init.body && { body: init.body }) });
    // A Request adds the content type of its body by itself.
    request.headers.delete('content-type');
    for (const [name, value] of new Headers(init.headers)) request.headers.set(name, value);
    const bearer = await token();
    if (bearer !== undefined) request.headers.set('authorization', `Bearer ${bearer}`);
    const call = { method, path: request.url.slice(baseUrl.length) };
    return [await send(request), call];
  }

  async #pass(method: string, path: string, body?: object): Promise<Pass> {
    return this.readPass(...(await this.exchange(method, path, jsonInit(body))));
  }
}

/** Returns the request options of a JSON body; empty without a body. */
export function jsonInit(body: unknown): CallInit {
  return body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

function pathOf(network: string, wallet: string): string {
  return `/pass/${pairOf(network)}/${wallet}`;
}

function pairOf(network: string): string {
  return network.includes('/') ? network : `${chainOf(network)}/${network}`;
}
