import { headOf } from './counted-database.ts';
import { count } from './counts.ts';

/** When each object will ring next (milliseconds), by kind and id. */
const alarms = new Map<string, number>();

/** Longer than this nobody waits for an alarm: what is due then is no part of an issuance. */
const FAR_OFF_MS = 3_600_000;

/** How many objects of each kind have an alarm set that is part of the work. */
export function alarmsAhead(): Record<string, number> {
  const soon = [...alarms].filter(([, due]) => due < Date.now() + FAR_OFF_MS);
  const kinds = Map.groupBy(soon, ([object]) => object.split(' ')[0] ?? '');
  return Object.fromEntries([...kinds].map(([kind, each]) => [kind, each.length]));
}

/** The alarm of that object rings. */
export function alarmRings(ctx: DurableObjectState, kind: string): void {
  alarms.delete(`${kind} ${ctx.id}`);
  count(`alarms.${kind}`);
}

/**
 * The state of an object, with every row that its storage writes counted. The functions are put on the objects of the
 * runtime themselves: a Durable Object takes no other.
 */
export function countedState(ctx: DurableObjectState, kind: string): DurableObjectState {
  const { storage } = ctx;
  const object = `${kind} ${ctx.id}`;
  const rows = (what: string, written = 1) => {
    count(`rows.${kind}`, written);
    count(`rows.${kind}: ${what}`, written);
  };
  const { sql, kv } = storage;
  const exec = sql.exec.bind(sql);
  put(sql, 'exec', (query: string, ...bindings: unknown[]) => {
    const cursor = exec(query, ...bindings);
    // By then whoever asked has read it: nobody waits in between.
    queueMicrotask(() => {
      count(`rows-read.${kind}`, cursor.rowsRead);
      rows(headOf(query), cursor.rowsWritten);
    });
    return cursor;
  });
  const { put: putKey, delete: deleteKey } = kv;
  put(kv, 'put', (key: string, value: unknown) => {
    rows(`put ${key.split(':')[0]}`);
    return putKey.call(kv, key, value);
  });
  put(kv, 'delete', (key: string) => {
    rows(`delete ${key.split(':')[0]}`);
    return deleteKey.call(kv, key);
  });
  const { setAlarm, deleteAlarm } = storage;
  put(storage, 'setAlarm', (due: number | Date, options?: DurableObjectSetAlarmOptions) => {
    rows('setAlarm');
    alarms.set(object, Number(due));
    return setAlarm.call(storage, due, options);
  });
  put(storage, 'deleteAlarm', () => {
    count(`alarms-deleted.${kind}`);
    alarms.delete(object);
    return deleteAlarm.call(storage);
  });
  return ctx;
}

function put(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, configurable: true });
}
