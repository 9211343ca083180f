import { env, exports } from 'cloudflare:workers';
import { inject } from 'vitest';
import worker from '../../../src/worker.ts';
import { Answer, type PassRecord } from './answer.ts';
import { nextBlock } from './node.ts';

export type Send = (request: Request) => Promise<Response>;

/** The Worker as it is deployed: with its bindings, queue, objects and alarms. */
export const deployed: Send = (request) => exports.default.fetch(request);

/** The Worker with other variables or bindings. */
export function workerWith(changes: Readonly<Partial<Record<string, unknown>>>): Send {
  const changed = { ...env, ...changes } as Env;
  return (request) => worker.fetch(request, changed);
}

export const QUEUE_THAT_FAILS = {
  sendBatch: () => Promise.reject(new Error('Queue sendBatch failed: Too Many Requests')),
};

/** The Worker while the queue takes nothing: no pass is moved on but by its alarm. */
export const unheard: Send = workerWith({ LOOKS: QUEUE_THAT_FAILS });

export interface Registration {
  readonly clientId: string;
  readonly gatekeeperNetwork: string;
  readonly shard?: string;
  readonly networks?: readonly string[];
  readonly passLifetime?: number;
  readonly dailyIssuances?: number | undefined;
  readonly status?: 'active' | 'suspended';
}

/** Writes the row of a partner, as the operator's command does. */
export async function register(partner: Registration): Promise<void> {
  const {
    clientId,
    gatekeeperNetwork,
    shard = 'DB',
    networks,
    passLifetime,
    dailyIssuances,
    status = 'active',
  } = partner;
  const limits = [networks ? JSON.stringify(networks) : null, passLifetime ?? null, dailyIssuances ?? null];
  await env.DB.prepare(
    `INSERT OR REPLACE INTO partners
       (client_id, name, gatekeeper_network, status, shard, networks, pass_lifetime_seconds, daily_issuances)
     VALUES (?1, ?1, ?2, ?3, ?4, ?5, ?6, ?7)`,
  )
    .bind(clientId, gatekeeperNetwork, status, shard, ...limits)
    .run();
}

export function seeded(name: string) {
  const partner = inject('localnet').partners.find((each) => each.name === name);
  if (partner === undefined) throw new Error(`the localnet has no partner ${name}`);
  return partner;
}

/** An access token for that partner of the localnet, from its authorization server. */
export async function tokenOf(name: string): Promise<string> {
  const { clientId, clientSecret } = seeded(name);
  const response = await fetch(inject('localnet').tokenUrl, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

/** A registered partner of the localnet, with a token. */
export async function partner(name: string): Promise<Api> {
  await register(seeded(name));
  return new Api(await tokenOf(name));
}

/** A partner's client. `on` is chain and network: `ethereum/sepolia`. */
export class Api {
  readonly #token: string | undefined;
  readonly #send: Send;

  constructor(token?: string, send: Send = deployed) {
    this.#token = token;
    this.#send = send;
  }

  /** The same partner, calling another Worker. */
  through(send: Send): Api {
    return new Api(this.#token, send);
  }

  issue(on: string, walletAddress: string): Promise<Answer> {
    return this.post(`/pass/${on}`, { walletAddress });
  }

  fetch(on: string, wallet: string): Promise<Answer> {
    return this.call('GET', `/pass/${on}/${wallet}`);
  }

  search(body: unknown): Promise<Answer> {
    return this.post('/pass', body);
  }

  update(on: string, wallet: string, body: unknown): Promise<Answer> {
    return this.#sendText('PATCH', `/pass/${on}/${wallet}`, JSON.stringify(body));
  }

  revoke(on: string, wallet: string): Promise<Answer> {
    return this.call('DELETE', `/pass/${on}/${wallet}`);
  }

  sync(on: string, wallet: string): Promise<Answer> {
    return this.call('POST', `/pass/${on}/${wallet}/sync`);
  }

  post(path: string, body: unknown): Promise<Answer> {
    return this.postText(path, JSON.stringify(body));
  }

  postText(path: string, body: BodyInit): Promise<Answer> {
    return this.#sendText('POST', path, body);
  }

  patchText(path: string, body: BodyInit): Promise<Answer> {
    return this.#sendText('PATCH', path, body);
  }

  #sendText(method: string, path: string, body: BodyInit): Promise<Answer> {
    return this.call(method, path, { body, headers: { 'content-type': 'application/json' } });
  }

  async call(method: string, path: string, { body, headers }: RequestInit = {}): Promise<Answer> {
    const init: RequestInit = { method, redirect: 'manual', ...(body ? { body } : {}) };
    const request = new Request(`https://api.example${path}`, init);
    // A text sets a content type of its own: a test says which one is sent, if any.
    request.headers.delete('content-type');
    for (const [name, value] of new Headers(headers)) request.headers.set(name, value);
    if (this.#token !== undefined) request.headers.set('authorization', `Bearer ${this.#token}`);
    const response = await this.#send(request);
    return new Answer(response, await response.text(), method, request.url.slice('https://api.example'.length));
  }

  /** Asks for the pass until it is as wanted; gives every different record that was seen on the way. */
  async watch(on: string, wallet: string, until: (record: PassRecord) => boolean): Promise<PassRecord[]> {
    const seen = new Map<string, PassRecord>();
    for (let looks = 1, deadline = Date.now() + 15_000; Date.now() < deadline; looks += 1) {
      const { text, record } = await this.fetch(on, wallet);
      seen.set(text, record);
      if (until(record)) return [...seen.values()];
      if (looks % 10 === 0) await nextBlock(on);
      await scheduler.wait(20);
    }
    throw new Error(`the pass did not become as wanted: ${[...seen.keys()].join('\n')}`);
  }
}
