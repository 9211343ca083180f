import { env, exports } from 'cloudflare:workers';
import { inject } from 'vitest';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import worker from '../../../src/worker.ts';
import { fetchToken } from '../../../tools/localnet/partner/fetch-token.ts';
import {
  type Call,
  type CallInit,
  jsonInit,
  PartnerClient,
  type Send,
} from '../../../tools/localnet/partner/partner-client.ts';
import { Answer, type PassRecord } from './answer.ts';
import { nextBlock } from './node.ts';

export type { Send };

/** The Worker with the bindings, queue, objects and alarms of a deployment. */
export const deployed: Send = (request) => exports.default.fetch(request);

/** The Worker with other variables or bindings. */
export function workerWith(changes: Readonly<Partial<Record<string, unknown>>>): Send {
  // A test that replaces the queue means both, and also the way of freezes and revocations beside it.
  const ways = 'PASS_QUEUE' in changes && {
    BULK_PASS_QUEUE: changes.PASS_QUEUE,
    PASSES: withoutHurry((env as Env).PASSES),
  };
  const changed = { ...env, ...ways, ...changes } as Env;
  const send: Send = (request) => worker.fetch(request, changed);
  basePaths.set(send, String(changes.BASE_PATH ?? ''));
  return send;
}

/** Returns passes that take no access away by themselves. */
export function withoutHurry(passes: Env['PASSES']): Env['PASSES'] {
  const getByName = (name: string) =>
    new Proxy(passes.getByName(name), {
      get: (pass, method) => (method === 'hurry' ? async () => undefined : Reflect.get(pass, method)),
    });
  return new Proxy(passes, {
    get: (namespace, method) => {
      if (method === 'getByName') return getByName;
      const value = Reflect.get(namespace, method);
      return typeof value === 'function' ? value.bind(namespace) : value;
    },
  });
}

/** The base paths of Workers with other variables. */
const basePaths = new WeakMap<Send, string>();

export const QUEUE_THAT_FAILS = {
  sendBatch: () => Promise.reject(new Error('Queue sendBatch failed: Too Many Requests')),
};

/** The Worker with a failing queue: a pass progresses only by its alarm. */
const UNLIMITED = { limit: async () => ({ success: true }) };
/** Limits that allow every request, for tests that send more requests than a partner may. */
export const WITHOUT_LIMITS = {
  ADDRESS_LIMIT: UNLIMITED,
  READ_LIMIT: UNLIMITED,
  WRITE_LIMIT: UNLIMITED,
  BULK_LIMIT: UNLIMITED,
};

export const workerWithoutQueue: Send = workerWith({ PASS_QUEUE: QUEUE_THAT_FAILS });

export interface Registration {
  readonly clientId: string;
  readonly gatekeeperNetwork: GatekeeperNetwork;
  readonly shard?: string;
  /** The contracts that the operator has chosen, by network. */
  readonly contracts?: Readonly<Record<string, string>>;
  readonly networks?: readonly string[];
  readonly passLifetime?: number;
  readonly dailyIssuances?: number | undefined;
  readonly dailyChanges?: number | undefined;
  /** The organization of the persons who sign in to the console for it. */
  readonly organization?: string;
  readonly status?: 'active' | 'suspended';
}

/** Writes the row of a partner. */
export async function register(partner: Registration): Promise<void> {
  const {
    clientId,
    gatekeeperNetwork,
    shard = 'DB',
    contracts = {},
    networks,
    passLifetime,
    dailyIssuances,
    dailyChanges,
    organization = null,
    status = 'active',
  } = partner;
  const daily = [dailyIssuances ?? null, dailyChanges ?? null];
  const limits = [networks ? JSON.stringify(networks) : null, passLifetime ?? null, ...daily];
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO gatekeeper_networks (key, shard, contracts) VALUES (?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET shard = excluded.shard, contracts = json_patch(contracts, excluded.contracts)`,
    ).bind(gatekeeperNetwork, shard, JSON.stringify(contracts)),
    env.DB.prepare(
      `INSERT OR REPLACE INTO partners
         (client_id, name, gatekeeper_network, status, networks, pass_lifetime_seconds, daily_issuances,
          daily_changes, organization)
       VALUES (?1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`,
    ).bind(clientId, gatekeeperNetwork, status, ...limits, organization),
  ]);
}

/** Enables public checks for a registered gatekeeper network. Isolates know it within a minute. */
export async function enablePublicVerify(gatekeeperNetwork: string, isPublic = true): Promise<void> {
  const change = 'UPDATE gatekeeper_networks SET public_verify = ? WHERE key = ?';
  await env.DB.prepare(change).bind(Number(isPublic), gatekeeperNetwork).run();
}

export function seededPartner(name: string) {
  const partner = inject('localnet').partners.find((each) => each.name === name);
  if (partner === undefined) throw new Error(`the localnet has no partner ${name}`);
  return partner;
}

/** Fetches an access token for a partner of the localnet from the localnet's authorization server. */
export function tokenOf(name: string): Promise<string> {
  return fetchToken(inject('localnet').tokenUrl, seededPartner(name));
}

/** Returns a registered partner of the localnet with a token. */
export async function partner(name: string): Promise<Api> {
  await register(seededPartner(name));
  return new Api(await tokenOf(name));
}

const BASE_URL = 'https://api.example';

/** It only ends a test that hangs. */
const WATCH_MAX_MS = 90_000;

/** A client of the Worker in this runtime. It checks the rules that every reply follows. */
export class Api extends PartnerClient<Answer, Answer> {
  readonly #token: string | undefined;
  /** Decides which route a path belongs to. */
  readonly #basePath: string;

  constructor(token?: string, send: Send = deployed) {
    super({ baseUrl: BASE_URL, send, token: async () => token });
    this.#token = token;
    this.#basePath = basePaths.get(send) ?? '';
  }

  /** Returns the same partner with another Worker. */
  through(send: Send): Api {
    return new Api(this.#token, send);
  }

  post(path: string, body: unknown): Promise<Answer> {
    return this.call('POST', path, jsonInit(body));
  }

  postText(path: string, body: BodyInit): Promise<Answer> {
    return this.call('POST', path, { body, headers: JSON_TYPE });
  }

  patchText(path: string, body: BodyInit): Promise<Answer> {
    return this.call('PATCH', path, { body, headers: JSON_TYPE });
  }

  async call(method: string, path: string, init?: CallInit): Promise<Answer> {
    return this.readPass(...(await this.exchange(method, path, init)));
  }

  /** Fetches the pass until the condition holds. Returns every distinct record that it saw. */
  async watch(network: string, wallet: string, until: (record: PassRecord) => boolean): Promise<PassRecord[]> {
    const seen = new Map<string, PassRecord>();
    for (let looks = 1, deadline = Date.now() + WATCH_MAX_MS; Date.now() < deadline; looks += 1) {
      const { text, record } = await this.fetch(network, wallet);
      seen.set(text, record);
      if (until(record)) return [...seen.values()];
      if (looks % 10 === 0) await nextBlock(network);
      await scheduler.wait(20);
    }
    throw new Error(`the pass never met the condition; records: ${[...seen.keys()].join('\n')}`);
  }

  protected async readPass(response: Response, { method, path }: Call): Promise<Answer> {
    return new Answer(response, await response.text(), method, path, this.#basePath);
  }

  protected readPage(response: Response, call: Call): Promise<Answer> {
    return this.readPass(response, call);
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };
