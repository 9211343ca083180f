import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { AWS } from './aws.ts';
import type { AwsCredentials, KmsCredentials, KmsFacts, ServiceAccount } from './credentials.ts';
import { Faults, type KmsFault } from './faults.ts';
import { GCP } from './gcp.ts';
import { createKeys } from './keys.ts';
import { demandKey, type Protocol } from './protocol.ts';
import { KmsRefusal, type KmsRequest } from './refusal.ts';
import { createServiceAccount } from './service-account.ts';

/** How many calls the KMS has answered since the last reset. */
export interface KmsCalls {
  readonly sign: number;
  readonly 'public-key': number;
  /** Requests with a wrong credential, and requests that are no call. */
  readonly refused: number;
  /** The largest number of calls at the same time. */
  readonly parallel: number;
}

export interface KmsServer extends KmsFacts {
  /** Replaces all faults, and ends the connections that hang. An empty list makes the KMS well again. */
  setFaults(faults: readonly KmsFault[]): void;
  /** Takes the credentials back, as an operator does at the vendor, and returns new ones. */
  replaceCredentials(): Promise<KmsCredentials>;
  readCalls(): KmsCalls;
  resetCalls(): void;
  stop(): void;
}

interface KmsOptions {
  /** 0: any free port. */
  readonly port?: number | undefined;
  /** Folder that keeps the credentials. */
  readonly state?: string | undefined;
}

const NO_CALLS: KmsCalls = { sign: 0, 'public-key': 0, refused: 0, parallel: 0 };

/**
 * Starts a key management service that speaks the protocols of AWS KMS and Google Cloud KMS, and checks their credentials. It uses
 * `node:crypto` only, so that no fault of the Worker's packages is in both. A test in another process sets faults with
 * `PUT /localnet/faults`, reads the numbers with `GET /localnet/calls`, and resets them with `DELETE`.
 */
export async function startKms({ port = 0, state }: KmsOptions = {}): Promise<KmsServer> {
  const keys = createKeys();
  const faults = new Faults();
  const hanging = new Set<ServerResponse>();
  let calls = NO_CALLS;
  let open = 0;

  function setFaults(next: readonly KmsFault[]): void {
    faults.replace(next);
    for (const response of hanging) response.destroy();
    hanging.clear();
  }
  const count = (name: keyof KmsCalls) => {
    calls = { ...calls, [name]: calls[name] + 1 };
  };
  const resetCalls = () => {
    calls = NO_CALLS;
  };

  /** Returns the call if its credential is right, its faults, and the time of the KMS. Throws KmsRefusal. */
  function admit(protocol: Protocol, request: KmsRequest) {
    try {
      const call = protocol.readCall(request);
      const active = faults.take(call);
      const nowMs = Date.now() + (active.get('clock')?.ms ?? 0);
      protocol.checkCredential(request, credentials, nowMs);
      count(call.operation);
      return { call, active, nowMs };
    } catch (error) {
      count('refused');
      throw error;
    }
  }

  /** Answers a request, or ends its connection. */
  async function answer(request: KmsRequest, response: ServerResponse): Promise<void> {
    const protocol = request.target.startsWith('/v1/') ? GCP : AWS;
    response.setHeader('content-type', protocol.contentType);
    try {
      const { call, active, nowMs } = admit(protocol, request);
      // The clients of AWS correct their clock by it.
      response.setHeader('date', new Date(nowMs).toUTCString());
      if (active.has('drop')) return void response.destroy();
      if (active.has('stall')) response.write('{');
      if (active.has('stall') || active.has('hang')) return void hanging.add(response);
      await sleep(active.get('delay')?.ms ?? 0);
      const key = demandKey(keys, call, active, protocol.refusals);
      response.end(JSON.stringify(call.answer(key, active)));
    } catch (error) {
      if (!(error instanceof KmsRefusal)) throw error;
      response.writeHead(error.status).end(JSON.stringify(protocol.errorBodyOf(error)));
    }
  }

  /** Returns the answer to a test; undefined if the request is none of a test. */
  function control(request: string, body: Buffer): object | undefined {
    const shown = calls;
    if (request === 'PUT /localnet/faults') setFaults(JSON.parse(body.toString()));
    else if (request === 'DELETE /localnet/calls') resetCalls();
    else if (request !== 'GET /localnet/calls') return undefined;
    return shown;
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: target = '/' } = incoming;
    const body = await buffer(incoming);
    const controlled = control(`${method} ${target}`, body);
    if (controlled !== undefined) return void response.end(JSON.stringify(controlled));
    open += 1;
    response.once('close', () => {
      open -= 1;
    });
    calls = { ...calls, parallel: Math.max(calls.parallel, open) };
    const headers = Object.entries(incoming.headers).map(([name, value]) => [name, [value].flat().join(',')]);
    await answer({ method, target, headers: Object.fromEntries(headers), body }, response);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  // The local Workers runtime fails on an idle connection that the server closes, which Node does after 5 s by default.
  server.keepAliveTimeout = 600_000;
  const stored = await readOrCreateCredentials(state);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const atThisUrl = ({ aws, gcp }: StoredCredentials): KmsCredentials => ({
    aws: { ...aws, endpoint: url },
    gcp: { ...gcp, endpoint: url },
  });
  let credentials = atThisUrl(stored);
  return {
    url,
    get credentials() {
      return credentials;
    },
    setFaults,
    async replaceCredentials() {
      credentials = atThisUrl(await createCredentials());
      return credentials;
    },
    readCalls: () => calls,
    resetCalls,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface StoredCredentials {
  readonly aws: AwsCredentials;
  readonly gcp: ServiceAccount;
}

async function readOrCreateCredentials(state: string | undefined): Promise<StoredCredentials> {
  const file = state && join(state, 'kms-credentials.json');
  if (file && existsSync(file)) return JSON.parse(await readFile(file, 'utf8'));
  const credentials = await createCredentials();
  if (file) await writeFile(file, JSON.stringify(credentials), { mode: 0o600 });
  return credentials;
}

const createCredentials = async (): Promise<StoredCredentials> => ({
  aws: {
    accessKeyId: `ASIA${randomBytes(8).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(30).toString('base64'),
    sessionToken: randomBytes(60).toString('base64'),
  },
  gcp: await createServiceAccount(),
});
