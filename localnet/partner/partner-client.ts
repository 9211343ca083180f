import { setTimeout as sleep } from 'node:timers/promises';
import type { PassRecord } from '../../src/pass/record.ts';
import type { Change } from '../../src/pass/vocabulary.ts';
import type { LocalnetFacts } from '../state/localnet-facts.ts';
import { chainOf } from './fresh-wallet.ts';
import { hasEnded, isSettled } from './settled.ts';

export type { PassRecord };

export interface Search {
  readonly limit?: number;
  readonly skip?: number;
  readonly after?: string;
  readonly filter?: { readonly state?: string; readonly walletAddress?: string };
}

/** What is to change; expiry in Unix seconds. */
export interface Update {
  readonly state?: 'ACTIVE' | 'FROZEN' | 'REVOKED';
  readonly expiryTimestamp?: number;
}

/** An answer that is not 2xx. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  /** The problem document, or the text where there is none. */
  readonly problem: unknown;

  constructor(request: string, status: number, text: string) {
    super(`${request}: ${status} ${text}`);
    this.status = status;
    this.problem = /^\s*\{/.test(text) ? JSON.parse(text) : text;
  }
}

/** A partner's own client: knows its credentials, fetches its token once, and asks every endpoint. */
export class PartnerClient {
  readonly gatekeeperNetwork: string;
  readonly #localnet: LocalnetFacts;
  readonly #credentials: string;
  #token: Promise<string> | undefined;

  constructor(localnet: LocalnetFacts, name: string) {
    const partner = localnet.partners.find((each) => each.name === name);
    if (partner === undefined) throw new Error(`the localnet has no partner ${name}`);
    this.#localnet = localnet;
    this.#credentials = btoa(`${partner.clientId}:${partner.clientSecret}`);
    this.gatekeeperNetwork = partner.gatekeeperNetwork;
  }

  issue(network: string, walletAddress: string): Promise<PassRecord> {
    return this.#json('POST', `/pass/${chainOf(network)}/${network}`, { walletAddress });
  }

  fetch(network: string, wallet: string): Promise<PassRecord> {
    return this.#json('GET', pathOf(network, wallet));
  }

  update(network: string, wallet: string, update: Update): Promise<PassRecord> {
    return this.#json('PATCH', pathOf(network, wallet), update);
  }

  revoke(network: string, wallet: string): Promise<PassRecord> {
    return this.#json('DELETE', pathOf(network, wallet));
  }

  /** Has the service read the chain now. */
  sync(network: string, wallet: string): Promise<PassRecord> {
    return this.#json('POST', `${pathOf(network, wallet)}/sync`);
  }

  async search(search?: Search): Promise<readonly PassRecord[]> {
    const { records } = await this.#json<{ records: PassRecord[] }>('POST', '/pass', search);
    return records;
  }

  /** Fetches the pass until it is on chain as it should be (or refused), and shows it each time it was fetched. */
  async untilSettled(network: string, wallet: string, options: Waiting = {}): Promise<PassRecord> {
    const { withinMs = 50_000, onLook, ended } = options;
    // Less often the longer it takes: hundreds may be asked for at once, and asking is work for the Worker too.
    for (let pause = 200, deadline = Date.now() + withinMs; ; pause = Math.min(1_000, pause * 1.2)) {
      const pass = await this.fetch(network, wallet);
      onLook?.(pass);
      const isOver = ended === undefined || hasEnded(pass.events.slice(ended.since.events.length), ended.change);
      if (isOver && isSettled(pass)) return pass;
      if (Date.now() > deadline) {
        const { state, onChainState, events } = pass;
        const told = `${state}, ${onChainState} on chain, ${events.at(-1)?.eventType} last`;
        throw new Error(`${network} ${wallet} is not settled after ${withinMs} ms: ${told}`);
      }
      await sleep(pause);
    }
  }

  /** The token, fetched when it is first needed; it outlives every test. */
  token(): Promise<string> {
    this.#token ??= fetchToken(this.#localnet.tokenUrl, this.#credentials);
    return this.#token;
  }

  /** Any request, with the partner's token; for what the other methods cannot say. */
  async request(method: string, path: string, body?: unknown): Promise<Response> {
    const headers: Record<string, string> = { authorization: `Bearer ${await this.token()}` };
    if (body !== undefined) headers['content-type'] = 'application/json';
    return fetch(this.#localnet.baseUrl + path, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
  }

  async #json<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await this.request(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Refused(`${method} ${path}`, response.status, text);
    return JSON.parse(text);
  }
}

interface Waiting {
  readonly withinMs?: number;
  readonly onLook?: (pass: PassRecord) => void;
  /** What has to come to its end after that record: of a new expiry that is not begun yet, no state tells. */
  readonly ended?: { readonly change: Change; readonly since: PassRecord };
}

function pathOf(network: string, wallet: string): string {
  return `/pass/${chainOf(network)}/${network}/${wallet}`;
}

async function fetchToken(tokenUrl: string, credentials: string): Promise<string> {
  const response = await fetch(tokenUrl, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  if (!response.ok) throw new Refused(`POST ${tokenUrl}`, response.status, await response.text());
  const { access_token } = (await response.json()) as { access_token: string };
  return access_token;
}
