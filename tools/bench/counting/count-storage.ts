import { headOf } from './count-database.ts';
import { count } from './counts.ts';

/** The next alarm of each object (milliseconds), by kind and id. */
const alarms = new Map<string, number>();

/** The kind of an object whose alarm fires once a minute, whatever happens, so that it is not part of the work. */
export const WEBHOOK = 'webhook';

/** An alarm that is further away than this is not part of an issuance. A signer checks its contracts each hour. */
const ALARM_HORIZON_MS = 1_800_000;

/** Returns how many objects of each kind have an alarm that is part of the work. */
export function countDueAlarms(): Record<string, number> {
  const soon = [...alarms].filter(([, due]) => due < Date.now() + ALARM_HORIZON_MS);
  const kinds = Map.groupBy(soon, ([object]) => object.split(' ')[0] ?? '');
  return Object.fromEntries([...kinds].map(([kind, each]) => [kind, each.length]));
}

/** Counts the alarm of an object. */
export function recordAlarm(ctx: DurableObjectState, kind: string): void {
  alarms.delete(`${kind} ${ctx.id}`);
  count(`alarms.${kind}`);
}

/**
 * Returns the state of an object with a counter for each row that its storage writes. The counters replace functions of the
 * runtime's own objects, because a Durable Object accepts no others.
 */
export function countStorage(ctx: DurableObjectState, kind: string): DurableObjectState {
  const { storage } = ctx;
  const object = `${kind} ${ctx.id}`;
  const rows = (what: string, written = 1) => {
    count(`rows.${kind}`, written);
    count(`rows.${kind}: ${what}`, written);
  };
  const { sql, kv } = storage;
  const exec = sql.exec.bind(sql);
  replaceMethod(sql, 'exec', (query: string, ...bindings: unknown[]) => {
    const cursor = exec(query, ...bindings);
    // The caller reads the rows without an await, so the counts are complete when this task runs.
    queueMicrotask(() => {
      count(`rows-read.${kind}`, cursor.rowsRead);
      rows(headOf(query), cursor.rowsWritten);
    });
    return cursor;
  });
  const { put: putKey, delete: deleteKey } = kv;
  replaceMethod(kv, 'put', (key: string, value: unknown) => {
    rows(`put ${key.split(':')[0]}`);
    return putKey.call(kv, key, value);
  });
  replaceMethod(kv, 'delete', (key: string) => {
    rows(`delete ${key.split(':')[0]}`);
    return deleteKey.call(kv, key);
  });
  const { setAlarm, deleteAlarm } = storage;
  replaceMethod(storage, 'setAlarm', (due: number | Date, options?: DurableObjectSetAlarmOptions) => {
    rows('setAlarm');
    if (kind !== WEBHOOK) alarms.set(object, Number(due));
    return setAlarm.call(storage, due, options);
  });
  replaceMethod(storage, 'deleteAlarm', () => {
    count(`alarms-deleted.${kind}`);
    alarms.delete(object);
    return deleteAlarm.call(storage);
  });
  return ctx;
}

function replaceMethod(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, configurable: true });
}
