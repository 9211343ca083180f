import type { Platform } from '../platform/platform.ts';
import type { Admissions } from './admissions.ts';
import { networkOf, ORIGIN } from './identities.ts';
import { CHAIN_OF, type ChainNetwork, type PassKey, WALLETS } from './networks.ts';
import type { Receivers } from './receivers.ts';

const ANSWER_MAX_MS = 60_000;
/** The Worker knows its database and its issuer again by then. */
const TRIES = 3;
const RETRY_MS = 15_000;
const BOOKMARK = 'gatepass-bookmark';

/** An item of a request about many passes, as far as a world reads it. */
interface Item {
  readonly chain: { readonly network: string };
  readonly walletAddress: string;
}

/** The headers of a request. */
export interface AskOptions {
  /** Number of seconds that it waits until the pass is settled; undefined: it does not wait. */
  readonly waits?: number;
  /** An earlier request of the client, whose bookmark this one has; undefined: none. */
  readonly after?: Asked | undefined;
  /** The `sub` of a person of the client who has signed in at the console; undefined: the client itself. */
  readonly person?: string;
}

/** A request of a client, and its answer. */
export interface Asked {
  readonly client: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly options: AskOptions;
  /** Unix milliseconds. */
  readonly at: number;
  /** Undefined: no answer yet, or its connection ended. */
  status?: number;
  answer?: unknown;
  answeredAt?: number;
  requestId?: string;
  /** The bookmark of the answer, and whether the Worker says that it waited. */
  bookmark?: string;
  hasWaited?: boolean;
  /** `Retry-After` of the answer. */
  retryAfter?: string | null;
  /** Whether its connection ended without an answer. */
  isLost?: boolean;
  /** After a suspension: the transactions that the signers have signed by then. */
  signed?: string;
}

/** Whether a request changes passes: it is no search, no reading and no sync. */
export const isChange = ({ method, path }: Asked): boolean =>
  method !== 'GET' && (path.startsWith('/pass/') || path === '/passes') && !path.endsWith('/sync');

/** The bookmark of an answer whose version the database may not have. */
const NO_VERSION = 'first-primary';
/** Whether later answers to its bookmark are as new. */
export const hasVersion = ({ bookmark }: Asked): boolean => bookmark !== undefined && bookmark !== NO_VERSION;

interface RequestsOptions {
  /** The access token of each client and person. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly admissions: Admissions;
  readonly receivers: Receivers;
}

/** The requests of partners, of the operator and of dApps to the Worker. */
export class Requests {
  /** All requests of the world, in order. */
  readonly asked: Asked[] = [];
  readonly #platform: Platform;
  readonly #options: RequestsOptions;
  /** The wallets for which passes were requested. */
  readonly #issued: PassKey[] = [];
  #checks = 0;

  constructor(platform: Platform, options: RequestsOptions) {
    this.#platform = platform;
    this.#options = options;
  }

  /** Sends a request of a client, or of the operator. Its answer arrives in the result while time passes. */
  ask(client: string, method: string, path: string, body?: unknown, options: AskOptions = {}): Asked {
    const asked: Asked = { client, method, path, body, options, at: this.#platform.scheduler.now };
    this.asked.push(asked);
    this.#watchWalletsOf(asked);
    const { waits, after, person = client } = options;
    const headers = {
      ...(waits !== undefined && { prefer: `wait=${waits}` }),
      ...(after?.bookmark && { [BOOKMARK]: after.bookmark }),
      ...(client !== '' && { authorization: `Bearer ${this.#options.tokens[person]}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const request = new Request(ORIGIN + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    this.#platform.scheduler.after(0, `request ${method} ${path}`, () => {
      void this.#platform.request(request).then((response) => this.#noteAnswer(asked, response));
    });
    return asked;
  }

  /** Sends a request and lets time pass until it is answered, a minute at most. */
  async answerTo(
    client: string,
    method: string,
    path: string,
    body?: unknown,
    options: AskOptions = {},
  ): Promise<Asked> {
    const asked = this.ask(client, method, path, body, options);
    await this.awaitAnswer(asked);
    return asked;
  }

  /** Sends a request again and again, as a partner does after an answer that promises another one later. */
  async repeatedAnswerTo(client: string, method: string, path: string, body?: unknown): Promise<Asked> {
    const asked = await this.answerTo(client, method, path, body);
    const { scheduler } = this.#platform;
    for (let tries = 0; tries < TRIES && (asked.status ?? 500) >= 500; tries += 1) {
      await scheduler.runUntil(() => false, scheduler.now + RETRY_MS);
      const again = await this.answerTo(client, method, path, body);
      if ((again.status ?? 500) < 500) return again;
    }
    return asked;
  }

  /** Lets time pass until a request is answered, a minute at most. */
  async awaitAnswer(asked: Asked): Promise<void> {
    const { scheduler } = this.#platform;
    await scheduler.runUntil(() => asked.status !== undefined || asked.isLost === true, scheduler.now + ANSWER_MAX_MS);
  }

  /** Returns the wallet of that number if its pass was requested; otherwise another one whose pass was, if there is one. */
  walletWithPass(gatekeeperNetwork: string, network: ChainNetwork, index: number): string {
    const named = WALLETS[network][index] as string;
    const own = this.#issued.filter((each) => each.gatekeeperNetwork === gatekeeperNetwork && each.network === network);
    const isOwn = own.some(({ wallet }) => wallet === named);
    return isOwn ? named : (own[index % Math.max(1, own.length)]?.wallet ?? named);
  }

  /** Checks a wallet as a dApp does, without a token. */
  verify({ gatekeeperNetwork, network, wallet }: PassKey): Asked {
    return this.ask('', 'GET', `/verify/${gatekeeperNetwork}/${CHAIN_OF[network]}/${network}/${wallet}`);
  }

  /** Checks the next of the wallets about which clients have asked on these networks. */
  verifyNext(networks: readonly ChainNetwork[]): void {
    const all = networks.flatMap((network) => this.#options.admissions.watchedOn(network));
    const next = all[this.#checks % Math.max(1, all.length)];
    this.#checks += 1;
    if (next) this.verify(next);
  }

  #watchWalletsOf({ client, method, path, body }: Asked): void {
    const gatekeeperNetwork = networkOf(client);
    if (gatekeeperNetwork === undefined) return;
    const { walletAddress = '', items = [] } = (body ?? {}) as { walletAddress?: string; items?: readonly Item[] };
    const [, onPath = '', inPath] = /^\/pass\/\w+\/(\w+)\/?(\w*)/.exec(path) ?? [];
    const named = [[onPath, inPath || walletAddress], ...items.map((each) => [each.chain.network, each.walletAddress])];
    for (const [network, wallet] of named)
      if (wallet && (network === 'sepolia' || network === 'devnet')) {
        const key = { gatekeeperNetwork, network, wallet } as const;
        this.#options.admissions.watch(key);
        if (method === 'POST') this.#issued.push(key);
      }
  }

  /** Notes the answer to a request; undefined: its connection ended. */
  async #noteAnswer(asked: Asked, response: Response | undefined): Promise<void> {
    if (response === undefined) {
      asked.isLost = true;
      return;
    }
    const { client, path } = asked;
    const text = await response.text();
    const requestId = response.headers.get('x-request-id') ?? '';
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    const answer = isJson ? JSON.parse(text) : text || undefined;
    const bookmark = response.headers.get(BOOKMARK) ?? undefined;
    const hasWaited = response.headers.has('preference-applied');
    const retryAfter = response.headers.get('retry-after');
    const answeredAt = this.#platform.scheduler.now;
    Object.assign(asked, { status: response.status, answer, answeredAt, requestId, bookmark, hasWaited, retryAfter });
    if (path.startsWith('/admin/partners/')) asked.signed = this.#signedSteps();
    if (path === '/webhooks' && response.status === 201)
      this.#options.receivers.note(answer.url, networkOf(client) ?? '');
  }

  /** Returns the rows of all signers, with the signed transactions in them. */
  #signedSteps(): string {
    const hasSteps = "SELECT 1 AS n FROM sqlite_master WHERE name = 'step'";
    const rows = this.#platform.namespaces.SIGNERS.all.flatMap(({ storage: { sql } }) =>
      sql.exec(hasSteps).toArray().length === 0 ? [] : sql.exec('SELECT id, signed FROM step').toArray(),
    );
    return JSON.stringify(rows);
  }
}
