import { env } from 'cloudflare:workers';
import { databasesIn } from '../../../src/store/shards.ts';
import { type Ran, recording } from '../store/recorder.ts';
import { type Send, withoutHurry, workerWith } from './api.ts';
import { TRUSTING } from './issuer.ts';

/** A call to a Durable Object. */
export interface ObjectCall {
  readonly namespace: string;
  readonly name: string;
  readonly method: string;
  readonly args: readonly unknown[];
  /** The returned value; undefined also if the call threw. */
  answer?: unknown;
}

/** The recorded uses of a Worker's bindings, each list in order. */
export interface Uses {
  /** The statements that ran. */
  readonly statements: Ran[];
  readonly calls: ObjectCall[];
  /** The bodies of the messages. */
  readonly messages: unknown[];
}

/** Namespaces whose objects can be reached only by name. Other ways fail, because this record would miss them. */
const NAMESPACES = ['PASSES', 'SIGNERS', 'QUOTAS', 'WEBHOOKS', 'WATCHERS', 'AUDITS', 'SANDBOXES', 'SUBJECTS'] as const;
/** Bindings whose use is recorded, and bindings that hold no data of partners. */
export const RECORDED: readonly string[] = [...NAMESPACES, 'DB', 'DB_1', 'PASS_QUEUE', 'BULK_PASS_QUEUE'];
export const UNRECORDED: readonly string[] = [
  'ADDRESS_LIMIT',
  'ASSETS',
  'BULK_LIMIT',
  'METRICS',
  'READ_LIMIT',
  'WRITE_LIMIT',
];

/**
 * Returns a Worker that trusts the issuer of these tests, and a record of its bindings' use. By default the bindings
 * are real.
 */
export function recordedWorker(changes: Readonly<Record<string, unknown>> = {}): { send: Send; uses: Uses } {
  const given = { ...env, ...changes } as unknown as Env;
  const bindings = 'PASS_QUEUE' in changes ? { ...given, PASSES: withoutHurry(given.PASSES) } : given;
  const uses: Uses = { statements: [], calls: [], messages: [] };
  const databases = Object.entries(databasesIn(bindings)).map(([name, db]) => [
    name,
    recording(db, uses.statements).db,
  ]);
  const namespaces = NAMESPACES.map((name) => [name, recordedObjects(name, bindings[name], uses.calls)]);
  const PASS_QUEUE = recordedQueue(bindings.PASS_QUEUE, uses.messages);
  const recorded = { ...Object.fromEntries([...namespaces, ...databases]), PASS_QUEUE };
  return { send: workerWith({ ...TRUSTING, ...changes, ...recorded }), uses };
}

export function forget({ statements, calls, messages }: Uses): void {
  for (const list of [statements, calls, messages]) list.length = 0;
}

/** Returns the uses that may have changed data. */
export function writesIn({ statements, calls, messages }: Uses): unknown[] {
  return [...statements.filter(({ meta }) => meta.rows_written > 0), ...calls.filter(hasChanged), ...messages];
}

const READING = [
  ...['readPublication', 'awaitSettlement', 'readOnChain', 'inspect'],
  ...['status', 'stuckReasons', 'countWaitingSteps'],
  ...['read', 'deliveriesAfter', 'secondsAhead'],
];

/**
 * Returns whether the call may have stored anything. An object that refuses a change, or has no pass, stores nothing.
 */
function hasChanged({ namespace, method, args, answer }: ObjectCall): boolean {
  // The entry of an action in the trail takes room, also if the action is refused later.
  if (namespace === 'QUOTAS' && method === 'countChange' && String(args[0]).startsWith('action ')) return false;
  if (READING.includes(method)) return false;
  // A sandbox refuses the next step of its clock until then.
  if (typeof answer === 'object' && answer !== null && 'retryAfter' in answer) return false;
  return answer !== undefined && answer !== false && (answer as { type?: string }).type !== 'refused';
}

type AnyMethod = (...args: unknown[]) => Promise<unknown>;

function recordedObjects(namespace: string, objects: DurableObjectNamespace<undefined>, calls: ObjectCall[]) {
  const getByName = (name: string) => {
    const stub = objects.getByName(name) as unknown as Record<string, AnyMethod>;
    return new Proxy(stub, {
      get:
        (_, method: string) =>
        async (...args: unknown[]) => {
          const call: ObjectCall = { namespace, name, method, args };
          calls.push(call);
          call.answer = await (stub[method] as AnyMethod)(...args);
          return call.answer;
        },
    });
  };
  return { getByName };
}

function recordedQueue(queue: Queue, messages: unknown[]): Pick<Queue, 'send' | 'sendBatch'> {
  return {
    send(body, options) {
      messages.push(body);
      return queue.send(body, options);
    },
    sendBatch(batch, options) {
      const sent = [...batch];
      messages.push(...sent.map(({ body }) => body));
      return queue.sendBatch(sent, options);
    },
  };
}
