import { DurableObject } from 'cloudflare:workers';
import { withTimeout } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import { type ProcessPass, sendProcessPasses } from '../message/process-pass.ts';
import type { SignerName } from '../network/signer-name.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { PassKey, StepRevision } from '../pass/pass.ts';
import type { Answer, Submission, SubmittedStep } from '../pass/step.ts';
import { addSteps } from './add-steps.ts';
import { Announcements } from './announcements.ts';
import { rebroadcast } from './broadcast.ts';
import { coalesceReads } from './coalesce-reads.ts';
import { needsEarlierStore } from './earlier-store.ts';
import { type EndedSteps, endWaitingSteps, type WaitingSteps } from './end-waiting.ts';
import { KnownFunds } from './funds.ts';
import { waitsForMint } from './mint-deferral.ts';
import { FINALITY_TRACK_MS, nextAlarm, trackDelayMs, trackIntervalMs, wakeBy } from './next-alarm.ts';
import { openSigner } from './open-signer.ts';
import { pauseSigner } from './pause.ts';
import { type PassQuestion, type PassReading, readPasses } from './read-passes.ts';
import { retryNow } from './retry-now.ts';
import { migrate } from './schema.ts';
import { sendWaiting } from './send.ts';
import { SharedRuns } from './shared-runs.ts';
import type { Signer } from './signer.ts';
import { listPassesWithSteps, metricsOf, type SignerMetrics, type SignerStatus, statusOf } from './status.ts';
import * as stepTable from './step-table.ts';
import { type StuckStep, stuckReasonFor } from './stuck-reason.ts';
import { ALL_STAGES, TRACK_MAX_TRANSACTIONS, trackInFlight, UNCONFIRMED_STAGES } from './track-in-flight.ts';
import * as transitions from './transitions.ts';
import { isWithoutRoom, waitingAnswer, withdrawnAnswer } from './unknown-steps.ts';
import { unstickTransactions } from './unstick-transactions.ts';
import { endWaitForConfiguration, waitForConfiguration } from './wait-for-configuration.ts';

/** How long `submit` waits for the chain. A later outcome is announced. */
const SUBMIT_TIMEOUT_MS = 5_000;
/** How long a change that waits for its mint speeds up tracking. Some networks are final within seconds. */
const FINALITY_URGENT_MS = 60_000;
/** An alarm whose work is cut off fires again after this time. */
const ALARM_BACKSTOP_MS = 30_000;

/** The only place that assigns nonces for one key on one network and signs with it. Tracks the transactions in flight. */
export class SignerObject extends DurableObject<Env> {
  #signer: Signer | undefined;
  readonly #runs = new SharedRuns();
  /** The last tracking run. The next one begins when it has ended. */
  #tracking: Promise<unknown> = Promise.resolve();
  readonly #readCoalesced = coalesceReads((questions) =>
    readPasses(this.#open(), questions, (signer) => this.#track(signer, ['confirmed'])),
  );
  /** Steps whose `submit` waits for the answer. They need no message. */
  readonly #awaited = new Set<string>();
  readonly #funds = new KnownFunds();
  readonly #announcements = new Announcements(this.ctx.storage.sql);
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

  /** Does nothing itself: the call starts the object, and the constructor creates the store if it does not exist. */
  begin(): void {}

  /** Adds steps (each id once). Returns their status, and the unacknowledged outcomes of other steps of their passes. */
  async submit(submissions: readonly Submission[]): Promise<Answer[]> {
    const { sql } = this.ctx.storage;
    const steps = submissions.flatMap(({ step }) => step ?? []);
    const signer = this.#open();
    const withoutRoom = signer === undefined ? [] : await this.#takeIn(signer, steps);
    const asked = steps.map(({ id }) => stepTable.answerFor(sql, id) ?? waitingAnswer(id, withoutRoom.includes(id)));
    const outcomes = submissions.flatMap(({ pass }) => stepTable.outcomesOf(sql, pass));
    const isLost = (id: string) => stepTable.answerFor(sql, id) === undefined;
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
    const { sql } = this.ctx.storage;
    const fresh = addSteps(signer, steps);
    // Check this before the run, which may make room: the pass must submit a step that was not stored again soon.
    const withoutRoom = steps.filter((step) => isWithoutRoom(signer, step)).map(({ id }) => id);
    const superseded = steps.filter(({ id, superseded }) => superseded && stepTable.isWaiting(sql, id));
    for (const { id } of superseded) signer.withdrawals.set(id, { type: 'withdrawn' });
    // Set the alarm for known steps too, in case it was lost.
    await wakeBy(this.ctx.storage, Date.now() + trackIntervalMs(signer.network));
    if (fresh.length === 0 && superseded.length === 0) return withoutRoom;
    for (const { id } of fresh) this.#awaited.add(id);
    // Track first: if the mint is final by now, the run sends its change at once.
    const waits = fresh.some((step) => waitsForMint(sql, step));
    if (waits) this.#finalityIsUrgentUntil = Date.now() + FINALITY_URGENT_MS;
    const watched = waits ? this.#watch(signer) : Promise.resolve();
    const run = watched.then(() => this.#run(signer));
    await withTimeout(SUBMIT_TIMEOUT_MS, run, undefined);
    for (const { id } of fresh) this.#awaited.delete(id);
    return withoutRoom;
  }

  /** Records that the passes have stored and published these outcomes, so that the signer does not announce them again. */
  async acknowledge(marks: readonly StepRevision[]): Promise<void> {
    for (const { id, revision } of marks) {
      transitions.acknowledge(this.ctx.storage.sql, id, revision, Date.now());
      this.#announcements.forget(id);
    }
  }

  /** Returns the on-chain state of these passes: one reading each, in order. */
  readPasses(questions: readonly PassQuestion[]): Promise<PassReading[]> {
    return this.#readCoalesced(questions);
  }

  /** Returns the signer's status for the operator; undefined if the signer is not configured. */
  async status(): Promise<SignerStatus | undefined> {
    const signer = this.#open();
    return signer && statusOf(signer, Date.now());
  }

  /** Returns the metrics without waiting for a node; undefined if the signer is not configured. */
  async metrics(): Promise<SignerMetrics | undefined> {
    const signer = this.#open();
    return signer && metricsOf(signer, this.#funds, Date.now());
  }

  /** Returns why these steps are not finished: one sentence each, in order. */
  async stuckReasons(steps: readonly StuckStep[]): Promise<string[]> {
    return steps.map((step) => stuckReasonFor(this.#open(), step, Date.now()));
  }

  /** Ends at most `limit` waiting issuances, of one gatekeeper network or all, except those that may have signed bytes. */
  async abandonIssuances(lane: GatekeeperNetwork | undefined, limit: number): Promise<EndedSteps> {
    return this.endWaitingSteps({ kinds: ['issue'], gatekeeperNetwork: lane }, limit);
  }

  /** Ends at most `limit` of the selected waiting steps, except those that may have signed bytes. */
  async endWaitingSteps(which: WaitingSteps, limit: number): Promise<EndedSteps> {
    return endWaitingSteps(this.ctx.storage, this.#open(), which, limit, (signer) =>
      withTimeout(SUBMIT_TIMEOUT_MS, this.#run(signer), undefined),
    );
  }

  /** Returns how many waiting steps of a lane an OAuth client requested, at most `limit`. */
  async countWaiting(...query: [client: string, lane: GatekeeperNetwork, limit: number]): Promise<number> {
    return stepTable.countWaiting(this.ctx.storage.sql, ...query);
  }

  /** Retries these steps at once, whether they are postponed, held or paused. */
  async retryNow(steps: Parameters<typeof retryNow>[1]): Promise<void> {
    retryNow(this.ctx.storage, steps);
    await wakeBy(this.ctx.storage, Date.now());
  }

  /** Returns the passes that have steps in the table after the step `seq`, in the order of the steps. */
  async listPassesAfter(seq: number, limit: number): Promise<{ seq: number; key: PassKey }[]> {
    return listPassesWithSteps(this.#open(), seq, limit);
  }

  override async alarm(): Promise<void> {
    const signer = this.#open();
    if (signer === undefined) return waitForConfiguration(this.ctx.storage, Date.now());
    // Schedule the next alarm before the work: a crash below must not end the retries.
    await this.ctx.storage.setAlarm(Date.now() + ALARM_BACKSTOP_MS);
    endWaitForConfiguration(this.ctx.storage);
    // Track first: mined transactions make room for waiting steps.
    await this.#watch(signer);
    const run = this.#run(signer).then(() => true);
    await this.#enqueue(this.#announcements.takeDue(signer, Date.now()));
    // A long backlog must not delay the outcomes of mined transactions.
    while (!(await withTimeout(trackDelayMs(signer.network, this.#readFaults), run, false))) {
      await this.#watch(signer);
      await this.#enqueue(this.#announcements.takeDue(signer, Date.now()));
    }
    transitions.deleteForgotten(this.ctx.storage.sql, Date.now());
    const isUrgent = this.#announcements.hasMore || Date.now() < this.#finalityIsUrgentUntil;
    const due = nextAlarm(signer, Date.now(), this.#readFaults, isUrgent);
    await (due === undefined ? this.ctx.storage.deleteAlarm() : this.ctx.storage.setAlarm(due));
  }

  /** Undefined if the configuration no longer has the network or the key. Its steps then wait, and it adds no new ones. */
  #open(): Signer | undefined {
    this.#signer ??= openSigner(this.ctx.id.name as SignerName, this.ctx.storage, this.env);
    return this.#signer;
  }

  #run(signer: Signer): Promise<void> {
    return this.#runs.next(() => this.#send(signer));
  }

  async #send(signer: Signer): Promise<void> {
    try {
      const sent = await sendWaiting(signer);
      const due = sent.filter(({ id }) => !this.#awaited.has(id));
      await this.#enqueue(due.map(({ key }) => ({ pass: key })));
    } catch (fault) {
      logFault('signer.run_failed', fault, { signer: signer.name });
      pauseSigner(signer, 'the nodes do not answer');
    }
  }

  async #watch(signer: Signer): Promise<void> {
    const now = Date.now();
    const facts = { signer: signer.name };
    const forFinality = now < this.#finalityIsUrgentUntil || now - this.#finalityAt >= FINALITY_TRACK_MS;
    try {
      const confirmed = await this.#track(signer, forFinality ? ALL_STAGES : UNCONFIRMED_STAGES);
      // A full window may leave transactions behind it, which the next run tracks.
      if (confirmed > 0 && confirmed < TRACK_MAX_TRANSACTIONS) this.#finalityAt = now;
      this.#readFaults = 0;
    } catch (fault) {
      this.#readFaults += 1;
      logFault('signer.tracking_failed', fault, facts);
    }
    const before = now - signer.network.rebroadcastMs;
    if (this.#rebroadcastAt > before) return;
    this.#rebroadcastAt = now;
    // Rebroadcast even if the chain could not be read: the nodes may still accept transactions.
    await rebroadcast(signer, before).catch((fault) => logFault('signer.rebroadcast_failed', fault, facts));
    await unstickTransactions(signer, now).catch((fault) => logFault('signer.unsticking_failed', fault, facts));
  }

  /** Tracks, one run at a time: two runs at once could change the same steps. */
  #track(signer: Signer, statuses: readonly stepTable.InFlightStage[]): Promise<number> {
    const tracked = this.#tracking.then(() => trackInFlight(signer, statuses));
    this.#tracking = tracked.catch(() => 0);
    return tracked;
  }

  /** Best effort: after a failure, the next announcement or the alarm of the pass does the same work. */
  async #enqueue(messages: readonly ProcessPass[]): Promise<void> {
    const facts = { signer: this.ctx.id.name, messages: messages.length };
    await sendProcessPasses(this.env.LOOKS, messages).catch((fault) => logFault('queue.send_failed', fault, facts));
  }
}
