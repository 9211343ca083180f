import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * Cloudflare's documented routes for the versions and deployments of one Worker, without the upload. Any other route answers 404, and
 * `unknown` has it, so that a test fails when wrangler asks for more.
 */

/** A version as `GET /versions/ID` returns it. */
export interface ApiVersion {
  readonly id: string;
  readonly number: number;
  readonly metadata: { readonly created_on: string; readonly source: string; readonly author_email: string };
  readonly annotations: Readonly<Record<string, string>>;
  readonly resources: {
    readonly script: { readonly etag: string; readonly handlers: readonly string[] };
    readonly script_runtime: { readonly usage_model: string; readonly migration_tag?: string };
    readonly bindings: readonly { readonly type: string; readonly name: string; readonly text?: string }[];
  };
}

interface Deployment {
  readonly id: string;
  readonly created_on: string;
  readonly versions: readonly { readonly version_id: string; readonly percentage: number }[];
}

export const ACCOUNT = 'a'.repeat(32);

export class VersionRoutes {
  exists = true;
  versions: ApiVersion[] = [];
  /** The newest first, as the API returns them. */
  deployments: Deployment[] = [];
  /** The secrets changed since the version of a new deployment: Cloudflare refuses it without `force`. */
  refusesForSecrets = false;
  readonly unknown: string[] = [];
  readonly #server = createServer((request, response) => {
    this.#answer(request).then(([status, body]) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
  });

  /** Starts the server and returns the variables with which wrangler uses it. */
  async start(): Promise<Readonly<Record<string, string>>> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    return {
      CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/client/v4`,
      CLOUDFLARE_API_TOKEN: 'token-of-the-test',
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
    };
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  /** Deploys versions by their shares, newest first. */
  deploy(...versions: Deployment['versions']): void {
    const created_on = new Date(Date.UTC(2026, 10, 1, 0, this.deployments.length)).toISOString();
    this.deployments.unshift({ id: crypto.randomUUID(), created_on, versions });
  }

  async #answer(request: IncomingMessage): Promise<[number, object]> {
    const { pathname, search } = new URL(request.url ?? '', 'http://127.0.0.1');
    const path = pathname.replace(`/client/v4/accounts/${ACCOUNT}/workers/scripts/gatepass-production`, '');
    const route = `${request.method} ${path}${search}`;
    if (!this.exists) return failed(404, 10007, 'This Worker does not exist on your account.');
    if (route === 'GET /deployments') return found({ deployments: this.deployments });
    if (route === 'GET /versions?deployable=true') return found({ items: [...this.versions] });
    if (route === 'PATCH /script-settings') return found(JSON.parse(await text(request)));
    const version = this.versions.find(({ id }) => route === `GET /versions/${id}`);
    if (version) return found(version);
    if (route === 'POST /deployments') {
      if (this.refusesForSecrets) return failed(400, 10220, 'The following secrets have changed: RPC_ENDPOINTS');
      const { strategy, versions } = JSON.parse(await text(request));
      if (strategy !== 'percentage') return failed(400, 10021, 'unknown strategy');
      this.deploy(...versions);
      return found({ id: this.deployments[0]?.id });
    }
    if (path !== '' && pathname.includes('/scripts/')) this.unknown.push(route);
    return failed(404, 7003, 'no such route');
  }
}

const found = (result: object): [number, object] => [200, { success: true, errors: [], messages: [], result }];
const failed = (status: number, code: number, message: string): [number, object] => [
  status,
  { success: false, errors: [{ code, message }], messages: [], result: null },
];
