import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerAws, readAwsCall } from './aws.ts';
import { type Call, Faults, type KmsFault } from './faults.ts';
import { answerGcp, readGcpCall } from './gcp.ts';
import { AWS_REGION, createKeys } from './keys.ts';
import { KmsRefusal, type KmsRequest } from './refusal.ts';
import { checkServiceAccountToken, createServiceAccount, type ServiceAccount } from './service-account.ts';
import { type AwsCredentials, checkSigV4 } from './sigv4.ts';

/** The content of the Worker's secret `KMS_CREDENTIALS`. */
export interface KmsCredentials {
  readonly aws: AwsCredentials & { readonly endpoint: string };
  readonly gcp: ServiceAccount & { readonly endpoint: string };
}

/** How many calls the KMS has received, and how many at most at the same time. Refused calls count too. */
export interface KmsCalls {
  readonly sign: number;
  readonly 'public-key': number;
  /** Calls with a wrong credential, and requests that are no call. */
  readonly refused: number;
  readonly parallel: number;
}

export interface KmsServer {
  readonly url: string;
  readonly credentials: KmsCredentials;
  /** Replaces all faults. An empty list makes the KMS well again, and ends the connections that hang. */
  setFaults(faults: readonly KmsFault[]): void;
  /** Returns the numbers since the last reset. */
  readCalls(): KmsCalls;
  resetCalls(): void;
  stop(): void;
}

interface KmsOptions {
  /** 0: any free port. */
  readonly port?: number | undefined;
  /** Folder that keeps the credentials. */
  readonly state?: string | undefined;
  readonly faults?: readonly KmsFault[];
}

const NO_CALLS: KmsCalls = { sign: 0, 'public-key': 0, refused: 0, parallel: 0 };
const ENDPOINT_OF_FAULTS = '/localnet/faults';
const ENDPOINT_OF_CALLS = '/localnet/calls';

/**
 * Starts a key management service that speaks the protocols of AWS KMS and Google Cloud KMS, and checks their credentials. It uses
 * `node:crypto` only, so that no fault of the Worker's packages is in both. A test in another process sets faults with
 * `PUT /localnet/faults`, reads the numbers with `GET /localnet/calls`, and resets them with `DELETE`.
 */
export async function startKms({ port = 0, state, faults: initial = [] }: KmsOptions = {}): Promise<KmsServer> {
  const keys = new Map(createKeys().map((key) => [key.name, key]));
  const stored = await readOrCreateCredentials(state);
  const faults = new Faults();
  faults.replace(initial);
  let calls = NO_CALLS;
  let open = 0;
  const hanging = new Set<ServerResponse>();

  function setFaults(next: readonly KmsFault[]): void {
    faults.replace(next);
    for (const response of hanging) response.destroy();
    hanging.clear();
  }
  const resetCalls = () => {
    calls = NO_CALLS;
  };

  /** Returns the call of a request whose credential is right. */
  function authenticate<Read extends Call>(read: (request: KmsRequest) => Read, request: KmsRequest) {
    const call = read(request);
    const active = faults.take(call);
    const now = Date.now() + (active.get('clock')?.ms ?? 0);
    if (call.vendor === 'aws') checkSigV4(request, stored.aws, AWS_REGION, now);
    else checkServiceAccountToken(request.headers.authorization, stored.gcp, now);
    return { call, active, now };
  }

  /** Returns the body of an answer; undefined if the connection ends without one. */
  async function answer(request: KmsRequest, response: ServerResponse): Promise<object | undefined> {
    const isGcp = request.target.startsWith('/v1/');
    const called = isGcp ? { gcp: authenticate(readGcpCall, request) } : { aws: authenticate(readAwsCall, request) };
    const { call, active, now } = (called.gcp ?? called.aws) as ReturnType<typeof authenticate>;
    calls = { ...calls, [call.operation]: calls[call.operation] + 1 };
    response.setHeader('date', new Date(now).toUTCString());
    if (active.has('drop')) return undefined;
    if (active.has('hang')) {
      hanging.add(response);
      await once(response, 'close');
      return undefined;
    }
    await sleep(active.get('delay')?.ms ?? 0);
    const key = keys.get(call.key);
    const own = key?.vendor === call.vendor ? key : undefined;
    return called.gcp ? answerGcp(called.gcp.call, own, active) : answerAws(called.aws.call, own, active);
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const target = incoming.url ?? '/';
    const controlled = control(incoming.method, target, body);
    if (controlled !== undefined) return send(response, 200, controlled);
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, [value].flat().join(',')]),
    );
    const before = calls.sign + calls['public-key'];
    open += 1;
    calls = { ...calls, parallel: Math.max(calls.parallel, open) };
    try {
      const answered = await answer({ method: incoming.method ?? '', target, headers, body }, response);
      if (answered === undefined) incoming.socket.destroy();
      else send(response, 200, answered, contentTypeFor(target));
    } catch (error) {
      if (!(error instanceof KmsRefusal)) throw error;
      if (calls.sign + calls['public-key'] === before) calls = { ...calls, refused: calls.refused + 1 };
      send(response, error.status, errorBodyOf(error, target), contentTypeFor(target));
    } finally {
      open -= 1;
    }
  }

  /** Returns the answer to a request of a test; undefined if the request is none. */
  function control(method: string | undefined, target: string, body: Buffer): object | undefined {
    if (target === ENDPOINT_OF_FAULTS && method === 'PUT') {
      setFaults(JSON.parse(body.toString()));
      return {};
    }
    if (target !== ENDPOINT_OF_CALLS) return undefined;
    const shown = calls;
    if (method === 'DELETE') resetCalls();
    return shown;
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  // The local Workers runtime fails on an idle connection that the server closes, which Node does after 5 s by default.
  server.keepAliveTimeout = 600_000;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    credentials: { aws: { ...stored.aws, endpoint: url }, gcp: { ...stored.gcp, endpoint: url } },
    setFaults,
    readCalls: () => calls,
    resetCalls,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const contentTypeFor = (target: string) =>
  target.startsWith('/v1/') ? 'application/json; charset=UTF-8' : 'application/x-amz-json-1.1';

/** Returns the error in the form of the vendor. */
function errorBodyOf({ status, type, message }: KmsRefusal, target: string): object {
  return target.startsWith('/v1/') ? { error: { code: status, message, status: type } } : { __type: type, message };
}

function send(response: ServerResponse, status: number, body: object, type = 'application/json'): void {
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));
}

async function readOrCreateCredentials(
  state: string | undefined,
): Promise<{ aws: AwsCredentials; gcp: ServiceAccount }> {
  const file = state && join(state, 'kms-credentials.json');
  if (file && existsSync(file)) return JSON.parse(await readFile(file, 'utf8'));
  const credentials = {
    aws: {
      accessKeyId: `ASIA${randomBytes(8).toString('hex').toUpperCase()}`,
      secretAccessKey: randomBytes(30).toString('base64'),
      sessionToken: randomBytes(60).toString('base64'),
    },
    gcp: await createServiceAccount(),
  };
  if (file) await writeFile(file, JSON.stringify(credentials), { mode: 0o600 });
  return credentials;
}
