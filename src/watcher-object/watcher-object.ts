import { DurableObject } from 'cloudflare:workers';
import type { Milliseconds } from '../lib/brand.ts';
import type { WatcherStatus } from './status.ts';

/** Learns from the logs of one network which passes others have changed. It never states a change: it asks the passes to read. */
export class WatcherObject extends DurableObject<Env> {
  /** Begins to watch, once. Safe to repeat. */
  async begin(): Promise<void> {}

  /** Returns its state; undefined if it has not begun. */
  async status(): Promise<WatcherStatus | undefined> {
    return undefined;
  }

  /**
   * Closes the gaps that no endpoint serves and that were found at that time or before, because the reconciliation has read every pass
   * of the network since then. Safe to repeat.
   */
  async closeUnservedGaps(_foundUntil: Milliseconds): Promise<void> {}
}
