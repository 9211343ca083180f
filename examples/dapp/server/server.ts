import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { relayToNode } from './node-relay.ts';
import { createPasses } from './passes.ts';
import { Refusal } from './refusal.ts';
import { createSessions, type Wallet } from './sessions.ts';
import type { Network, Settings } from './settings.ts';
import { findFile } from './static-files.ts';

const BODY_MAX_BYTES = 65_536;
const COOKIE = 'dapp_session';

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const json = (value: unknown, status = 200, headers: Answer['headers'] = {}): Answer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(value),
  headers: { 'cache-control': 'no-store', ...headers },
});

/**
 * The back end of the dApp: it serves the built page, opens sessions, issues passes, and relays reads to the nodes.
 * @param files The folder of the built page.
 */
export function createBackEnd(settings: Settings, files: string): Server {
  const sessions = createSessions();
  const passes = createPasses(settings);

  const networkOf = (name: unknown): Network => {
    const network = settings.networks.find((each) => each.name === name);
    if (network === undefined) throw new Refusal(404, 'unknown_network', 'this dApp does not use that network');
    return network;
  };
  const publicSettings = {
    gatekeeperNetwork: settings.gatekeeperNetwork,
    contract: settings.contract,
    slot: settings.slot,
    networks: settings.networks.map(({ chain, name }) => ({ chain, name, rpc: `/rpc/${name}` })),
    testWallets: settings.testWallets,
  };

  async function answer(request: IncomingMessage): Promise<Answer> {
    const { pathname } = new URL(request.url ?? '/', 'http://back-end');
    const session = cookieOf(request);
    const [, place, first = '', second = ''] = pathname.split('/').map(decode);
    if (request.method === 'GET' || request.method === 'HEAD') {
      if (pathname === '/settings.json') return json(publicSettings);
      if (place === 'pass') {
        const network = networkOf(first);
        const wallet = sessions.find(session, { chain: network.chain, walletAddress: second });
        return json({
          signedIn: wallet !== undefined,
          ...(wallet && (await passes.find(network, wallet.walletAddress))),
        });
      }
      const file = findFile(files, pathname);
      if (file === undefined) throw new Refusal(404, 'not_found', 'no such page');
      return { status: 200, ...file, headers: PAGE_HEADERS };
    }
    if (request.method !== 'POST') throw new Refusal(405, 'method_refused', 'only GET and POST');
    const body = await readJson(request);
    if (place === 'rpc') {
      const { status, text } = await relayToNode(networkOf(first).rpc, body);
      return { status, type: 'application/json', body: text };
    }
    const fields = fieldsOf(body);
    if (pathname === '/challenge') return json({ message: sessions.challenge(originOf(request), walletOf(fields)) });
    if (pathname === '/session') {
      const isSecure = originOf(request).startsWith('https:');
      const id = await sessions.open(fields.message ?? '', fields.signature ?? '', session);
      const cookie = `${COOKIE}=${id}; HttpOnly; SameSite=Strict; Path=/; Max-Age=86400${isSecure ? '; Secure' : ''}`;
      return json({}, 200, { 'set-cookie': cookie });
    }
    if (place === 'pass') {
      const network = networkOf(first);
      const wallet = sessions.find(session, { chain: network.chain, walletAddress: second });
      if (wallet === undefined) throw new Refusal(401, 'sign_in', 'sign a challenge with this wallet first');
      return json(await passes.request(network, wallet.walletAddress));
    }
    throw new Refusal(404, 'not_found', 'no such route');
  }

  return createServer(async (request, response) => {
    const result = await answer(request).catch((fault: unknown): Answer => {
      if (fault instanceof Refusal) return json({ code: fault.code, message: fault.message }, fault.status);
      console.error(fault);
      return json({ code: 'fault', message: 'a fault of the server' }, 500);
    });
    send(response, result);
  });
}

/** Starts the server on 127.0.0.1, and resolves to its URL. */
export async function listen(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function send(response: ServerResponse, { status, type, body, headers = {} }: Answer): void {
  response.writeHead(status, {
    'x-content-type-options': 'nosniff',
    ...headers,
    ...(type && { 'content-type': type }),
  });
  response.end(body);
}

const PAGE_HEADERS = {
  'content-security-policy': "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** The origin that the browser names. A page of another origin cannot send JSON here, because no answer allows it (CORS). */
function originOf({ headers: { origin, host = '' } }: IncomingMessage): string {
  if (origin === undefined || !URL.canParse(origin) || new URL(origin).host !== host)
    throw new Refusal(403, 'origin_refused', 'the request is from another page');
  return origin;
}

function cookieOf({ headers: { cookie = '' } }: IncomingMessage): string | undefined {
  const pair = cookie.split(/; */).find((each) => each.startsWith(`${COOKIE}=`));
  return pair?.slice(COOKIE.length + 1);
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? ''))
    throw new Refusal(415, 'not_json', 'the body must be JSON');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_MAX_BYTES) throw new Refusal(413, 'too_large', 'the body is too large');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new Refusal(400, 'not_json', 'the body must be JSON');
  }
}

/** Returns the texts of an object. */
function fieldsOf(body: unknown): Readonly<Record<string, string | undefined>> {
  if (typeof body !== 'object' || body === null) throw new Refusal(400, 'not_json', 'the body must be an object');
  return Object.fromEntries(Object.entries(body).filter(([, value]) => typeof value === 'string'));
}

function walletOf({ chain, walletAddress = '' }: Readonly<Record<string, string | undefined>>): Wallet {
  if (chain !== 'ethereum' && chain !== 'solana') throw new Refusal(400, 'unknown_chain', 'chain: ethereum or solana');
  return { chain, walletAddress };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
