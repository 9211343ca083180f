import { countDatabase } from './count-database.ts';
import { count } from './counts.ts';

const OBJECTS: readonly string[] = ['PASSES', 'SIGNERS', 'QUOTAS', 'WEBHOOKS'];
const known = new WeakMap<object, Env>();

/** Returns the bindings with counters for each call; the same object for the same bindings. */
export function countEnv(env: Env): Env {
  const counted = known.get(env) ?? wrapBindings(env);
  known.set(env, counted);
  return counted;
}

function wrapBindings(env: Env): Env {
  const bindings = Object.entries(env).map(([name, binding]) => {
    if (/^DB(_\d+)?$/.test(name)) return [name, countDatabase(binding as D1Database)];
    // By name, because a binding of another Worker seems to have every method.
    if (OBJECTS.includes(name)) return [name, countNamespace(binding as DurableObjectNamespace, name)];
    if (name === 'PASS_QUEUE' || name === 'BULK_PASS_QUEUE') return [name, countQueue(binding as Queue)];
    return [name, binding];
  });
  return Object.fromEntries(bindings);
}

/** Counts calls by method, for example `calls.PASSES: take`. */
function countNamespace(namespace: DurableObjectNamespace, name: string): unknown {
  return {
    getByName(object: string) {
      const stub = namespace.getByName(object) as unknown as Record<string, (...given: unknown[]) => unknown>;
      return new Proxy(stub, {
        get:
          (_, method: string) =>
          (...given: unknown[]) => {
            count(`calls.${name}`);
            count(`calls.${name}: ${method}`);
            return stub[method]?.(...given);
          },
      });
    },
  };
}

function countQueue(queue: Queue): Pick<Queue, 'send' | 'sendBatch'> {
  return {
    send(body, options) {
      count('queue.sends');
      count('queue.messages');
      return queue.send(body, options);
    },
    sendBatch(messages, options) {
      const all = [...messages];
      count('queue.sends');
      count('queue.messages', all.length);
      return queue.sendBatch(all, options);
    },
  };
}
