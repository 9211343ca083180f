import { createHash } from 'node:crypto';
import { copyOf } from './copy.ts';
import {
  connectionLost,
  continuation,
  currentExecution,
  currentSection,
  Execution,
  type Journey,
  runIn,
  send,
} from './execution.ts';
import { type Alarm, ObjectStorage } from './object-storage.ts';
import type { Scheduler } from './scheduler.ts';
import type { SqlValue } from './sql-database.ts';

/** An instance of a class with the methods that others call. */
type Instance = { alarm?(info?: { readonly retryCount: number; readonly isRetry: boolean }): Promise<void> | void };
export type ObjectClass = new (ctx: DurableObjectState, env: Env) => Instance;

/** The decisions of the world about objects. */
export interface ObjectRules {
  /** Returns how a call to the object fares. */
  journey(object: string): Journey;
  /** Returns by how many milliseconds its alarm is late; undefined: the platform loses it. */
  alarmDelay(object: string): number | undefined;
  /** Whether its handler runs once more although it has succeeded. */
  doublesAlarm(object: string): boolean;
  /** Called when an alarm of an object fires. */
  alarmFires?(object: SimulatedObject): void;
  /** Returns the bindings with which an object starts now. */
  bindings(): Env;
}

/** How often, and after how many milliseconds first, the platform repeats an alarm that threw. */
const ALARM_RETRIES = 6;
const ALARM_RETRY_MS = 2_000;

/** The life of an object from its start to its end. */
interface Life {
  readonly execution: Execution;
  readonly instance: Instance;
}

/** The callers of an object that ended get such an error. */
const asReset = (fault: Error): Error => Object.assign(fault, { durableObjectReset: true });

/** A Durable Object: its storage, and its code while it lives. */
export class SimulatedObject {
  readonly label: string;
  readonly storage: ObjectStorage;
  readonly #id: DurableObjectId;
  readonly #class: ObjectClass;
  readonly #scheduler: Scheduler;
  readonly #rules: ObjectRules;
  #life: Life | undefined;
  #isCommitting = false;
  /** The alarm for which a task is scheduled. */
  #scheduled: Alarm | undefined;
  #alarmRuns = false;
  /** An alarm that was due while the handler of another one ran. */
  #dueMeanwhile: Alarm | undefined;

  constructor(label: string, id: DurableObjectId, type: ObjectClass, scheduler: Scheduler, rules: ObjectRules) {
    this.label = label;
    this.#id = id;
    this.#class = type;
    this.#scheduler = scheduler;
    this.#rules = rules;
    this.storage = new ObjectStorage(() => this.#noteChange());
  }

  /** When its life began (Unix milliseconds). */
  startedAt = 0;
  /** The bindings and variables that it has got then. */
  bindings: Env | undefined;

  get isAlive(): boolean {
    return this.#life !== undefined;
  }

  /** Runs a method. Throws what the method throws, as a caller gets it. */
  async call(method: string, args: unknown[]): Promise<unknown> {
    const life = await this.#enter();
    const member = (life.instance as Record<string, unknown>)[method];
    if (typeof member !== 'function')
      throw asReceived(new TypeError(`The RPC receiver does not implement the method "${method}".`));
    const { execution } = life;
    if (execution.isDead) throw connectionLost();
    return new Promise((resolve, reject) => {
      this.#ends.add(reject);
      // An answer behind the gate, or on its way, is lost with the object, and its caller gets an error.
      const answer = (settle: () => void) => {
        const arrive = () => {
          this.#ends.delete(reject);
          settle();
        };
        execution.emit(() => {
          if (this.#scheduler.chance.happens(0.5, this.label)) arrive();
          else this.#scheduler.after(0, `leave ${this.label}`, arrive);
        });
      };
      runIn(execution, async () => copyOf(await member.apply(life.instance, args), 'refused')).then(
        (result) => answer(() => resolve(result)),
        (fault) => answer(() => reject(asReceived(fault))),
      );
    });
  }

  /** Ends its life without warning: uncommitted writes are lost, and its callers get an error. */
  crash(why = connectionLost()): void {
    const life = this.#life;
    if (life === undefined) return;
    this.#life = undefined;
    life.execution.die();
    this.storage.rollBack();
    this.#isCommitting = false;
    for (const end of this.#ends) end(why);
    this.#ends.clear();
    for (const end of this.#entering) end(why);
    this.#entering.clear();
    this.#scheduleAlarm();
  }

  /** Ends its life, and loses everything that it has stored. */
  loseStore(): void {
    this.crash();
    this.storage.deleteAll();
    this.#commit();
  }

  /** Ends it for good. */
  close(): void {
    this.#life?.execution.die();
    this.#life = undefined;
    this.storage.close();
  }

  /** Callers that wait for an answer. */
  readonly #ends = new Set<(fault: Error) => void>();

  /** Callers that wait until the object takes events. */
  readonly #entering = new Set<(fault: Error) => void>();

  /** Starts the object if it does not live, and waits until it takes events. */
  #enter(): Promise<Life> {
    const life = this.#life ?? this.#start();
    return new Promise((resolve, reject) => {
      this.#entering.add(reject);
      life.execution.admit(undefined, () => {
        this.#entering.delete(reject);
        resolve(life);
      });
    });
  }

  #start(): Life {
    const execution = new Execution(this.label);
    const life = { execution } as unknown as Life & { instance: Instance };
    this.#life = life;
    this.startedAt = this.#scheduler.now;
    const bindings = this.#rules.bindings();
    this.bindings = bindings;
    try {
      life.instance = runIn(execution, () => new this.#class(this.#state(life), bindings));
    } catch (fault) {
      this.crash();
      throw fault;
    }
    return life;
  }

  #state(life: Life): DurableObjectState {
    const { storage } = this;
    const { execution } = life;
    // Code of an earlier life may still run until it waits.
    const alive = (): ObjectStorage => {
      if (execution.isDead) throw connectionLost();
      return storage;
    };
    const state = {
      id: this.#id,
      waitUntil: (work: Promise<unknown>) => void work.catch(() => {}),
      abort: (why?: string) => {
        if (this.#life === life) this.crash(asReset(new Error(why)));
        throw new Error(why);
      },
      blockConcurrencyWhile: <T>(work: () => Promise<T>) => this.#block(life, work),
      storage: {
        kv: {
          get: (key: string) => alive().kv.get(key),
          put: (key: string, value: unknown) => alive().kv.put(key, value),
          delete: (key: string) => alive().kv.delete(key),
          list: (options?: object) => alive().kv.list(options),
        },
        sql: { exec: (query: string, ...values: SqlValue[]) => alive().sql.exec(query, ...values) },
        transactionSync: <T>(work: () => T) => alive().transactionSync(work),
        // It is stored at once.
        deleteAll: async () => {
          alive().deleteAll();
          this.#commit();
        },
        getAlarm: async () => alive().alarm?.at ?? null,
        setAlarm: (at: number | Date) => {
          alive().setAlarm(timeOfAlarm(at));
          return Promise.resolve();
        },
        deleteAlarm: () => {
          alive().setAlarm(undefined);
          return Promise.resolve();
        },
      },
    };
    return state as unknown as DurableObjectState;
  }

  /** Runs work in a section of its own. It begins as an event of its own, so what was written before is another commit. */
  #block<T>(life: Life, work: () => Promise<T>): Promise<T> {
    const { execution } = life;
    const resume = continuation();
    return new Promise((resolve, reject) => {
      execution.openSection(currentSection(), (section) => {
        const end = (settle: () => void) =>
          // Its writes are stored before the event continues.
          execution.emit(() => {
            execution.closeSection(section, (run) => this.#scheduler.after(0, `enter ${this.label}`, run));
            resume(settle);
          });
        this.#scheduler.after(0, `block ${this.label}`, () => {
          if (execution.isDead) return;
          this.#commit();
          runIn(execution, async () => work(), section).then(
            (result) => end(() => resolve(result)),
            // The platform ends the object then, and nobody continues.
            (fault) => (this.#life === life ? this.crash(asReset(asError(fault))) : reject(fault)),
          );
        });
      });
    });
  }

  /** Closes the output gate until the platform has stored the changes that were made until its work yields. */
  #noteChange(): void {
    const execution = currentExecution();
    this.#life?.execution.closeGate();
    if (this.#isCommitting || execution === undefined) return;
    this.#isCommitting = true;
    const life = this.#life;
    this.#scheduler.after(0, `commit ${this.label}`, () => {
      if (this.#life === life && this.#isCommitting) this.#commit();
    });
  }

  #commit(): void {
    this.#isCommitting = false;
    this.storage.commit();
    this.#scheduleAlarm();
    const execution = this.#life?.execution;
    const open = () => {
      if (!this.#isCommitting) execution?.openGate();
    };
    // The object may end between its commit and the messages that wait for it.
    if (execution?.isHolding && this.#scheduler.chance.happens(0.5, this.label))
      this.#scheduler.after(0, `open ${this.label}`, open);
    else open();
  }

  #scheduleAlarm(): void {
    const alarm = this.storage.storedAlarm;
    if (alarm === this.#scheduled) return;
    this.#scheduled = alarm;
    if (alarm === undefined) return;
    const delay = this.#rules.alarmDelay(this.label);
    if (delay !== undefined) this.#fireAt(alarm, alarm.at + delay, 0);
  }

  #fireAt(alarm: Alarm, at: number, retry: number): void {
    this.#scheduler.after(at - this.#scheduler.now, `alarm ${this.label}`, () => {
      if (this.#scheduled === alarm) void this.#fire(alarm, retry);
    });
  }

  async #fire(alarm: Alarm, retry: number): Promise<void> {
    if (this.#alarmRuns) {
      this.#dueMeanwhile = alarm;
      return;
    }
    this.#alarmRuns = true;
    this.#rules.alarmFires?.(this);
    let hasSucceeded = await this.#handle(retry, () => this.storage.beginAlarm());
    if (hasSucceeded && this.#rules.doublesAlarm(this.label)) {
      await new Promise<void>((resolve) =>
        this.#scheduler.after(ALARM_RETRY_MS, `double ${this.label}`, () => resolve()),
      );
      // The alarm that it has set meanwhile stays.
      hasSucceeded = await this.#handle(retry + 1);
    }
    this.#alarmRuns = false;
    // If the handler set or deleted the alarm, that is what counts, even if it threw.
    const isSame = this.storage.endAlarm(hasSucceeded);
    if (hasSucceeded && isSame) this.#commit();
    else if (this.#scheduled === alarm) this.#repeatAlarm(alarm, retry);
    if (this.#dueMeanwhile !== undefined) this.#fireAt(this.#dueMeanwhile, this.#scheduler.now, 0);
    this.#dueMeanwhile = undefined;
  }

  /** Runs the handler of the alarm. Returns whether it has succeeded. */
  async #handle(retry: number, begin?: () => void): Promise<boolean> {
    try {
      await this.#enter();
      begin?.();
      await this.call('alarm', [{ retryCount: retry, isRetry: retry > 0 }]);
      return true;
    } catch {
      return false;
    }
  }

  #repeatAlarm(alarm: Alarm, retry: number): void {
    if (retry < ALARM_RETRIES) return this.#fireAt(alarm, this.#scheduler.now + ALARM_RETRY_MS * 2 ** retry, retry + 1);
    // The platform gives it up.
    this.storage.dropAlarm();
    this.#commit();
  }
}

/** Nanoseconds in 63 bits. */
const LAST_ALARM_MS = 9_223_372_036_854;

/** Returns Unix milliseconds. Throws if the platform refuses them. */
function timeOfAlarm(at: number | Date): number {
  const time = typeof at === 'number' || at instanceof Date ? Number(at) : Number.NaN;
  if (!Number.isFinite(time))
    throw new TypeError("Failed to execute 'setAlarm' on 'DurableObjectStorage': parameter 1 is not of type 'date'.");
  if (time > LAST_ALARM_MS) throw new TypeError("This API doesn't support dates after 2189.");
  if (time < 1) throw new TypeError('setAlarm() cannot be called with an alarm time <= 0');
  return time;
}

const asError = (fault: unknown): Error => (fault instanceof Error ? fault : new Error(String(fault)));

const ERRORS = [TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError];

/** Returns a thrown value as the caller of another object gets it. */
function asReceived(thrown: unknown): Error {
  const fault = asError(thrown);
  if (fault instanceof DOMException)
    return Object.assign(new DOMException(fault.message, fault.name), { remote: true });
  const type = ERRORS.find((each) => fault instanceof each) ?? Error;
  const copy = new type(fault.message, fault.cause === undefined ? {} : { cause: structuredClone(fault.cause) });
  return Object.assign(copy, structuredClone({ ...fault }), {
    ...(fault.name !== copy.name && { name: fault.name }),
    remote: true,
  });
}

/** The objects of one class, as a binding offers them. */
export class Namespace {
  readonly #class: ObjectClass;
  readonly #binding: string;
  readonly #scheduler: Scheduler;
  readonly #rules: ObjectRules;
  readonly #objects = new Map<string, SimulatedObject>();
  readonly #names = new Map<string, string>();

  constructor(binding: string, type: ObjectClass, scheduler: Scheduler, rules: ObjectRules) {
    this.#binding = binding;
    this.#class = type;
    this.#scheduler = scheduler;
    this.#rules = rules;
  }

  /** The objects that were ever called. */
  get all(): readonly SimulatedObject[] {
    return [...this.#objects.values()];
  }

  idFromName(name: string): DurableObjectId {
    const hex = createHash('sha256').update(`${this.#binding}/${name}`).digest('hex');
    this.#names.set(hex, name);
    return { name, toString: () => hex, equals: (other: DurableObjectId) => other.toString() === hex };
  }

  idFromString(hex: string): DurableObjectId {
    if (!/^[\da-f]{64}$/.test(hex)) throw new TypeError('Invalid Durable Object ID: must be 64 hex digits');
    const name = this.#names.get(hex);
    return name === undefined
      ? { toString: () => hex, equals: (other: DurableObjectId) => other.toString() === hex }
      : this.idFromName(name);
  }

  getByName(name: string): DurableObjectStub {
    return this.get(this.idFromName(name));
  }

  /** Returns a stub: each property is a method that calls the object. */
  get(id: DurableObjectId): DurableObjectStub {
    const object = this.object(id);
    const stub = {
      id,
      name: id.name,
    };
    return new Proxy(stub, {
      get: (target, name) => {
        if (typeof name !== 'string' || name === 'then' || name in target) return Reflect.get(target, name);
        return (...args: unknown[]) => {
          const given = copyOf(args, 'refused') as unknown[];
          return send(this.#scheduler, `${object.label}.${name}`, this.#rules.journey(object.label), () =>
            object.call(name, given),
          );
        };
      },
    }) as unknown as DurableObjectStub;
  }

  object(id: DurableObjectId): SimulatedObject {
    const hex = id.toString();
    const known = this.#objects.get(hex);
    if (known !== undefined) return known;
    const label = `${this.#binding}/${id.name ?? hex.slice(0, 8)}`;
    const fresh = new SimulatedObject(label, id, this.#class, this.#scheduler, this.#rules);
    this.#objects.set(hex, fresh);
    return fresh;
  }
}
