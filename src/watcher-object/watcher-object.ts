import { DurableObject } from 'cloudflare:workers';
import type { SeenContracts } from '../chain/ethereum/contract-control.ts';
import type { Milliseconds } from '../lib/units.ts';
import type { Watcher } from './watcher.ts';
import type { WatcherStatus } from './watcher-store.ts';

/**
 * Watches one network. The class only loads the watcher, which no partner's request needs, and hands every call on to it:
 * `Watcher` describes the methods.
 */
export class WatcherObject extends DurableObject<Env> {
  #watcher: Promise<Watcher> | undefined;

  async begin(passesSince?: Milliseconds): Promise<void> {
    await (await this.#open()).begin(passesSince);
  }

  async restoreAlarm(): Promise<void> {
    await (await this.#open()).restoreAlarm();
  }

  async closeUnservedGaps(foundUntil: Milliseconds): Promise<void> {
    await (await this.#open()).closeUnservedGaps(foundUntil);
  }

  async contractsSeen(contracts: readonly string[]): Promise<SeenContracts> {
    return (await this.#open()).contractsSeen(contracts);
  }

  async status(): Promise<WatcherStatus | undefined> {
    return (await this.#open()).status();
  }

  override async alarm(): Promise<void> {
    await (await this.#open()).fireAlarm();
  }

  #open(): Promise<Watcher> {
    this.#watcher ??= import('./watcher.ts').then(({ Watcher }) => new Watcher(this.ctx, () => this.env));
    return this.#watcher;
  }
}
