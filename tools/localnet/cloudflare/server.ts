import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import * as v from 'valibot';
import { Account } from './account.ts';
import { ASSET_ROUTES } from './asset-routes.ts';
import { D1_ROUTES } from './d1-routes.ts';
import { QUEUE_ROUTES } from './queue-routes.ts';
import { ApiRefusal } from './refusal.ts';
import { type ApiRoute, type Permission, pageOf, type Reply } from './route.ts';
import { SCRIPT_ROUTES } from './script-routes.ts';

/**
 * An imitation of the part of Cloudflare's API with which wrangler sets up and releases a Worker. It is no Cloudflare: it checks no
 * code, runs no Worker (`runtime.ts` can), and knows only the requests that the installed wrangler makes. A request that it does not
 * know, or whose body has another shape, gets an error and is listed in `unknown`, so that a test notices.
 */
export interface Cloudflare {
  /** Variables with which wrangler uses the imitation. */
  readonly env: Readonly<Record<string, string>>;
  readonly account: Account;
  /** Requests so far, as `METHOD path`, with names instead of ids. */
  readonly requests: string[];
  readonly unknown: string[];
  /** The token lacks these permissions. */
  readonly denied: Set<Permission>;
  /** Called before each request. It may throw ApiRefusal, or wait. */
  beforeRequest: (request: string) => void | Promise<void>;
  stop(): Promise<void>;
}

const TOKEN = 'imitated-token';
/** Wrangler asks who the caller is to explain a refusal. */
const USER_ROUTES: readonly ApiRoute[] = [
  {
    method: 'GET',
    path: '/user/tokens/verify',
    handle: () => ({ result: { id: TOKEN, status: 'active' } }),
  },
  {
    method: 'GET',
    path: '/user',
    handle: () => ({ result: { id: TOKEN, email: 'operator@acme.test' } }),
  },
  {
    method: 'GET',
    path: '/accounts',
    query: ['page'],
    handle: ({ account: { id }, query }) => pageOf([{ id, name: 'Acme' }], query),
  },
  {
    method: 'GET',
    path: '/memberships',
    query: ['page'],
    handle: ({ account: { id }, query }) =>
      pageOf([{ id, account: { id, name: 'Acme' }, roles: ['Administrator'] }], query),
  },
];
const ROUTES: readonly ApiRoute[] = [...D1_ROUTES, ...QUEUE_ROUTES, ...SCRIPT_ROUTES, ...ASSET_ROUTES, ...USER_ROUTES];

export async function startCloudflare(): Promise<Cloudflare> {
  const account = new Account();
  const cloudflare = {
    account,
    requests: [] as string[],
    unknown: [] as string[],
    denied: new Set<Permission>(),
    beforeRequest: (_: string): void | Promise<void> => undefined,
  };
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const answer = await answerTo(request, body).catch((error: unknown) => refusalOf(error, request));
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/client/v4`;

  function refusalOf(error: unknown, { method, url }: IncomingMessage): Response {
    if (error instanceof v.ValiError) {
      cloudflare.unknown.push(`${method} ${url}: ${error.message} at ${v.getDotPath(error.issues[0])}`);
      return envelope({ result: null }, 400, [{ code: 10001, message: `Unexpected body: ${error.message}` }]);
    }
    if (!(error instanceof ApiRefusal)) {
      cloudflare.unknown.push(`${method} ${url}: ${(error as Error).stack}`);
      return envelope({ result: null }, 500, [{ code: 10000, message: 'The imitation failed' }]);
    }
    return envelope({ result: null }, error.status, [{ code: error.code, message: error.message }]);
  }

  async function answerTo(request: IncomingMessage, body: Buffer): Promise<Response> {
    const { method = '', headers } = request;
    const url = new URL(request.url ?? '', base);
    const prefix = `/client/v4/accounts/${account.id}`;
    const path = url.pathname.replace(prefix, '').replace('/client/v4', '');
    const found = matchRoute(method, path, url.searchParams);
    if (found === undefined) {
      cloudflare.unknown.push(`${method} ${request.url}`);
      throw new ApiRefusal(404, 7003, `The imitation has no route ${method} ${request.url}`);
    }
    const [route, params] = found;
    cloudflare.requests.push(`${method} ${route.path}`);
    // An upload of assets has the token of its session.
    if (headers.authorization !== `Bearer ${TOKEN}` && !route.path.startsWith('/workers/assets/'))
      throw new ApiRefusal(401, 10000, 'Authentication error');
    if (route.permission && cloudflare.denied.has(route.permission))
      throw new ApiRefusal(403, 10000, 'Authentication error');
    await cloudflare.beforeRequest(`${method} ${route.path}`);
    const contentType = headers['content-type'] ?? '';
    const json = parseJson(body);
    const reply = await route.handle({ account, params, query: url.searchParams, json, body, contentType });
    return envelope(reply, reply.status);
  }

  return Object.assign(cloudflare, {
    env: {
      CLOUDFLARE_API_BASE_URL: base,
      CLOUDFLARE_API_TOKEN: TOKEN,
      CLOUDFLARE_ACCOUNT_ID: account.id,
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

function matchRoute(
  method: string,
  path: string,
  query: URLSearchParams,
): [ApiRoute, Readonly<Record<string, string>>] | undefined {
  for (const route of ROUTES) {
    const pattern = new RegExp(`^${route.path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
    const groups = pattern.exec(path);
    if (route.method !== method || !groups) continue;
    if ([...query.keys()].some((name) => !route.query?.includes(name))) continue;
    return [route, { ...groups.groups }];
  }
  return undefined;
}

function envelope({ result, result_info }: Reply, status = 200, errors: readonly object[] = []): Response {
  return Response.json({ success: status < 300, errors, messages: [], result, result_info }, { status });
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
