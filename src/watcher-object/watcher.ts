import type { SeenContracts } from '../chain/ethereum/contract-control.ts';
import { sendCountsNow } from '../counts/counts.ts';
import { pendingAlarm } from '../lib/alarm.ts';
import { HOUR_MS, MINUTE_MS, type Milliseconds, type UnixSeconds } from '../lib/units.ts';
import { logFault } from '../log/log.ts';
import { publishingStoreOf } from '../message/hand-over.ts';
import { sendReconcile } from '../message/queue.ts';
import type { Store } from '../store/store.ts';
import { ContractWatch, handleContractChanges, recheckGatekeepers } from './contract-watch.ts';
import { type Follower, hasRoom, readGaps, scanNewest } from './follow-chain.ts';
import { handOn } from './hand-on.ts';
import { coveredUntil, isFinal } from './places.ts';
import { OpenedNetwork, type WatchedNetwork } from './watched-network.ts';
import { type WatcherStatus, WatcherStore } from './watcher-store.ts';

/** How often a watcher that is off looks at the configuration. */
const OFF_MS = MINUTE_MS;
/** The reconciliation is asked at most this often, because an endpoint without logs makes gaps all the time. */
const REPORT_MS = HOUR_MS;

/** Learns from the logs of one network which passes others have changed. It never states a change: it asks the passes to read. */
export class Watcher {
  readonly #ctx: DurableObjectState;
  readonly #bindings: () => Env;
  readonly #store: WatcherStore;
  readonly #database: Store;
  readonly #network = new OpenedNetwork();
  readonly #follower: Follower;
  readonly #contracts: ContractWatch;
  /** The coverage that D1 has. In memory only: another run writes it once more. */
  #published: UnixSeconds | undefined;
  /** Why the last reading failed. */
  #why: string | null = null;

  /** @param bindings Returns the bindings of the object. */
  constructor(ctx: DurableObjectState, bindings: () => Env) {
    const env = bindings();
    this.#ctx = ctx;
    this.#bindings = bindings;
    this.#store = new WatcherStore(ctx.storage);
    this.#database = publishingStoreOf(env);
    this.#follower = {
      store: this.#store,
      database: this.#database,
      signers: env.SIGNERS,
      seen: new Map(),
      losses: 0,
    };
    this.#contracts = new ContractWatch(ctx.storage.kv, this.#follower);
  }

  /**
   * Begins to watch, once. Safe to repeat.
   * @param passesSince No pass of the network is older (ms). 0: nobody knows.
   */
  async begin(passesSince = Date.now()): Promise<void> {
    if (!this.#store.hasBegun) this.#store.begin(passesSince);
    await this.restoreAlarm();
  }

  /** Sets the alarm if it is lost. Does nothing if the watcher has not begun. */
  async restoreAlarm(): Promise<void> {
    if (!this.#store.hasBegun) return;
    if ((await pendingAlarm(this.#ctx.storage)) === null) await this.#ctx.storage.setAlarm(Date.now());
  }

  /**
   * Closes the gaps that no endpoint serves and that were found at that time or before, because the reconciliation has read every pass
   * of the network since then. Safe to repeat.
   */
  async closeUnservedGaps(foundUntil: Milliseconds): Promise<void> {
    if (!this.#store.hasBegun) return;
    this.#store.changeGaps((gaps) =>
      gaps.filter(({ unserved }) => unserved === undefined || unserved.foundAt > foundUntil),
    );
  }

  /**
   * Returns the contracts of the network to a signer that has its first steps in these. The first call for a watcher may have been lost, so
   * it also begins then. Throws if the network is not configured.
   */
  async contractsSeen(contracts: readonly string[]): Promise<SeenContracts> {
    await (contracts.length > 0 ? this.begin(0) : this.restoreAlarm());
    const watched = this.#open();
    if (watched === undefined) throw new Error(`${this.#ctx.id.name} is not configured`);
    return this.#contracts.answer(watched, contracts);
  }

  /** Returns its state; undefined if it has not begun. */
  async status(): Promise<WatcherStatus | undefined> {
    const store = this.#store;
    if (!store.hasBegun) return undefined;
    const { history, changes } = store;
    const { foreignChanges, issuedByOthers, removedGatekeepers } = store.counts;
    return {
      isOn: this.#open()?.isFollowed === true,
      coveredUntil: this.#coveredUntil() ?? null,
      gaps: history.gaps.length,
      unservedGaps: history.gaps.filter(({ unserved }) => unserved !== undefined).length,
      waiting: changes.count(),
      foreignChanges,
      issuedByOthers: issuedByOthers.map(({ contract: _, ...each }) => each),
      removedGatekeepers: removedGatekeepers.map(({ contract: _, ...each }) => each),
      why: this.#why,
    };
  }

  async fireAlarm(): Promise<void> {
    if (!this.#store.hasBegun) return;
    const watched = this.#open();
    // Schedule the next alarm before the work: a crash below must not end the watch.
    await this.#ctx.storage.setAlarm(Date.now() + (watched?.isFollowed ? watched.intervalMs : OFF_MS));
    if (watched === undefined) return;
    await this.#attempt(watched, 'contracts', () => this.#contracts.run(watched));
    if (!watched.isFollowed) return;
    await this.#follow(watched);
    await this.#attempt(watched, 'passes', () => handOn(this.#parts, watched));
    await handleContractChanges(this.#parts, watched);
    await this.#attempt(watched, 'gatekeepers', () => recheckGatekeepers(this.#parts, watched));
    await this.#attempt(watched, 'gaps', () => this.#reportGaps(watched));
    await this.#attempt(watched, 'coverage', () => this.#publishCoverage(watched));
    sendCountsNow(this.#env);
  }

  get #env(): Env {
    return this.#bindings();
  }

  get #parts() {
    return { store: this.#store, database: this.#database, env: this.#env, contracts: this.#contracts };
  }

  #open(): WatchedNetwork | undefined {
    const network = this.#ctx.id.name ?? '';
    try {
      return this.#network.open(network, this.#env);
    } catch (fault) {
      logFault('watcher.run_failed', fault, { network, part: 'configuration' });
      return undefined;
    }
  }

  /** Reads the chain. A fault only delays the reading: the places stay, and the next interval asks another endpoint first. */
  async #follow(watched: WatchedNetwork): Promise<void> {
    const { network } = watched.network;
    const now = Date.now();
    try {
      if (!hasRoom(this.#follower))
        throw new Error('the table of changes is full: it scans nothing until they are decided');
      await scanNewest(this.#follower, watched);
      await readGaps(this.#follower, watched, now);
      this.#why = null;
    } catch (fault) {
      this.#why = fault instanceof Error ? fault.message : String(fault);
      logFault('watcher.scan_failed', fault, { network });
    }
  }

  /** Lets the reconciliation read the passes of the network, because no endpoint serves a gap. */
  async #reportGaps({ network: { network } }: WatchedNetwork): Promise<void> {
    const { gaps, finalAt } = this.#store.history;
    const unserved = gaps.flatMap((gap) =>
      gap.unserved && isFinal(gap, finalAt) ? [{ ...gap, ...gap.unserved }] : [],
    );
    if (unserved.length === 0 || Date.now() < this.#store.reportedAt + REPORT_MS) return;
    for (const { after, before, why } of unserved)
      logFault('watcher.gap_unserved', why, { network, after: after.at, before: before.at });
    const since = Math.max(...unserved.map(({ foundAt }) => foundAt));
    const night = await this.#database.reconcileFirst(network, since);
    await sendReconcile(this.#env.PASS_QUEUE, night);
    this.#store.setReportedAt(Date.now());
  }

  /** Writes the coverage to D1, if it has changed. The changes up to there are published by now. */
  async #publishCoverage({ network: { network } }: WatchedNetwork): Promise<void> {
    const until = this.#coveredUntil();
    if (until === undefined || until === this.#published) return;
    // The read model lacks passes meanwhile, and a change of a wallet without a row was dropped.
    const rebuilds = await this.#database.findRuns('rebuild');
    if (rebuilds.some(({ finished }) => finished === null)) return;
    await this.#database.storeCoverage(network, until);
    this.#published = until;
  }

  #coveredUntil(): UnixSeconds | undefined {
    return coveredUntil(this.#store.history, this.#store.changes.oldestTime());
  }

  async #attempt({ network: { network } }: WatchedNetwork, part: string, work: () => Promise<void>): Promise<void> {
    await work().catch((fault) => logFault('watcher.run_failed', fault, { network, part }));
  }
}
