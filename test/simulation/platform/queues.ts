import { Execution, type Journey, runIn, send } from './execution.ts';
import type { Scheduler } from './scheduler.ts';

/** The decisions of the world about queues. */
export interface QueueRules {
  /** Returns how a message to the queue fares. */
  journey(queue: string): Journey;
  /** Returns how a message on the queue fares: milliseconds until it is delivered, and how often. */
  delivery(queue: string): { readonly delayMs: number; readonly times: number };
  /** Returns the bindings with which the consumer runs. */
  bindings(): Env;
}

export interface QueueOptions {
  readonly name: string;
  readonly maxBatch: number;
  readonly maxRetries: number;
  readonly retryMs: number;
  readonly deadLetters?: SimulatedQueue | undefined;
}

interface Stored {
  readonly id: string;
  /** JSON, as messages are unless they say otherwise. */
  readonly body: string;
  readonly timestamp: Date;
  attempts: number;
}

type Consume = (batch: MessageBatch, env: Env) => Promise<void>;

/** A queue: it delivers each message at least once, in no order, in batches. */
export class SimulatedQueue {
  readonly #options: QueueOptions;
  readonly #scheduler: Scheduler;
  readonly #rules: QueueRules;
  readonly #consume: Consume;
  readonly #ready: Stored[] = [];
  /** Consumers that run. */
  readonly running = new Set<Execution>();
  #isDelivering = false;
  #sent = 0;

  constructor(options: QueueOptions, scheduler: Scheduler, rules: QueueRules, consume: Consume) {
    this.#options = options;
    this.#scheduler = scheduler;
    this.#rules = rules;
    this.#consume = consume;
  }

  /** Number of messages that wait. */
  get length(): number {
    return this.#ready.length;
  }

  send(body: unknown): Promise<void> {
    return this.sendBatch([{ body }]);
  }

  sendBatch(messages: Iterable<{ readonly body: unknown }>): Promise<void> {
    const { name } = this.#options;
    const bodies = [...messages].map(({ body }) => jsonOf(body));
    return send(this.#scheduler, `send ${name}`, this.#rules.journey(name), () => {
      for (const body of bodies) this.put(body);
    });
  }

  /** Puts a message on the queue. */
  put(body: string, attempts = 0): void {
    this.#sent += 1;
    const { name } = this.#options;
    const { delayMs, times } = this.#rules.delivery(name);
    const timestamp = new Date(this.#scheduler.now);
    for (let n = 0; n < times; n += 1)
      this.#arriveAfter(delayMs, { id: `${name}-${this.#sent}`, body, timestamp, attempts });
  }

  #arriveAfter(ms: number, message: Stored): void {
    this.#scheduler.after(ms, `arrive ${this.#options.name}`, () => {
      this.#ready.push(message);
      this.#deliverSoon();
    });
  }

  #deliverSoon(): void {
    if (this.#isDelivering || this.#ready.length === 0) return;
    this.#isDelivering = true;
    this.#scheduler.after(0, `deliver ${this.#options.name}`, () => {
      this.#isDelivering = false;
      const most = Math.min(this.#ready.length, this.#options.maxBatch);
      const batch: Stored[] = [];
      const { chance } = this.#scheduler;
      const { name } = this.#options;
      for (let n = 1 + chance.below(most, `batch ${name}`); n > 0; n -= 1)
        batch.push(...this.#ready.splice(chance.below(this.#ready.length, `order ${name}`), 1));
      void this.#deliver(batch);
      this.#deliverSoon();
    });
  }

  async #deliver(batch: readonly Stored[]): Promise<void> {
    const verdicts = new Map<Stored, { readonly retry: boolean; readonly delayMs?: number }>();
    const mark = (message: Stored, retry: boolean, options?: QueueRetryOptions) => {
      // The first word counts.
      if (!verdicts.has(message))
        verdicts.set(message, { retry, ...(options?.delaySeconds && { delayMs: options.delaySeconds * 1_000 }) });
    };
    const messages = batch.map((message) => ({
      id: message.id,
      timestamp: message.timestamp,
      body: JSON.parse(message.body),
      attempts: message.attempts + 1,
      ack: () => mark(message, false),
      retry: (options?: QueueRetryOptions) => mark(message, true, options),
    }));
    const given = {
      queue: this.#options.name,
      messages,
      ackAll: () => {
        for (const each of batch) mark(each, false);
      },
      retryAll: (options?: QueueRetryOptions) => {
        for (const each of batch) mark(each, true, options);
      },
    };
    const execution = new Execution(`consumer ${this.#options.name}`);
    this.running.add(execution);
    const died = new Promise<'died'>((resolve) => this.#deaths.set(execution, () => resolve('died')));
    const ended = runIn(execution, async () => this.#consume(given as unknown as MessageBatch, this.#rules.bindings()));
    const outcome = await Promise.race([
      ended.then(
        () => 'ended' as const,
        () => 'threw' as const,
      ),
      died,
    ]);
    this.running.delete(execution);
    this.#deaths.delete(execution);
    for (const message of batch) {
      const verdict = verdicts.get(message);
      if (verdict?.retry || (outcome !== 'ended' && !this.#keepsAcknowledgment(verdict !== undefined)))
        this.#retry(message, verdict?.delayMs);
    }
  }

  /**
   * Whether a message that was acknowledged stays so after its consumer threw or died. The documentation promises it for a consumer that
   * throws. The local runtime delivers the message again.
   */
  #keepsAcknowledgment(isAcknowledged: boolean): boolean {
    return isAcknowledged && this.#scheduler.chance.happens(0.5, `acknowledged ${this.#options.name}`);
  }

  readonly #deaths = new Map<Execution, () => void>();

  /** Ends a consumer where it is: its messages are delivered again. */
  kill(execution: Execution): void {
    execution.die();
    this.#deaths.get(execution)?.();
  }

  #retry(message: Stored, delayMs = this.#options.retryMs): void {
    const { maxRetries, deadLetters } = this.#options;
    message.attempts += 1;
    if (message.attempts <= maxRetries) this.#arriveAfter(delayMs, message);
    else deadLetters?.put(message.body);
  }
}

function jsonOf(body: unknown): string {
  if (body === undefined) throw new TypeError('Message body cannot be undefined');
  const text = JSON.stringify(body);
  if (text === undefined) throw new Error('Unknown Internal Error (15000)');
  return text;
}
