import { KeyObject, sign, verify, type webcrypto } from 'node:crypto';
import { SimulatedCaches } from './caches.ts';
import type { Chance } from './chance.ts';
import { continuation, currentExecution, runLater } from './execution.ts';
import type { Scheduler, Task } from './scheduler.ts';

export type Internet = (request: Request) => Promise<Response>;

const real = {
  Date: globalThis.Date,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  random: Math.random,
  crypto,
  fetch: globalThis.fetch,
  performance,
};

/** The world that has the globals at this moment. */
let world:
  | {
      readonly scheduler: Scheduler;
      readonly chance: Chance;
      readonly fetch: Internet;
      readonly print: (line: string) => void;
    }
  | undefined;

class SimulatedDate extends real.Date {
  constructor(...args: unknown[]) {
    if (args.length === 0) super(SimulatedDate.now());
    else super(...(args as [number]));
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof real.Date;
  }

  static override now(): number {
    return world === undefined ? real.Date.now() : world.scheduler.now;
  }
}

/** Completes an operation of WebCrypto when the scheduler says so: the real one ends on another thread, at a time of its own. */
function scheduled<A extends unknown[], T>(label: string, run: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
  return (...args) => {
    const result = run(...args);
    if (world === undefined) return result;
    const { scheduler } = world;
    const resume = continuation();
    result.catch(() => {});
    return new Promise((resolve, reject) => {
      scheduler.after(0, label, () =>
        result.then(
          (value) => resume(() => resolve(value)),
          (fault) => resume(() => reject(fault)),
        ),
      );
    });
  };
}

const SUBTLE = ['digest', 'sign', 'verify', 'importKey', 'exportKey', 'generateKey', 'encrypt', 'decrypt'] as const;
type Operation = (...args: unknown[]) => Promise<unknown>;
const keys = new WeakMap<CryptoKey, KeyObject>();

function keyObjectOf(key: CryptoKey): KeyObject {
  const known = keys.get(key) ?? KeyObject.from(key as webcrypto.CryptoKey);
  keys.set(key, known);
  return known;
}

/** Ed25519 on this thread: a way to another one and back takes longer than the signature. */
const ON_THIS_THREAD: Partial<Record<(typeof SUBTLE)[number], (key: CryptoKey, ...data: never[]) => unknown>> = {
  sign: (key, data: Uint8Array) => new Uint8Array(sign(null, data, keyObjectOf(key))).buffer,
  verify: (key, signature: Uint8Array, data: Uint8Array) => verify(null, data, keyObjectOf(key), signature),
};

const subtle = Object.fromEntries(
  SUBTLE.map((name) => {
    const operation = (real.crypto.subtle[name] as Operation).bind(real.crypto.subtle);
    const quick = ON_THIS_THREAD[name];
    const run: Operation = async (...args) => {
      const [, key, ...data] = args as [unknown, CryptoKey, ...never[]];
      return quick !== undefined && key.algorithm.name === 'Ed25519' ? quick(key, ...data) : operation(...args);
    };
    return [name, scheduled(name, run)];
  }),
);

function getRandomValues<T extends ArrayBufferView>(array: T): T {
  if (world === undefined) return real.crypto.getRandomValues(array as never);
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  for (let index = 0; index < bytes.length; index += 1) bytes[index] = world.chance.below(256, 'byte');
  return array;
}

function randomUUID(): string {
  const hex = Buffer.from(getRandomValues(new Uint8Array(16))).toString('hex');
  const variant = '89ab'[Number.parseInt(hex[16] ?? '0', 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

const timers = new Map<number, Task>();
let timerId = 1;

function setTimeout(work: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): unknown {
  if (world === undefined) return real.setTimeout(work, ms, ...args);
  timerId += 1;
  const id = timerId;
  timers.set(
    id,
    runLater(world.scheduler, Math.max(1, ms), 'timer', () => {
      timers.delete(id);
      work(...args);
    }),
  );
  return id;
}

function clearTimeout(id: unknown): void {
  if (typeof id !== 'number') return real.clearTimeout(id as never);
  const task = timers.get(id);
  timers.delete(id);
  if (task !== undefined) task.isCancelled = true;
}

const scheduler = {
  wait: (ms: number) =>
    new Promise<void>((resolve) => {
      setTimeout(() => resolve(), ms);
    }),
};

async function fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  if (world === undefined) return real.fetch(input, init);
  const { signal, ...rest } = init ?? {};
  if (signal?.aborted) throw signal.reason;
  const answer = world.fetch(new Request(input, rest));
  if (!signal) return answer;
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    answer.then(resolve, reject);
  });
}

/** The caches of each world. Node has none. */
const cachesOfWorlds = new WeakMap<Scheduler, SimulatedCaches>();

const caches = {
  open: async (name: string) => {
    if (world === undefined) throw new Error('there is no cache outside a world');
    const known = cachesOfWorlds.get(world.scheduler) ?? new SimulatedCaches(world.scheduler);
    cachesOfWorlds.set(world.scheduler, known);
    return known.open(name);
  },
};

/** Gives the Worker's code the time, randomness and network of a world, until another one gets them. Undefined: the machine's own. */
export function enterWorld(next: typeof world): void {
  world = next;
  timers.clear();
}

Object.defineProperty(globalThis, 'crypto', {
  configurable: true,
  value: { ...real.crypto, subtle, getRandomValues, randomUUID },
});
Object.assign(globalThis, { Date: SimulatedDate, setTimeout, clearTimeout, scheduler, fetch, caches });
Object.defineProperty(globalThis, 'performance', {
  configurable: true,
  value: new Proxy(real.performance, {
    get: (target, name) => {
      if (name === 'now' && world !== undefined) return () => world?.scheduler.now;
      const member = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  }),
});
for (const name of ['log', 'error', 'warn'] as const) {
  const print = console[name].bind(console);
  console[name] = (...words: unknown[]) =>
    world !== undefined && currentExecution() !== undefined ? world.print(words.join(' ')) : print(...words);
}
Math.random = () => (world === undefined ? real.random() : world.chance.draw('random'));
