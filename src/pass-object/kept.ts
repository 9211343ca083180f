import type { Pass } from '../pass/pass.ts';
import { splitEvents } from '../pass/record.ts';

/** What a pass object keeps: the pass, and how often its alarm rang since something last changed. */
export interface Kept {
  readonly pass: Pass;
  readonly tries: number;
}

/** Undefined when there is no such pass. Asking writes nothing: an object that was only asked leaves no trace. */
export function load(storage: DurableObjectStorage): Kept | undefined {
  return storage.kv.get<Kept>('pass');
}

/**
 * One row, however much changed; only a history that has grown too long for the record moves its older events to rows
 * of their own. Synchronous, so that it commits together with an alarm set in the same turn.
 */
export function keep(storage: DurableObjectStorage, { pass, tries }: Kept): Pass {
  const { shown, older } = splitEvents(pass.events);
  const olderThere = older.length === 0 ? 0 : [...storage.kv.list({ prefix: 'event:' })].length;
  for (const [index, event] of older.entries()) {
    storage.kv.put(`event:${String(olderThere + index).padStart(8, '0')}`, event);
  }
  const trimmed = { ...pass, events: shown };
  storage.kv.put<Kept>('pass', { pass: trimmed, tries });
  return trimmed;
}
