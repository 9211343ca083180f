/** A script of calls that an imitation and the real runtime play, and whose outcomes must be the same. */

export type SqlValue = string | number | null;

/** One thing that an object does. Each has one outcome. */
export type Step =
  // Pairs
  | readonly ['put', key: string, value: ValueName]
  | readonly ['get', key: string]
  | readonly ['delete', key: string]
  | readonly ['list', options: ListOptions]
  /** Adds a text to a list of the object. */
  | readonly ['append', text: string]
  | readonly ['appended']
  // Tables
  | readonly ['sql', query: string, ...values: SqlValue[]]
  | readonly ['one', query: string]
  /** Binds one value of any type. */
  | readonly ['bind', value: ValueName]
  /** Reads the first row of a cursor, runs the other query, and then reads the rest. */
  | readonly ['cursor', query: string, between: string]
  // Commits
  | readonly ['transaction', steps: readonly Step[]]
  | readonly ['block', steps: readonly Step[]]
  | readonly ['abort']
  | readonly ['delete-all']
  | readonly ['delete-all-and-alarm']
  // Alarms
  | readonly ['set-alarm', inMs: number]
  | readonly ['set-alarm-at', time: number]
  | readonly ['get-alarm']
  | readonly ['delete-alarm']
  /** Sets the steps of each run of the alarm's handler. */
  | readonly ['on-alarm', runs: readonly (readonly Step[])[]]
  // Waiting
  | readonly ['microtask']
  | readonly ['wait', ms: number]
  /** Waits until another event of the same life of the object opens the latch. */
  | readonly ['await-latch', name: string]
  | readonly ['open-latch', name: string]
  /** Waits until the list of another object has that number of texts, and returns them in their order, or sorted. */
  | readonly ['await-list', object: string, length: number, order?: 'sorted']
  /** Waits until that list has a text with that beginning. */
  | readonly ['await-text', object: string, beginning: string]
  | readonly ['wait-until', steps: readonly Step[]]
  /** Begins all steps before it waits for any. */
  | readonly ['at-once', steps: readonly Step[]]
  // Faults
  | readonly ['throw', what: ThrownName]
  | readonly ['try', steps: readonly Step[]]
  /** The same for one step without an `await`. */
  | readonly ['catch', step: Step]
  // Calls
  | readonly ['ask', object: string, steps: readonly Step[]]
  /** Calls without waiting for the answer. */
  | readonly ['tell', object: string, steps: readonly Step[]]
  | readonly ['ask-at-once', calls: readonly Call[]]
  | readonly ['give', object: string, value: ValueName]
  | readonly ['call-missing', object: string]
  | readonly ['return', value: ValueName]
  /** Counts in memory: the first count of each life is 1. */
  | readonly ['count']
  | readonly ['name']
  // D1
  | readonly ['d1', method: 'all' | 'first' | 'run', query: string, ...values: SqlValue[]]
  | readonly ['d1-column', column: string, query: string]
  | readonly ['d1-bind', value: ValueName]
  | readonly ['batch', statements: readonly (readonly [query: string, ...values: SqlValue[]])[]]
  /** Runs the steps of D1 in a session. `bookmark` begins where the last session of the object ended. */
  | readonly [
      'session',
      constraint: 'first-primary' | 'first-unconstrained' | 'bookmark' | 'unknown',
      steps: readonly Step[],
    ]
  // Queues
  | readonly ['send', queue: QueueName, messages: readonly Message[]]
  | readonly ['send-one', queue: QueueName, value: ValueName]
  // The cache of the location
  | readonly ['cache', url: string, text: string, maxAgeSeconds: number]
  | readonly ['cached', url: string]
  // Rate limits
  | readonly ['limit', key: string];

export interface ListOptions {
  readonly prefix?: string;
  readonly start?: string;
  readonly startAfter?: string;
  readonly end?: string;
  readonly limit?: number;
  readonly reverse?: boolean;
}

export type QueueName = 'ones' | 'several';
/** Batches of the queue `ones` have one message. */
export const MAX_BATCH: Readonly<Record<QueueName | 'dead', number>> = { ones: 1, several: 4, dead: 10 };
export const MAX_RETRIES = 2;
/** Requests with one key that the rate limit lets through. */
export const LIMIT = 3;

/** The act of the consumer on a message at one delivery. */
export type Verdict =
  | 'ack'
  | 'retry'
  | 'ack-retry'
  | 'retry-ack'
  | 'nothing'
  | 'throw'
  | 'ack-throw'
  | 'retry-throw'
  | 'ack-all'
  | 'retry-all';

export interface Message {
  /** The object whose list gets a text for each delivery. */
  readonly to: string;
  readonly label: string;
  readonly value?: ValueName;
  /** For each delivery; then `ack`. */
  readonly verdicts: readonly Verdict[];
}

/** A call of an object with its steps. Calls of one group run at the same time. */
export interface Call {
  readonly object: string;
  readonly steps: readonly Step[];
}
export type Script = readonly (readonly Call[])[];

/** Returns the name of the object that has the list of another one's alarms. */
export const alarmsOf = (name: string) => `${name}-alarms`;

export const VALUES = {
  text: () => 'a text',
  number: () => 1.5,
  null: () => null,
  true: () => true,
  undefined: () => undefined,
  date: () => new Date(1_700_000_000_000),
  map: () =>
    new Map<unknown, unknown>([
      ['a', 1],
      [2, new Set(['b'])],
    ]),
  bytes: () => new Uint8Array([1, 2, 3]),
  buffer: () => new Uint8Array([4, 5]).buffer,
  nested: () => ({ list: [1, { two: 'zwei' }, undefined], nothing: undefined }),
  bigint: () => 2n ** 70n,
  nan: () => Number.NaN,
  infinite: () => Number.POSITIVE_INFINITY,
  large: () => Number.MAX_SAFE_INTEGER,
  error: () => new RangeError('a value that is an error'),
  symbol: () => Symbol('a symbol'),
  instance: () => new Point(1, 2),
  'nested-instance': () => ({ at: [new Point(1, 2)] }),
  bare: () => Object.assign(Object.create(null), { bare: true }),
  promise: () => Promise.resolve('later'),
  weak: () => new WeakMap(),
} satisfies Record<string, () => unknown>;
export type ValueName = keyof typeof VALUES;

class Point {
  readonly x: number;
  readonly y: number;

  constructor(x: number, y: number) {
    this.x = x;
    this.y = y;
  }
}

export const THROWN = {
  error: () => new Error('a fault'),
  type: () => new TypeError('a fault of a type'),
  own: () => Object.assign(new OwnError('a fault of its own'), { code: 7, when: new Date(5) }),
  cause: () => new Error('a fault with a cause', { cause: new RangeError('the cause') }),
  text: () => 'no error',
  nothing: () => undefined,
} satisfies Record<string, () => unknown>;
export type ThrownName = keyof typeof THROWN;

class OwnError extends Error {
  override readonly name = 'OwnError';
}

/** Properties of errors that the Worker, or its callers, look at. */
const FLAGS = ['code', 'when', 'remote', 'retryable', 'overloaded', 'durableObjectReset'] as const;

/** Returns a text that is the same for the same value on both sides. */
export function describe(value: unknown): string {
  if (value instanceof Error) return describeError(value);
  if (value instanceof Date) return `date ${value.getTime()}`;
  if (value instanceof Map) return `map ${[...value].map((pair) => pair.map(describe).join('=')).join(', ')}`;
  if (value instanceof Set) return `set ${[...value].map(describe).join(', ')}`;
  if (value instanceof ArrayBuffer) return `buffer ${new Uint8Array(value).join(' ')}`;
  if (ArrayBuffer.isView(value)) return `${value.constructor.name} ${(value as Uint8Array).join(' ')}`;
  if (Array.isArray(value)) return `[${value.map(describe).join(', ')}]`;
  if (value instanceof Promise) return 'a promise';
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([name, each]) => `${name}: ${describe(each)}`)
      .join(', ')}}`;
  return typeof value === 'string' ? JSON.stringify(value) : `${typeof value} ${String(value)}`;
}

function describeError(fault: Error): string {
  const flags = FLAGS.filter((name) => name in fault).map(
    (name) => ` ${name}=${describe((fault as unknown as Record<string, unknown>)[name])}`,
  );
  const cause = fault.cause instanceof Error ? `, because of ${describeError(fault.cause)}` : '';
  return `${fault.name}: ${fault.message}${flags.join('')}${cause}`;
}
