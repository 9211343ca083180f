import type { Pass } from '../pass/pass.ts';
import { splitEvents } from '../pass/record.ts';

/** The version that the read model has, and since when the operator's list has the pass as unsettled (Unix seconds). */
interface WrittenByAlarm {
  readonly version: number;
  readonly since?: number | undefined;
}

/** Changes of one day. */
export interface DayOfChanges {
  /** Days since 1970 (UTC). */
  readonly day: number;
  readonly count: number;
}

export interface StoredPass {
  readonly pass: Pass;
  /** How often the alarm rang since something last changed. */
  readonly tries: number;
  /** How many events were put away, each in a row of its own. */
  readonly older: number;
  /** Since when the pass is unsettled (Unix seconds); undefined: it is settled. */
  readonly since?: number | undefined;
  /** Whether the operator may see it as unsettled: that has to be taken back. */
  readonly listed?: boolean | undefined;
  /** What an alarm has written to D1: no alarm writes the same again. Undefined: not known. */
  readonly written?: WrittenByAlarm | undefined;
  /** How often partners changed the pass on the last day that they did. */
  readonly changes?: DayOfChanges | undefined;
  /** When the newest step was taken (milliseconds). */
  readonly takenAt?: number;
}

/** Undefined when there is no such pass. Asking writes nothing: an object that was only asked leaves no trace. */
export function loadPass(storage: DurableObjectStorage): StoredPass | undefined {
  return storage.kv.get<StoredPass>('pass');
}

/**
 * One row, however much changed; only a history that has grown too long for the record moves its older events to rows
 * of their own. Synchronous, so that it commits together with an alarm set in the same turn.
 */
export function savePass(storage: DurableObjectStorage, { pass, older: before, ...rest }: StoredPass): StoredPass {
  const { recent, older } = splitEvents(pass.events);
  for (const [index, event] of older.entries()) {
    storage.kv.put(`event:${String(before + index).padStart(8, '0')}`, event);
  }
  const stored: StoredPass = { ...rest, pass: { ...pass, events: recent }, older: before + older.length };
  storage.kv.put('pass', stored);
  return stored;
}
