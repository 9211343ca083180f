import { DurableObject } from 'cloudflare:workers';
import type { SeenContracts } from '../chain/ethereum/contract-control.ts';
import { RpcFault } from '../chain/port.ts';
import type { EmergencyLists } from '../config/signers.ts';
import { MINUTE_MS, type Milliseconds, SECOND_MS } from '../lib/units.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { log, logFault } from '../log/log.ts';
import { type ProcessPass, sendProcessPasses } from '../message/queue.ts';
import { expectedConfirmationMs, type SignerName } from '../network/network.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { PassKey, PassQuestion, StepRevision } from '../pass/pass.ts';
import type { Answer, Submission, SubmittedStep } from '../pass/step.ts';
import { settleWithheld, TRACK_MAX_TRANSACTIONS, trackInFlight } from './confirm.ts';
import { SIGNER } from './lanes.ts';
import type { EndedSteps, ExplainedReason, retryNow, StuckStep } from './operator.ts';
import { addSteps, isWithoutRoom, waitingAnswer, waitsForMint, withdrawnAnswer } from './queue.ts';
import { coalesceReads, observePasses, type PassObservation, type PassReading, readPasses } from './read-passes.ts';
import { rebroadcast, unstickTransactions } from './recover.ts';
import { Announcements, FINALITY_TRACK_MS, nextAlarm, trackDelayMs, trackIntervalMs, wakeBy } from './schedule.ts';
import { ALL_STAGES, type InFlightStage, migrate, needsEarlierStore, UNCONFIRMED_STAGES } from './schema.ts';
import { sendWaiting } from './send.ts';
import { closedSigner, ObeyedLists, openSigner, pauseSigner, type Signer } from './signer.ts';
import type { KnownFunds, SignerMetrics, SignerStatus } from './status.ts';
import * as queries from './step-queries.ts';

/** How long `submit` waits for the chain. A later outcome is announced. */
const SUBMIT_TIMEOUT_MS = 5 * SECOND_MS;
/** How long a change that waits for its mint speeds up tracking. Some networks are final within seconds. */
const FINALITY_URGENT_MS = MINUTE_MS;
/** An alarm whose work is cut off fires again after this time. */
const ALARM_BACKSTOP_MS = 30 * SECOND_MS;

/** The only place that assigns nonces for one key on one network and signs with it. Tracks the transactions in flight. */
export class SignerObject extends DurableObject<Env> {
  #signer: Signer | undefined;
  #lists: ObeyedLists | undefined;
  /** The current run, and the next one, which callers that arrive during the current one share. */
  #run: Promise<void> = Promise.resolve();
  #nextRun: Promise<void> | undefined;
  /** The last tracking run. The next one begins when it has ended. */
  #tracking: Promise<unknown> = Promise.resolve();
  readonly #readCoalesced = coalesceReads((questions) =>
    readPasses(this.#open(), questions, (signer) => this.#track(signer, ['confirmed'])),
  );
  /** Resolves when the next tracking run has ended. */
  #tracked = Promise.withResolvers<void>();
  /** Steps whose `submit` waits for the answer. They need no message. */
  readonly #awaited = new Set<string>();
  #funds: KnownFunds | undefined;
  readonly #announcements = new Announcements();
  /** Time of the last rebroadcast (ms). */
  #rebroadcastAt = Date.now();
  /** When confirmed transactions were last tracked (ms). */
  #finalityAt = 0;
  /** Until this time (ms), every run also tracks confirmed transactions, because a new change waits for its mint. */
  #finalityIsUrgentUntil = 0;
  /** Number of tracking runs in a row that failed because the nodes did not answer. */
  #readFaults = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    migrate(ctx.storage);
  }

  /** The loop: confirms and recovers what is in flight, sends what waits, and announces what became of it. */
  override async alarm(): Promise<void> {
    const signer = this.#open();
    if (signer === undefined) return this.#waitForConfiguration();
    // Schedule the next alarm before the work: a crash below must not end the retries.
    await this.ctx.storage.setAlarm(Date.now() + ALARM_BACKSTOP_MS);
    signer.waits.end(SIGNER, 'configured');
    // Confirm first: mined transactions make room for waiting steps.
    await this.#watch(signer);
    const run = this.#runNext(signer).then(() => true);
    await this.#announce(signer);
    // A long backlog must not delay the outcomes of mined transactions.
    while (!(await withTimeout(trackDelayMs(signer.network, this.#readFaults), run, false))) {
      await this.#watch(signer);
      await this.#announce(signer);
    }
    signer.steps.forget(Date.now());
    const isUrgent = this.#announcements.hasMore || Date.now() < this.#finalityIsUrgentUntil;
    const due = nextAlarm(signer, Date.now(), this.#readFaults, isUrgent);
    await (due === undefined ? this.ctx.storage.deleteAlarm() : this.ctx.storage.setAlarm(due));
  }

  async #watch(signer: Signer): Promise<void> {
    const now = Date.now();
    await this.#confirm(signer, now);
    await this.#recover(signer, now);
  }

  async #confirm(signer: Signer, now: Milliseconds): Promise<void> {
    const forFinality = now < this.#finalityIsUrgentUntil || now - this.#finalityAt >= FINALITY_TRACK_MS;
    try {
      const confirmed = await this.#track(signer, forFinality ? ALL_STAGES : UNCONFIRMED_STAGES);
      // A full window may leave transactions behind it, which the next run tracks.
      if (confirmed > 0 && confirmed < TRACK_MAX_TRANSACTIONS) this.#finalityAt = now;
      this.#readFaults = 0;
      signer.withheld.delete(SIGNER);
    } catch (fault) {
      this.#readFaults += 1;
      if (fault instanceof RpcFault)
        signer.withheld.set(SIGNER, { since: now, ...signer.withheld.get(SIGNER), why: fault.message });
      logFault('signer.tracking_failed', fault, { signer: signer.name });
    }
  }

  /** Works also while the chain cannot be read: the nodes may still accept transactions. */
  async #recover(signer: Signer, now: Milliseconds): Promise<void> {
    const facts = { signer: signer.name };
    const before = now - signer.network.rebroadcastMs;
    if (this.#rebroadcastAt > before) return;
    this.#rebroadcastAt = now;
    await rebroadcast(signer, before).catch((fault) => logFault('signer.rebroadcast_failed', fault, facts));
    await unstickTransactions(signer, now).catch((fault) => logFault('signer.unsticking_failed', fault, facts));
  }

  async #send(signer: Signer): Promise<void> {
    try {
      const sent = await sendWaiting(signer);
      const due = sent.filter(({ id }) => !this.#awaited.has(id));
      await this.#enqueue(due.map(({ key }) => ({ pass: key })));
    } catch (fault) {
      logFault('signer.run_failed', fault, { signer: signer.name });
      pauseSigner(signer, { code: 'nodes-unanswered', detail: fault instanceof RpcFault ? fault.message : undefined });
    }
  }

  async #announce(signer: Signer): Promise<void> {
    await this.#enqueue(this.#announcements.takeDue(signer, this.#awaited, Date.now()));
  }

  /** Best effort: after a failure, the next announcement or the alarm of the pass does the same work. */
  async #enqueue(messages: readonly ProcessPass[]): Promise<void> {
    const facts = { signer: this.ctx.id.name, messages: messages.length };
    await sendProcessPasses(this.env.PASS_QUEUE, messages).catch((fault) =>
      logFault('queue.send_failed', fault, facts),
    );
  }

  /** Tracks, one run at a time: two runs at once could change the same steps. */
  #track(signer: Signer, stages: readonly InFlightStage[]): Promise<number> {
    const tracked = this.#tracking.then(async () => {
      const confirmed = await trackInFlight(signer, stages);
      await settleWithheld(signer, Date.now());
      return confirmed;
    });
    this.#tracking = tracked.catch(() => 0);
    this.#tracking.then(() => {
      this.#tracked.resolve();
      this.#tracked = Promise.withResolvers();
    });
    return tracked;
  }

  /** Sends what waits, one run at a time. Resolves when a run that began after this call has ended. */
  #runNext(signer: Signer): Promise<void> {
    this.#nextRun ??= this.#run.then(() => {
      this.#nextRun = undefined;
      this.#run = this.#send(signer);
      return this.#run;
    });
    return this.#nextRun;
  }

  /** Sets the alarm of a signer that is not configured, or none if all its steps are final. */
  async #waitForConfiguration(): Promise<void> {
    const { storage } = this.ctx;
    if (!queries.hasUnfinished(storage.sql)) return storage.deleteAlarm();
    const { until } = this.#closed().waits.begin(SIGNER, { code: 'not-configured' }, Date.now());
    await storage.setAlarm(until);
  }

  // Requests of passes

  /** Does nothing itself: the call starts the object, and the constructor creates the store if it does not exist. */
  begin(): void {}

  /**
   * Adds steps (each id once). Returns their status, and the unacknowledged outcomes of other steps of their passes.
   * @param lists The emergency lists of the caller, which the signer obeys if they are newer than its own.
   */
  async submit(submissions: readonly Submission[], lists?: EmergencyLists): Promise<Answer[]> {
    if (lists !== undefined) await this.#learn(lists);
    const steps = submissions.flatMap(({ step }) => step ?? []);
    const signer = this.#open();
    const withoutRoom = signer === undefined ? [] : await this.#takeIn(signer, steps);
    const { steps: table } = signer ?? this.#closed();
    const asked = steps.map(({ id }) => table.answerFor(id) ?? waitingAnswer(id, withoutRoom.includes(id)));
    const outcomes = submissions.flatMap(({ pass }) => table.outcomesOf(pass));
    const isLost = (id: string) => table.answerFor(id) === undefined;
    const lost = submissions.flatMap(({ vanished = [] }) => vanished.filter(isLost));
    // Until the nonces of the lost store are final, a block may still include these steps.
    const isTooSoon = signer === undefined || (lost.length > 0 && needsEarlierStore(signer));
    if (signer && isTooSoon) await wakeBy(this.ctx.storage, Date.now() + trackIntervalMs(signer.network));
    for (const { step } of outcomes) this.#announcements.countAsAnnounced(step, Date.now());
    // Keep the order of the steps: the outcome of an earlier step explains the result of a later one.
    const answers = [...(isTooSoon ? [] : lost.map(withdrawnAnswer)), ...outcomes, ...asked];
    return [...new Map(answers.map((answer) => [answer.step, answer])).values()];
  }

  /** Stores new steps and waits a limited time for the next run. Returns the ids of steps for which there was no room. */
  async #takeIn(signer: Signer, steps: readonly SubmittedStep[]): Promise<readonly string[]> {
    if (steps.length === 0) return [];
    const fresh = addSteps(signer, steps);
    // Check this before the run, which may make room: the pass must submit a step that was not stored again soon.
    const withoutRoom = steps.filter((step) => isWithoutRoom(signer, step)).map(({ id }) => id);
    const superseded = steps.filter(({ id, superseded }) => superseded && signer.steps.find(id)?.stage === 'waiting');
    for (const { id } of superseded) signer.withdrawals.set(id, { type: 'withdrawn' });
    // Set the alarm for known steps too, in case it was lost.
    await wakeBy(this.ctx.storage, Date.now() + trackIntervalMs(signer.network));
    if (fresh.length === 0 && superseded.length === 0) return withoutRoom;
    for (const { id } of fresh) this.#awaited.add(id);
    // Track first: if the mint is final by now, the run sends its change at once.
    const waits = fresh.some((step) => waitsForMint(signer, step));
    if (waits) this.#finalityIsUrgentUntil = Date.now() + FINALITY_URGENT_MS;
    const watched = waits ? this.#watch(signer) : Promise.resolve();
    const run = watched.then(() => this.#runNext(signer));
    const ids = fresh.map(({ id }) => id);
    try {
      await withTimeout(SUBMIT_TIMEOUT_MS, this.#waitForAnswers(signer, ids, run), undefined);
    } finally {
      for (const id of ids) this.#awaited.delete(id);
    }
    return withoutRoom;
  }

  /**
   * Resolves when the run has sent these steps, or has ended. On a network that usually confirms in time, it waits for the outcomes of the
   * sent ones too: a pass that gets its outcome at once needs no second message, and records no sent transaction before.
   */
  async #waitForAnswers({ steps, network }: Signer, ids: readonly string[], run: Promise<void>): Promise<void> {
    let hasRun = false;
    const ended = run.finally(() => {
      hasRun = true;
    });
    const awaitsOutcome = expectedConfirmationMs(network) <= SUBMIT_TIMEOUT_MS;
    const isAnswered = (id: string) => {
      const stage = steps.inMemory(id)?.stage ?? 'none';
      if (stage === 'unsent' || stage === 'waiting') return hasRun;
      return stage === 'sent' ? !awaitsOutcome : hasRun || steps.hasOutcome(id);
    };
    while (!ids.every(isAnswered))
      await (hasRun ? this.#tracked.promise : Promise.race([ended, this.#tracked.promise]));
  }

  /** Records that the passes have stored and published these outcomes, so that the signer does not announce them again. */
  async acknowledge(marks: readonly StepRevision[]): Promise<void> {
    const { steps } = this.#open() ?? this.#closed();
    steps.acknowledge(marks, Date.now());
    for (const { id } of marks) this.#announcements.forget(id);
  }

  /** Returns the on-chain state of these passes: one reading each, in order. */
  readPasses(questions: readonly PassQuestion[]): Promise<PassReading[]> {
    return this.#readCoalesced(questions);
  }

  /**
   * Returns what two endpoints show of the wallets of these passes: one observation each, in order. Undefined if the nodes do not
   * answer, or the signer is not configured.
   */
  async observe(questions: readonly PassQuestion[]): Promise<PassObservation[] | undefined> {
    try {
      return await observePasses(this.#open(), questions, (signer) => this.#track(signer, ['confirmed']));
    } catch (fault) {
      if (!(fault instanceof RpcFault)) throw fault;
      return undefined;
    }
  }

  /** Returns which of these transactions the signer has signed, as far as its memory shows. */
  async ownTransactions(identifiers: readonly string[]): Promise<string[]> {
    return this.#open()?.steps.ownAmong(identifiers) ?? [];
  }

  // Requests of the operator and of the watcher

  /** Stores what the watcher has seen of the contracts. Returns whether it is configured: if not, it asks when it is. */
  async learnContracts(seen: SeenContracts): Promise<boolean> {
    const signer = this.#open();
    signer?.contracts?.learn(Date.now(), seen);
    if (signer !== undefined) await this.#wakeForWaiting(signer);
    return signer !== undefined;
  }

  /** Reads the suspended clients at once, because the operator has changed them. */
  async checkSuspensions(): Promise<void> {
    const signer = this.#open();
    if (signer === undefined) return;
    await signer.suspended.reread(Date.now());
    await this.#wakeForWaiting(signer);
  }

  /**
   * Obeys these emergency lists from now on, unless it has newer ones. Returns the number of the lists that it obeys, and whether its key
   * signs nothing.
   */
  async obey(lists: EmergencyLists): Promise<{ readonly number: number; readonly isStopped: boolean }> {
    await this.#learn(lists);
    const signer = this.#open();
    return { number: this.#obeyed().number, isStopped: signer === undefined || signer.isCompromised === true };
  }

  /** Returns the signer's status for the operator; undefined if the signer is not configured. */
  async status(): Promise<SignerStatus | undefined> {
    const { statusOf } = await import('./status.ts');
    const signer = this.#open();
    return signer && statusOf(signer, Date.now());
  }

  /**
   * Returns the metrics without waiting for a node; undefined if the signer is not configured.
   * @param lanes Gatekeeper networks for whose passes a signer without any steps simulates an issuance.
   */
  async metrics(lanes: readonly queries.Lane[] = []): Promise<SignerMetrics | undefined> {
    const { KnownFunds, metricsOf } = await import('./status.ts');
    this.#funds ??= new KnownFunds();
    const signer = this.#open();
    return signer && metricsOf(signer, this.#funds, lanes, Date.now());
  }

  /** Returns why these steps are not finished, in order. */
  async stuckReasons(steps: readonly StuckStep[]): Promise<ExplainedReason[]> {
    const { stuckReasonFor } = await import('./operator.ts');
    return steps.map((step) => stuckReasonFor(this.#open(), step, Date.now()));
  }

  /** Ends at most `limit` of the selected waiting steps, except those that may have signed bytes. */
  async endWaitingSteps(which: queries.WaitingSteps, limit: number): Promise<EndedSteps> {
    const { endWaitingSteps } = await import('./operator.ts');
    const signer = this.#open();
    const run = signer && (() => withTimeout(SUBMIT_TIMEOUT_MS, this.#runNext(signer), undefined));
    return endWaitingSteps(signer ?? this.#closed(), which, limit, run);
  }

  /** Returns how many waiting steps of a lane an OAuth client requested, at most `limit`. */
  async countWaitingSteps(...query: [client: string, lane: GatekeeperNetwork, limit: number]): Promise<number> {
    return queries.countWaitingOfClient(this.ctx.storage.sql, ...query);
  }

  /** Retries these steps at once, whether they are postponed, held or paused. */
  async retryNow(steps: Parameters<typeof retryNow>[1]): Promise<void> {
    const operator = await import('./operator.ts');
    operator.retryNow(this.#open() ?? this.#closed(), steps);
    await wakeBy(this.ctx.storage, Date.now());
  }

  /** Returns the passes that have steps in the table after the step with that id, in the order of the ids. */
  async listPassesAfter(id: string, limit: number): Promise<{ id: string; key: PassKey }[]> {
    const signer = this.#open();
    return signer === undefined ? [] : queries.passesWithSteps(this.ctx.storage.sql, signer.network, id, limit);
  }

  /** Undefined if the configuration no longer has the network or the key. Its steps then wait, and it adds no new ones. */
  #open(): Signer | undefined {
    this.#signer ??= openSigner(this.ctx.id.name as SignerName, this.ctx.storage, this.env, this.#obeyed());
    return this.#signer;
  }

  #obeyed(): ObeyedLists {
    this.#lists ??= new ObeyedLists(this.ctx.storage, this.env);
    return this.#lists;
  }

  /** Obeys these emergency lists if they are newer. */
  async #learn(lists: EmergencyLists): Promise<void> {
    if (!this.#obeyed().learn(lists)) return;
    log('signer.emergency_obeyed', { signer: this.ctx.id.name, number: lists.number });
    const signer = this.#open();
    if (signer === undefined) return;
    signer.suspended.resume(Date.now());
    await this.#wakeForWaiting(signer);
  }

  /** The steps of a resumed client are due. */
  async #wakeForWaiting({ steps }: Signer): Promise<void> {
    if (steps.lanes.inTurn().length > 0) await wakeBy(this.ctx.storage, Date.now());
  }

  /** The parts of a signer that is not configured. They keep nothing in memory between two calls. */
  #closed() {
    return closedSigner(this.ctx.id.name as SignerName, this.ctx.storage);
  }
}
