import { Chance } from './chance.ts';
import { SimulatedDatabase } from './d1-database.ts';
import { Execution, type Journey, runIn, send } from './execution.ts';
import { enterWorld, type Internet } from './globals.ts';
import { restartIsolate } from './isolate.ts';
import { Namespace, type ObjectClass, type SimulatedObject } from './objects.ts';
import { SimulatedQueue } from './queues.ts';
import { Scheduler } from './scheduler.ts';
import { giveBack, takeDatabase } from './tables.ts';

/** The decisions of a world about its platform. Each message, query, delivery and alarm asks. */
export interface Rules {
  /** Returns how a call, a query or a message to that receiver fares. */
  journey(receiver: string): Journey;
  /** Returns by how many milliseconds an alarm is late; undefined: the platform loses it. */
  alarmDelay(object: string): number | undefined;
  /** Whether the handler of an alarm that has succeeded runs once more: the platform promises at least once. */
  doublesAlarm(object: string): boolean;
  /** Returns by how many versions a replica is behind. */
  lag(database: string): number;
  /** Whether a database has no room for a new or changed row. */
  isFull(database: string): boolean;
  /** Returns when a message on a queue is delivered, and how often. */
  delivery(queue: string): { readonly delayMs: number; readonly times: number };
  /** Whether a rate limit lets the request through. */
  limit(binding: string, key: string): boolean;
}

/** The Worker's exports. */
export interface WorkerModule {
  readonly default: {
    fetch(request: Request, env: Env): Promise<Response>;
    queue(batch: MessageBatch, env: Env): Promise<void>;
    scheduled(controller: ScheduledController, env: Env): Promise<void>;
  };
  readonly [className: string]: unknown;
}

const CLASSES = {
  PASSES: 'PassObject',
  SIGNERS: 'SignerObject',
  QUOTAS: 'QuotaObject',
  WEBHOOKS: 'WebhookObject',
  WATCHERS: 'WatcherObject',
  AUDITS: 'AuditObject',
  METRICS: 'MetricsObject',
  SANDBOXES: 'SandboxObject',
  SUBJECTS: 'SubjectObject',
} as const;

const RESTART_MAX_MS = 300_000;
const LIMITS = ['ADDRESS_LIMIT', 'READ_LIMIT', 'WRITE_LIMIT', 'BULK_LIMIT'] as const;

/** One deployment of the Worker on an imitation of its platform. */
export class Platform {
  readonly scheduler: Scheduler;
  readonly namespaces: Readonly<Record<keyof typeof CLASSES, Namespace>>;
  readonly databases: Readonly<Record<string, SimulatedDatabase>>;
  readonly queues: Readonly<Record<'passes' | 'bulk' | 'dead', SimulatedQueue>>;
  /** Receives the log lines of the Worker. */
  onLine: (line: string) => void = () => {};
  /** Called when an alarm of an object fires. */
  onAlarm: (object: SimulatedObject) => void = () => {};
  /** Requests that run. */
  readonly requests = new Set<Execution>();
  readonly #worker: WorkerModule['default'];
  readonly #bindings: Readonly<Record<string, unknown>>;
  readonly #files = [takeDatabase(), takeDatabase()] as const;
  #env: Env;

  constructor(
    worker: WorkerModule,
    {
      seed,
      now,
      variables,
      rules,
      internet,
      log,
    }: {
      readonly seed: number;
      /** Unix milliseconds. */
      readonly now: number;
      readonly variables: Readonly<Record<string, unknown>>;
      readonly rules: Rules;
      readonly internet: Internet;
      readonly log?: (line: string) => void;
    },
  ) {
    const scheduler = new Scheduler(new Chance(seed), now, log);
    this.scheduler = scheduler;
    this.#worker = worker.default;
    const bound = { ...rules, bindings: () => this.#env, alarmFires: (each: SimulatedObject) => this.onAlarm(each) };
    const namespaces = Object.entries(CLASSES).map(([binding, name]) => [
      binding,
      new Namespace(binding, worker[name] as ObjectClass, scheduler, bound),
    ]);
    this.namespaces = Object.fromEntries(namespaces);
    this.databases = { DB: new SimulatedDatabase('DB', this.#files, scheduler, rules) };
    const consume = (batch: MessageBatch, env: Env) => this.#worker.queue(batch, env);
    const queue = (
      name: string,
      maxBatch: number,
      maxRetries: number,
      retrySeconds: number,
      deadLetters?: SimulatedQueue,
    ) =>
      new SimulatedQueue(
        { name, maxBatch, maxRetries, retryMs: retrySeconds * 1_000, deadLetters },
        scheduler,
        bound,
        consume,
      );
    const dead = queue('gatepass-passes-dead', 100, 100, 60);
    this.queues = {
      dead,
      passes: queue('gatepass-passes', 100, 10, 5, dead),
      bulk: queue('gatepass-bulk-passes', 20, 10, 5, dead),
    };
    const limits = LIMITS.map((binding) => [
      binding,
      { limit: async ({ key }: { readonly key: string }) => ({ success: rules.limit(binding, key) }) },
    ]);
    this.#bindings = {
      ...this.namespaces,
      ...this.databases,
      ...Object.fromEntries(limits),
      PASS_QUEUE: this.queues.passes,
      BULK_PASS_QUEUE: this.queues.bulk,
    };
    this.#env = { ...this.#bindings, ...variables } as unknown as Env;
    restartIsolate();
    enterWorld({
      scheduler,
      chance: new Chance(seed + 1),
      print: (line) => this.onLine(line),
      fetch: (request) =>
        send(scheduler, `fetch ${new URL(request.url).host}`, rules.journey('internet'), () => internet(request)),
    });
  }

  /** The bindings and variables that requests and new objects get. */
  get env(): Env {
    return this.#env;
  }

  /** Deploys other variables. Objects that live keep the old ones until the platform restarts them, some minutes later at most. */
  deploy(variables: Readonly<Record<string, unknown>>): void {
    this.#env = { ...this.#bindings, ...variables } as unknown as Env;
    const { scheduler } = this;
    for (const { all } of Object.values(this.namespaces))
      for (const object of all.filter(({ isAlive }) => isAlive))
        scheduler.after(scheduler.chance.below(RESTART_MAX_MS, object.label), `restart ${object.label}`, () =>
          object.crash(),
        );
  }

  /** Sends a request to the Worker. Undefined: its connection ended without an answer. */
  async request(request: Request): Promise<Response | undefined> {
    const execution = new Execution(`${request.method} ${new URL(request.url).pathname}`);
    this.requests.add(execution);
    const died = new Promise<undefined>((resolve) => this.#deaths.set(execution, () => resolve(undefined)));
    const answer = runIn(execution, () => this.#worker.fetch(request, this.#env));
    const response = await Promise.race([answer, died]);
    this.requests.delete(execution);
    this.#deaths.delete(execution);
    return response;
  }

  readonly #deaths = new Map<Execution, () => void>();

  /** Ends a request where it is. */
  kill(execution: Execution): void {
    execution.die();
    this.#deaths.get(execution)?.();
  }

  /** Runs a schedule of the Worker. */
  async runSchedule(cron: string): Promise<void> {
    const controller = { cron, scheduledTime: this.scheduler.now, noRetry: () => {} };
    await runIn(new Execution(`schedule ${cron}`), () => this.#worker.scheduled(controller, this.#env));
  }

  /** Ends everything, and gives the globals of the machine back. */
  close(): void {
    enterWorld(undefined);
    for (const namespace of Object.values(this.namespaces)) for (const object of namespace.all) object.close();
    for (const file of this.#files) giveBack(file);
  }
}
