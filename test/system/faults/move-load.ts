import { setTimeout as sleep } from 'node:timers/promises';
import type { FeedEvent } from '../../../tools/localnet/partner/feed.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import type { FaultEnvironment } from './fault-environment.ts';
import type { ModelClient } from './model-client.ts';
import { nextOperation } from './operations.ts';
import { walletOf } from './prepare-move.ts';
import type { Random } from './random.ts';
import { newTestedPass, type TestedPass } from './tested-pass.ts';

const WORKERS = 3;
/** The load leaves the machine time for the move. It proves nothing about speed. */
const PAUSE_MS = 100;
/** A pass has a quota of 24 changes a day. */
const PASS_MAX_OPERATIONS = 12;

/** A request that a living service did not answer, or answered with a 5xx status. */
interface FailedRequest {
  readonly description: string;
  /** Undefined without an answer. */
  readonly requestId?: string | undefined;
}

/** Watches every request of this process to a service that a test kills. */
export class WatchedService {
  readonly failed: FailedRequest[] = [];
  /** The longest time until an answer. */
  slowest = { what: '', ms: 0 };
  requests = 0;
  readonly #worker: FaultEnvironment['worker'];
  readonly #real = globalThis.fetch;
  #isUp = true;
  #kills = 0;

  constructor({ worker, facts }: Pick<FaultEnvironment, 'worker' | 'facts'>) {
    this.#worker = worker;
    globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      return request.url.startsWith(facts.baseUrl) ? this.#send(request) : this.#real(request);
    };
  }

  async kill(): Promise<void> {
    this.#isUp = false;
    this.#kills += 1;
    await this.#worker.kill();
  }

  async restart(): Promise<void> {
    await this.#worker.restart();
    this.#isUp = true;
  }

  close(): void {
    globalThis.fetch = this.#real;
  }

  /** A request without an answer, or with the answer of a dying service, proves nothing. */
  async #send(request: Request): Promise<Response> {
    const [kills, began, what] = [this.#kills, Date.now(), `${request.method} ${new URL(request.url).pathname}`];
    const isOfThisLife = () => this.#isUp && kills === this.#kills;
    const isUp = this.#isUp;
    try {
      const answer = await this.#real(request);
      if (!isUp || !isOfThisLife()) return answer;
      this.requests += 1;
      const ms = Date.now() - began;
      if (ms > this.slowest.ms) this.slowest = { what, ms };
      if (answer.status >= 500)
        this.failed.push({
          description: `${what}: ${answer.status} ${await answer.clone().text()}`,
          requestId: answer.headers.get('x-request-id') ?? undefined,
        });
      return answer;
    } catch (fault) {
      const description = `${what}: ${fault} ${Object(fault).cause}`;
      if (isUp && isOfThisLife()) this.failed.push({ description });
      // The fault itself names no request.
      throw new Error(`${description}, after ${Date.now() - began} ms, ${kills} kills before`, { cause: fault });
    }
  }
}

/** The work of partners while a gatekeeper network moves. */
export interface MoveLoad {
  readonly passes: readonly TestedPass[];
  /** The events that a reader with a cursor has read, in order. */
  readonly feed: readonly FeedEvent[];
  /** Wrong answers. */
  readonly faults: readonly string[];
  readonly done: { readonly operations: number; readonly searches: number };
  /** Ends the work, and reads the feed from its cursor to its end. */
  stop(): Promise<void>;
  readRest(): Promise<void>;
}

/**
 * Partners issue and change passes, search, fetch and read the feed. The load continues until `stop`.
 * @param prepared Number of passes of acme that were there before.
 */
export function startMoveLoad(
  { facts, modelClient }: FaultEnvironment,
  random: Random,
  network: string,
  prepared: number,
): MoveLoad {
  const acme = new LocalnetPartner(facts, 'acme');
  // While the writes of the gatekeeper network wait, its rows do not show the last changes. So only the end compares the records.
  const client: ModelClient = { ...modelClient, read: async (pass) => void (await modelClient.recordOf(pass)) };
  const [passes, idle, feed, faults]: [TestedPass[], TestedPass[], FeedEvent[], string[]] = [[], [], [], []];
  const operations = new Map<TestedPass, number>();
  const done = { operations: 0, searches: 0 };
  let [isOver, cursor] = [false, 0];

  const operate = async () => {
    const isNew = idle.length === 0 || random.chance(0.15);
    const pass = isNew ? newTestedPass(random, network) : (idle.splice(random.below(idle.length), 1)[0] as TestedPass);
    if (isNew) passes.push(pass);
    await nextOperation(random, pass)(client, pass);
    done.operations += 1;
    const count = (operations.get(pass) ?? 0) + 1;
    operations.set(pass, count);
    if (count < PASS_MAX_OPERATIONS) idle.push(pass);
  };
  const search = async () => {
    const walletAddress = walletOf(random.below(prepared));
    const [found, all, one] = await Promise.all([
      acme.search({ filter: { walletAddress } }),
      acme.search(),
      acme.fetch(network, walletAddress),
    ]);
    if (found.length !== 1) faults.push(`a search of ${walletAddress} found ${found.length} passes`);
    if (all.length === 0) faults.push('a search of all passes found none');
    if (one.id !== found[0]?.id) faults.push(`the pass of ${walletAddress} is ${one.id}`);
    done.searches += 1;
  };
  const readFeed = async () => {
    const page = await acme.call<{ events: FeedEvent[]; next: number; more: boolean }>(
      'GET',
      `/events?after=${cursor}&limit=100`,
    );
    feed.push(...page.events);
    cursor = page.next;
    return page.more;
  };
  /** The service is killed. `WatchedService` notes the failures of a living one, and a refusal is a wrong answer. */
  const repeat = async (work: () => Promise<unknown>) => {
    while (!isOver) {
      await work().catch((fault: { status?: number }) => {
        if ((fault.status ?? 500) < 500) faults.push(String(fault));
      });
      await sleep(PAUSE_MS);
    }
  };
  const running = Promise.all([search, readFeed, ...Array.from({ length: WORKERS }, () => operate)].map(repeat));
  return {
    passes,
    feed,
    faults,
    done,
    async stop() {
      isOver = true;
      await running;
    },
    async readRest() {
      while (await readFeed());
    },
  };
}
