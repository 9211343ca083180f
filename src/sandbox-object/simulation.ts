import type { Answered, Asked, NodeMethod } from '../chain/sandbox/simulated-node.ts';
import type { Milliseconds } from '../lib/brand.ts';
import { DAY_SECONDS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/time.ts';
import { within } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import type { Chain } from '../network/network.ts';
import { findNetwork, NETWORKS } from '../network/networks.ts';
import { CLOCK_MAX_DAYS } from '../network/sandbox.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { Wallet } from '../network/wallet.ts';
import type { PassName } from '../pass/pass.ts';
import * as agenda from './agenda.ts';
import { blockAt, blocksIn, timeOf } from './blocks.ts';
import { Ledger } from './ledger.ts';
import { Node } from './node.ts';
import * as passes from './passes.ts';
import type { Script } from './scripts.ts';
import { createTables } from './tables.ts';
import type { Operation } from './tokens.ts';
import { visitPass } from './visit-pass.ts';

/** Maximum number of passes that one alarm visits. The next one follows at once. */
const VISITS_MAX = 50;
/**
 * A visit is repeated until the pass has learned of the change: after a second, and later after the time that it has taken so far. That is
 * real time, because a clock that moves may cause many visits at once.
 */
const VISIT_AGAIN_MS = SECOND_MS;
const VISIT_AGAIN_MAX_MS = HOUR_MS;
/** A reorg continues after this time, although the pass has not learned of it. */
const REORG_WAITS_MS = 10 * MINUTE_MS;
/** An alarm whose work is cut off fires again after this time. */
const ALARM_BACKSTOP_MS = 30 * SECOND_MS;
/** Number of passes that one alarm wakes, or deletes. */
const PASSES_AT_ONCE = 100;
const PASS_TIMEOUT_MS = 10 * SECOND_MS;
const WAKE_MAX_TRIES = 3;
/** A pass with a step is revoked first, which takes some seconds. */
const DELETE_AGAIN_MS = HOUR_MS;

/** The passes after this name, in the order of the names, have yet to learn that the clock has advanced. */
interface Waking {
  readonly after: string;
  /** How many seconds the clock is ahead, as they will learn. */
  readonly ahead: number;
  readonly tries: number;
}

/** The requests that follow an issuance. */
export interface LaterRequests extends agenda.Requests {
  readonly afterSeconds: number;
}

/** A network of the sandbox. */
export interface SimulatedNetwork {
  readonly chain: Chain;
  readonly network: string;
}

/** The simulated networks of a sandbox, and its clock. All state is in the storage, so a restart changes nothing. */
export class Simulation {
  readonly #context: Pick<DurableObjectState, 'storage' | 'id'>;
  readonly #storage: DurableObjectStorage;
  readonly #env: Env;
  readonly #began: Milliseconds;
  /** When the alarm fires, as far as this instance knows. */
  #alarmAt = Number.POSITIVE_INFINITY;

  constructor(context: Pick<DurableObjectState, 'storage' | 'id'>, env: Env) {
    const { storage } = context;
    this.#context = context;
    this.#storage = storage;
    this.#env = env;
    createTables(storage.sql);
    passes.createPassTable(storage.sql);
    const began = storage.kv.get<Milliseconds>('began');
    this.#began = began ?? Date.now();
    if (began === undefined) storage.kv.put('began', this.#began);
  }

  /** Returns how many seconds the clock of the sandbox is ahead of the time. */
  secondsAhead(): number {
    return this.#storage.kv.get<number>('ahead') ?? 0;
  }

  /** Advances the clock. Returns how many seconds it is ahead then; undefined: that is not possible, and nothing changes. */
  async advance(seconds: number): Promise<number | undefined> {
    const ahead = this.secondsAhead() + seconds;
    if (!Number.isSafeInteger(seconds) || seconds < 0 || ahead > CLOCK_MAX_DAYS * DAY_SECONDS) return undefined;
    this.#storage.kv.put('ahead', ahead);
    // A pass whose expiry is due has an alarm that is late now.
    this.#storage.kv.put<Waking>('waking', { after: '', ahead, tries: 0 });
    // The alarm has a real time, which the clock has moved.
    this.#alarmAt = Number.POSITIVE_INFINITY;
    await this.#schedule();
    return ahead;
  }

  /** Adds a pass to those of the sandbox. Returns whether there was room for it. */
  async admit(pass: PassName): Promise<boolean> {
    const isAdmitted = passes.admit(this.#storage.sql, pass, Date.now());
    await this.#schedule();
    return isAdmitted;
  }

  /** Answers as a node of the network. Throws if there is no such network. */
  async ask<M extends NodeMethod>(network: SimulatedNetwork, method: M, asked: Asked<M>): Promise<Answered<M>> {
    const answer = this.#at(network, (ledger) => {
      const node = new Node(ledger);
      return (node[method] as (...items: Asked<M>) => Answered<M>)(...asked);
    });
    await this.#schedule();
    return answer;
  }

  /** Gives a wallet another script, and its pass the requests that follow. */
  async assign(network: SimulatedNetwork, wallet: Wallet, script: Script, later?: LaterRequests): Promise<void> {
    this.#at(network, (ledger) => ledger.assign(wallet, script));
    if (later === undefined) return;
    const { afterSeconds, ...requests } = later;
    const block = this.#head + blocksIn(afterSeconds * SECOND_MS);
    const place = { network: agenda.networkId(network.chain, network.network), wallet, block };
    agenda.addVisit(this.#storage.sql, place, { requests });
    await this.#schedule();
  }

  /** Has others change the token of a wallet, in the next block. The pass learns of it when the change is final. */
  async changeByOthers(network: SimulatedNetwork, wallet: Wallet, change: Omit<Operation, 'token'>): Promise<void> {
    this.#at(network, (ledger) => ledger.scheduleChange(wallet, change));
    await this.#schedule();
  }

  /** Makes the events happen that are due, and has the passes look at their changed wallets. */
  async fireAlarm(): Promise<void> {
    const { sql } = this.#storage;
    // Schedule the next alarm before the work: a crash below must not end it.
    await this.#setAlarm(Date.now() + ALARM_BACKSTOP_MS);
    for (const id of agenda.networksWithEvents(sql, this.#head)) this.#at(agenda.networkOf(id), () => undefined);
    await Promise.all(agenda.dueVisits(sql, this.#head, VISITS_MAX).map((event) => this.#visit(event)));
    await this.#wakePasses();
    await this.#deletePasses();
    this.#alarmAt = Number.POSITIVE_INFINITY;
    if (this.#nextDue() === undefined) await this.#storage.deleteAlarm();
    else await this.#schedule();
  }

  /** Has the next passes set their alarms again, because the clock has advanced. */
  async #wakePasses(): Promise<void> {
    const { kv, sql } = this.#storage;
    const waking = kv.get<Waking>('waking');
    if (waking === undefined) return;
    const names = passes.passesAfter(sql, waking.after, PASSES_AT_ONCE);
    const woken = await Promise.all(names.map((name) => this.#askPass(name, (pass) => pass.inspect())));
    // If the clock has advanced meanwhile, all of them must learn of it again.
    if (waking.ahead !== this.secondsAhead()) return;
    const last = names.at(-1);
    if (last === undefined) return void kv.delete('waking');
    const isAgain = woken.some((each) => each === undefined) && waking.tries < WAKE_MAX_TRIES;
    kv.put<Waking>('waking', isAgain ? { ...waking, tries: waking.tries + 1 } : { ...waking, after: last, tries: 0 });
  }

  async #deletePasses(): Promise<void> {
    const { sql } = this.#storage;
    const now = Date.now();
    const names = passes.oldPasses(sql, now, PASSES_AT_ONCE);
    await Promise.all(
      names.map(async (name) => {
        const [, chain, network, wallet] = name.split('/') as [string, Chain, string, Wallet];
        const answer = await this.#askPass(name, async (pass) => ({ isErased: await pass.erase() }));
        if (answer?.isErased) {
          if (passes.removePass(sql, name, now)) this.#at({ chain, network }, (ledger) => ledger.forget(wallet));
          return;
        }
        // Without its script, the wallet holds up no step.
        this.#at({ chain, network }, (ledger) => ledger.assign(wallet, {}));
        passes.postponeDeletion(sql, name, DELETE_AGAIN_MS);
      }),
    );
  }

  /** Calls a pass; undefined if it does not answer. */
  #askPass<T>(
    name: PassName,
    ask: (pass: ReturnType<Env['PASSES']['getByName']>) => Promise<T>,
  ): Promise<T | undefined> {
    const asked = within(PASS_TIMEOUT_MS, ask(this.#env.PASSES.getByName(name)), 'the pass object');
    return asked.catch((fault) => {
      logFault('pass.unreachable', fault, { pass: name });
      return undefined;
    });
  }

  async #visit(event: agenda.Scheduled<agenda.Visit>): Promise<void> {
    const { seq, network: id, wallet, body } = event;
    const gatekeeperNetwork = (this.#context.id.name ?? '') as GatekeeperNetwork;
    const key = { gatekeeperNetwork, ...agenda.networkOf(id), wallet };
    const isDone = await visitPass(this.#env, key, body).catch((fault) => {
      logFault('pass.unreachable', fault, { network: key.network });
      return false;
    });
    const reorg = 'reorg' in body ? body.reorg : undefined;
    const { sql } = this.#storage;
    const { began = Date.now() } = body;
    const taken = Date.now() - began;
    if (!isDone && (reorg === undefined || taken < REORG_WAITS_MS)) {
      const again = blocksIn(Math.min(Math.max(taken, VISIT_AGAIN_MS), VISIT_AGAIN_MAX_MS));
      return agenda.postponeVisit(sql, { ...event, body: { ...body, began } }, this.#head + again);
    }
    if ('requests' in body && body.requests.changes.length > 0) {
      const [, ...changes] = body.requests.changes;
      const rest = { requests: { ...body.requests, changes } };
      return agenda.postponeVisit(sql, { ...event, body: rest }, this.#head + blocksIn(VISIT_AGAIN_MS));
    }
    agenda.deleteEvent(sql, seq);
    if (reorg) this.#at(key, (ledger) => ledger.continueReorg(wallet, reorg));
  }

  get #head(): number {
    return blockAt(Date.now() - this.#began + this.secondsAhead() * SECOND_MS);
  }

  /** Sets the alarm to the next thing to do, unless it fires sooner. */
  async #schedule(): Promise<void> {
    const due = this.#nextDue();
    if (due !== undefined && due < this.#alarmAt) await this.#setAlarm(Math.max(Date.now(), due));
  }

  #nextDue(): Milliseconds | undefined {
    const { sql, kv } = this.#storage;
    const block = agenda.nextEventAt(sql);
    const dues = [
      block === undefined ? undefined : this.#began + timeOf(block) - this.secondsAhead() * SECOND_MS,
      kv.get<Waking>('waking') && Date.now(),
      passes.nextDeletion(sql),
    ].filter((due) => due !== undefined);
    return dues.length === 0 ? undefined : Math.min(...dues);
  }

  async #setAlarm(due: Milliseconds): Promise<void> {
    this.#alarmAt = due;
    await this.#storage.setAlarm(due);
  }

  #at<T>({ chain, network }: SimulatedNetwork, work: (ledger: Ledger) => T): T {
    if (findNetwork(NETWORKS, chain, network) === undefined) throw new Error('no such network');
    const place = { chain, network, head: this.#head, began: this.#began };
    return this.#storage.transactionSync(() => work(new Ledger(this.#storage.sql, place)));
  }
}
