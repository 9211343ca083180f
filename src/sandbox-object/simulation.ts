import type { Answered, Arguments, NodeMethod } from '../chain/sandbox/sandbox-chain.ts';
import { configOf } from '../config/parse-config.ts';
import { isAlarmLost } from '../lib/alarm.ts';
import {
  DAY_SECONDS,
  HOUR_MS,
  MINUTE_MS,
  type Milliseconds,
  nowSeconds,
  SECOND_MS,
  type UnixSeconds,
} from '../lib/units.ts';
import { within } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import type { Chain } from '../network/network.ts';
import { findNetwork, NETWORKS } from '../network/networks.ts';
import { CLOCK_MAX_DAYS, CLOCK_STEPS_PER_MINUTE } from '../network/sandbox.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { Wallet } from '../network/wallet.ts';
import type { PassName } from '../pass/pass.ts';
import type { Script } from './agenda.ts';
import * as agenda from './agenda.ts';
import { blockAt, blocksIn, timeOf } from './blocks.ts';
import { Ledger } from './ledger.ts';
import { Node } from './node.ts';
import * as passes from './passes.ts';
import { visitPass } from './passes.ts';
import { createTables, type ExpiryPlace, tokensByExpiry } from './tables.ts';
import type { Operation } from './tokens.ts';

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

/**
 * Which tokens the clock has reached: those up to a place in the list by expiry. A pass sets its alarm by the clock of that time, so the
 * alarm is late once the clock has moved. Only a pass whose expiry, or its notice, is due must learn of it.
 */
interface Reached {
  readonly expiry: ExpiryPlace;
  readonly notice: ExpiryPlace;
  readonly tries?: number;
}

const DATES = ['expiry', 'notice'] as const;

/** The steps of the clock in a real minute. */
interface Steps {
  readonly since: Milliseconds;
  readonly count: number;
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

  /**
   * Advances the clock. Returns how many seconds it is ahead then; undefined: that is not possible. It takes few steps in a real minute:
   * if it has had them, returns the seconds until the next one. Nothing changes in both cases.
   */
  async advance(seconds: number): Promise<number | undefined | { readonly retryAfter: number }> {
    const { kv } = this.#storage;
    const ahead = this.secondsAhead() + seconds;
    if (!Number.isSafeInteger(seconds) || seconds < 0 || ahead > CLOCK_MAX_DAYS * DAY_SECONDS) return undefined;
    const now = Date.now();
    const last = kv.get<Steps>('steps');
    const steps = last !== undefined && Math.abs(now - last.since) < MINUTE_MS ? last : { since: now, count: 0 };
    if (steps.count >= CLOCK_STEPS_PER_MINUTE)
      return { retryAfter: Math.ceil((steps.since + MINUTE_MS - now) / SECOND_MS) };
    if (kv.get<Reached>('reached') === undefined) {
      const from = (lead: number) => ({ expiry: this.#now + lead, network: '', wallet: '' });
      kv.put<Reached>('reached', { expiry: from(0), notice: from(this.#leads.notice) });
    }
    kv.put<Steps>('steps', { ...steps, count: steps.count + 1 });
    kv.put('ahead', ahead);
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
  async ask<M extends NodeMethod>(network: SimulatedNetwork, method: M, asked: Arguments<M>): Promise<Answered<M>> {
    const answer = this.#at(network, (ledger) => {
      const node = new Node(ledger);
      return (node[method] as (...items: Arguments<M>) => Answered<M>)(...asked);
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

  /** Has the next passes set their alarms again, because the clock has reached their expiry, or the notice of it. */
  async #wakePasses(): Promise<void> {
    const { kv, sql } = this.#storage;
    for (const date of DATES) {
      const reached = kv.get<Reached>('reached');
      if (reached === undefined) return;
      const due = tokensByExpiry(sql, reached[date], this.#now + this.#leads[date], PASSES_AT_ONCE);
      const last = due.at(-1);
      if (last === undefined) continue;
      const gatekeeperNetwork = this.#context.id.name;
      const names = due.map(({ network, wallet }) => `${gatekeeperNetwork}/${network}/${wallet}` as PassName);
      const asked = names.map((name) => this.#askPass(name, async (pass) => ({ found: await pass.inspect() })));
      const isAgain = (await Promise.all(asked)).some((answer) => answer === undefined);
      const { tries = 0 } = reached;
      const next = isAgain && tries < WAKE_MAX_TRIES ? { tries: tries + 1 } : { [date]: last, tries: 0 };
      kv.put<Reached>('reached', { ...reached, ...next });
    }
  }

  async #deletePasses(): Promise<void> {
    const { sql } = this.#storage;
    const now = Date.now();
    const names = passes.oldPasses(sql, now, PASSES_AT_ONCE);
    await Promise.all(
      names.map(async (name) => {
        const [gatekeeperNetwork, chain, network, wallet] = name.split('/') as [
          GatekeeperNetwork,
          Chain,
          string,
          Wallet,
        ];
        const key = { gatekeeperNetwork, chain, network, wallet };
        const answer = await this.#askPass(name, (pass) => passes.erase(pass, key, this.#env));
        if (answer?.isErased) {
          if (passes.removePass(sql, name, now)) this.#at(key, (ledger) => ledger.forget(wallet));
          return;
        }
        // Without its script, the wallet holds up no step.
        this.#at(key, (ledger) => ledger.assign(wallet, {}));
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

  /** The time of the clock in Unix seconds. */
  get #now(): UnixSeconds {
    return nowSeconds() + this.secondsAhead();
  }

  /** How long before its expiry a pass must learn of each date. Its last second still counts as valid. */
  get #leads(): Readonly<Record<(typeof DATES)[number], number>> {
    return { expiry: -1, notice: configOf(this.#env).expiryNoticeDays * DAY_SECONDS };
  }

  get #head(): number {
    return blockAt(Date.now() - this.#began + this.secondsAhead() * SECOND_MS);
  }

  /** Sets the alarm to the next thing to do, unless it fires sooner. */
  async #schedule(): Promise<void> {
    const due = this.#nextDue();
    if (due !== undefined && (due < this.#alarmAt || isAlarmLost(this.#alarmAt)))
      await this.#setAlarm(Math.max(Date.now(), due));
  }

  #nextDue(): Milliseconds | undefined {
    const { sql } = this.#storage;
    const block = agenda.nextEventAt(sql);
    const dues = [
      block === undefined ? undefined : this.#began + timeOf(block) - this.secondsAhead() * SECOND_MS,
      ...this.#nextDates(),
      passes.nextDeletion(sql),
    ].filter((due) => due !== undefined);
    return dues.length === 0 ? undefined : Math.min(...dues);
  }

  /** Returns when the clock reaches the next expiry, and the next notice. */
  #nextDates(): Milliseconds[] {
    const reached = this.#storage.kv.get<Reached>('reached');
    if (reached === undefined) return [];
    return DATES.flatMap((date) => {
      const [next] = tokensByExpiry(this.#storage.sql, reached[date], Number.MAX_SAFE_INTEGER, 1);
      return next === undefined ? [] : (next.expiry - this.#leads[date] - this.secondsAhead()) * SECOND_MS;
    });
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
