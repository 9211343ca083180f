import { Chance } from '../platform/chance.ts';
import type { DatabaseCopy } from '../platform/d1-database.ts';
import { Platform, type WorkerModule } from '../platform/platform.ts';
import { Admissions } from './admissions.ts';
import { Alarms } from './alarms.ts';
import { type Chains, createChains, makeBlocks } from './chains.ts';
import { Crashes } from './crashes.ts';
import { storePartners } from './database.ts';
import { Deployment, firstVariables } from './deployment.ts';
import { Endpoints } from './endpoints.ts';
import { FeedReaders } from './feed-readers.ts';
import { ISSUER, KEY_SET, tokensAt } from './identities.ts';
import type { IdleTime } from './idle-time.ts';
import { Incidents } from './incidents.ts';
import { KMS_HOST, Kms } from './kms.ts';
import type { Limits } from './limits.ts';
import type { ChainNetwork } from './networks.ts';
import { Receivers } from './receivers.ts';
import { Requests } from './requests.ts';
import { runSchedules } from './schedules.ts';
import { Transactions } from './transactions.ts';
import { Weather } from './weather.ts';
import { type Work, WorkCounter } from './work.ts';

/** A Saturday, ten minutes before midnight (UTC), so that some worlds have two days. */
const BEGINNING = Date.UTC(2026, 10, 21, 23, 50);
/** Unix seconds. */
export const BEGINNING_SECONDS = BEGINNING / 1_000;
const TOKENS = await tokensAt(BEGINNING_SECONDS);
/** How much time passes at once while a world is observed. */
export const LOOK_SECONDS = 15;

export interface WorldOptions {
  readonly seed: number;
  /** Number of gatekeeper keys on each chain: 1 or 2. */
  readonly keys: number;
  /** Number of endpoints of each network: 1 to 3. */
  readonly endpoints: number;
  /** The networks that have endpoints. */
  readonly networks: readonly ChainNetwork[];
  /** Whether the first key of each chain is in a KMS. */
  readonly kms?: boolean | undefined;
  readonly limits?: Limits | undefined;
  /** The numbers of the contracts on sepolia that are of the build SlimGateway. */
  readonly slim?: readonly number[] | undefined;
  readonly log?: (line: string) => void;
}

/** A deployment of the service between its partners, its chains and its platform. */
export class World {
  readonly networks: readonly ChainNetwork[];
  /** Decides about faults and deployments. The platform has chances of its own. */
  readonly chance: Chance;
  readonly weather: Weather;
  readonly platform: Platform;
  readonly deployment: Deployment;
  readonly crashes: Crashes;
  readonly chains: Chains;
  readonly endpoints: Endpoints;
  readonly kms: Kms;
  readonly admissions: Admissions;
  readonly receivers: Receivers;
  readonly requests: Requests;
  readonly feedReaders = new FeedReaders();
  readonly incidents = new Incidents();
  readonly alarms: Alarms;
  readonly transactions: Transactions;
  readonly limits: Limits;
  /** The version to which the operator restores D1; undefined: that without passes. */
  oldDatabase: DatabaseCopy | undefined;
  /** Log lines of the Worker. */
  readonly lines: string[] = [];
  readonly #work = new WorkCounter();
  /** The observations since the rest; undefined before. */
  idleTime: IdleTime | undefined;

  constructor(worker: WorkerModule, options: WorldOptions) {
    const { seed, keys, endpoints, networks, kms = false, limits = {}, slim, log } = options;
    const now = () => this.now;
    this.networks = networks;
    this.limits = limits;
    this.chance = new Chance(seed + 2);
    this.weather = new Weather(this.chance, now);
    this.chains = createChains(BEGINNING_SECONDS, slim);
    this.endpoints = new Endpoints(this.chains, endpoints, now);
    this.admissions = new Admissions(this.chains, now);
    const variables = firstVariables({ keys, kms, networks, endpoints, limits });
    this.platform = new Platform(worker, {
      seed,
      now: BEGINNING,
      variables,
      rules: this.weather.rules,
      internet: async (request) => this.#answerOutside(request),
      ...(log && { log }),
    });
    this.platform.scheduler.onTask = (label) => this.#work.noteTask(label);
    this.platform.onLine = (line) => {
      this.lines.push(line);
      this.#work.noteLine(line);
      log?.(line);
    };
    this.deployment = new Deployment(this.platform, variables, kms);
    this.alarms = new Alarms(now);
    this.platform.onAlarm = (object) => this.alarms.note(object);
    this.transactions = new Transactions(this.platform);
    this.endpoints.onRequest = (network, asked) => this.transactions.note(network, asked);
    this.crashes = new Crashes(this.platform, (signer) => {
      this.incidents.hasLostStore = true;
      this.transactions.noteLoss(signer);
    });
    this.kms = new Kms(this.platform.scheduler);
    this.receivers = new Receivers(this.platform);
    const { admissions, receivers } = this;
    this.requests = new Requests(this.platform, { tokens: TOKENS, admissions, receivers });
    storePartners(this.platform, limits);
    makeBlocks(this.chains, networks, this.platform.scheduler, (network) => admissions.note(network));
    runSchedules(this.platform);
  }

  /** The time (Unix milliseconds). */
  get now(): number {
    return this.platform.scheduler.now;
  }

  get work(): Work {
    return this.#work.total((this.now - BEGINNING) / 1_000);
  }

  /** Lets that many seconds pass. */
  async pass(seconds: number): Promise<void> {
    for (const end = this.now + seconds * 1_000; ; ) {
      const next = this.idleTime === undefined ? end : Math.min(end, this.now + LOOK_SECONDS * 1_000);
      await this.platform.scheduler.runUntil(() => false, next);
      this.idleTime?.noteLag();
      if (next === end) return;
    }
  }

  close(): void {
    this.platform.close();
  }

  /** Answers a request of the Worker, as the host in its URL does. */
  async #answerOutside(request: Request): Promise<Response> {
    const { host, origin } = new URL(request.url);
    if (origin === ISSUER) return new Response(KEY_SET, { headers: { 'content-type': 'application/json' } });
    if (host === KMS_HOST) return this.kms.answer(request);
    if (this.receivers.hasHost(host)) return this.receivers.receive(request);
    return this.endpoints.answer(host, request);
  }
}
