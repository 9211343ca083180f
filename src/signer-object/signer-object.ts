import { DurableObject } from 'cloudflare:workers';
import { withTimeout } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import { type ProcessPass, sendProcessPasses } from '../message/process-pass.ts';
import type { SignerName } from '../network/signer-name.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { PassKey, StepRevision } from '../pass/pass.ts';
import { type Answer, passIdOf, type Submission, type SubmittedStep } from '../pass/step.ts';
import { addSteps } from './add-steps.ts';
import { Announcements } from './announcements.ts';
import { rebroadcast } from './broadcast.ts';
import { coalesceReads } from './coalesce-reads.ts';
import { needsEarlierStore } from './earlier-store.ts';
import { type EndedSteps, endWaitingSteps, type WaitingSteps } from './end-waiting.ts';
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
import { listPassesWithSteps, type SignerStatus, statusOf } from './status.ts';
import * as stepTable from './step-table.ts';
import { type StuckStep, stuckReasonFor } from './stuck-reason.ts';
import { ALL_STAGES, TRACK_MAX_TRANSACTIONS, trackInFlight, UNCONFIRMED_STAGES } from './track-in-flight.ts';
import * as transitions from './transitions.ts';
import { isWithoutRoom, waitingAnswer, withdrawnAnswer } from './unknown-steps.ts';
import { unstickTransactions } from './unstick-transactions.ts';

/** How long `submit` waits for the chain; what takes longer is announced when it is done. */
const SUBMIT_TIMEOUT_MS = 5_000;
/** When the work of an alarm is cut off, it is tried again after this. */
const ALARM_BACKSTOP_MS = 30_000;
/** For how long a change that waits for its mint speeds up tracking. Some networks are final within seconds. */
const FINALITY_URGENT_MS = 60_000;

/**
 * The one place that hands out nonces for one key on one network, signs with it, and asks the chain what became of
 * everything in flight.
 */
export class SignerObject extends DurableObject<Env> {
  #signer: Signer | undefined;
  readonly #runs = new SharedRuns();
  /** The last pass over the transactions in flight: one begins when the one before has ended. */
  #tracking: Promise<unknown> = Promise.resolve();
  readonly #readCoalesced = coalesceReads((questions) =>
    readPasses(this.#open(), questions, (signer) => this.#track(signer, ['confirmed'])),
  );
  /** Steps whose `submit` is waiting for the answer: they need no message. */
  readonly #awaited = new Set<string>();
  readonly #announcements = new Announcements(this.ctx.storage.sql);
  /** When transactions were handed out again last (ms). */
  #rebroadcastAt = Date.now();
  /** When confirmed transactions were read last (ms). */
  #finalityAt = 0;
  /** Until then (ms), every tracking run reads confirmed transactions too: a new change waits for its mint to be final. */
  #finalityIsUrgentUntil = 0;
  /** Times in a row that the nodes did not answer. */
  #readFaults = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    migrate(ctx.storage);
  }

  /** Does nothing itself: starting the object creates its store, if it has none. */
  begin(): void {}

  /** Takes steps in (each id once), and answers where they stand, and what else became of their passes and is not recorded. */
  async submit(inquiries: readonly Submission[]): Promise<Answer[]> {
    const { sql } = this.ctx.storage;
    const steps = inquiries.flatMap(({ step }) => step ?? []);
    const signer = this.#open();
    const withoutRoom = signer === undefined ? [] : await this.#takeIn(signer, steps);
    const asked = steps.map(({ id }) => stepTable.answerFor(sql, id) ?? waitingAnswer(id, withoutRoom.includes(id)));
    const outcomes = inquiries.flatMap(({ pass }) => stepTable.outcomesOf(sql, pass));
    const isLost = (id: string) => stepTable.answerFor(sql, id) === undefined;
    const lost = inquiries.flatMap(({ vanished = [] }) => vanished.filter(isLost));
    // Until the nonces of the lost store are final, a block may still hold these steps.
    const isTooSoon = signer === undefined || (lost.length > 0 && needsEarlierStore(signer));
    if (signer && isTooSoon) await wakeBy(this.ctx.storage, Date.now() + trackIntervalMs(signer.network));
    for (const { step } of outcomes) this.#announcements.countAsAnnounced(step, Date.now());
    // In the order of their steps: the outcome of an earlier step explains what a later one found.
    const answers = [...(isTooSoon ? [] : lost.map(withdrawnAnswer)), ...outcomes, ...asked];
    return [...new Map(answers.map((answer) => [answer.step, answer])).values()];
  }

  /** Stores new steps, waits a little for the next run, and returns the ids of steps for which there was no room. */
  async #takeIn(signer: Signer, steps: readonly SubmittedStep[]): Promise<readonly string[]> {
    if (steps.length === 0) return [];
    const { sql } = this.ctx.storage;
    const fresh = addSteps(signer, steps);
    // Read before the run, which may make room: a step that was not stored must be submitted again soon.
    const withoutRoom = steps.filter((step) => isWithoutRoom(signer, step)).map(({ id }) => id);
    const superseded = steps.filter(({ id, superseded }) => superseded && stepTable.isWaiting(sql, id));
    for (const { id } of superseded) signer.withdrawals.set(id, { type: 'withdrawn' });
    // Also for steps that are known: whatever happened to the alarm, asking sets it again.
    await wakeBy(this.ctx.storage, Date.now() + trackIntervalMs(signer.network));
    if (fresh.length === 0 && superseded.length === 0) return withoutRoom;
    for (const { id } of fresh) this.#awaited.add(id);
    // If the mint is final by now, its change is sent at once.
    const waits = fresh.some((step) => waitsForMint(sql, step));
    if (waits) this.#finalityIsUrgentUntil = Date.now() + FINALITY_URGENT_MS;
    const watched = waits ? this.#watch(signer) : Promise.resolve();
    await withTimeout(
      SUBMIT_TIMEOUT_MS,
      watched.then(() => this.#run(signer)),
      undefined,
    );
    for (const { id } of fresh) this.#awaited.delete(id);
    return withoutRoom;
  }

  /** These outcomes were recorded and projected: they need not be announced again. */
  async acknowledge(marks: readonly StepRevision[]): Promise<void> {
    for (const { id, revision } of marks) {
      transitions.acknowledge(this.ctx.storage.sql, id, revision, Date.now());
      this.#announcements.forget(id);
    }
  }

  /** What the chain holds of these passes; one reading each, in order. */
  readPasses(questions: readonly PassQuestion[]): Promise<PassReading[]> {
    return this.#readCoalesced(questions);
  }

  /** How it stands, for the operator; undefined when it is not configured. */
  async status(): Promise<SignerStatus | undefined> {
    const signer = this.#open();
    return signer && statusOf(signer, Date.now());
  }

  /** Why these steps are not over: a sentence each, in order. */
  async stuckReasons(steps: readonly StuckStep[]): Promise<string[]> {
    return steps.map((step) => stuckReasonFor(this.#open(), step, Date.now()));
  }

  /** Ends at most `limit` waiting issuances, of one gatekeeper network or all. Leaves those that may have signed bytes. */
  async abandonIssuances(lane: GatekeeperNetwork | undefined, limit: number): Promise<EndedSteps> {
    return this.endWaitingSteps({ kinds: ['issue'], gatekeeperNetwork: lane }, limit);
  }

  /** Ends at most `limit` of these waiting steps. Leaves those that may have signed bytes. */
  async endWaitingSteps(which: WaitingSteps, limit: number): Promise<EndedSteps> {
    return endWaitingSteps(this.ctx.storage, this.#open(), which, limit, (signer) =>
      withTimeout(SUBMIT_TIMEOUT_MS, this.#run(signer), undefined),
    );
  }

  /** Returns how many unsigned steps of an OAuth client wait in a lane, at most `limit`. */
  async countWaiting(...query: [client: string, lane: GatekeeperNetwork, limit: number]): Promise<number> {
    return stepTable.countWaiting(this.ctx.storage.sql, ...query);
  }

  /** Tries these steps at once, whatever keeps them waiting. */
  async retryNow(steps: Parameters<typeof retryNow>[1]): Promise<void> {
    retryNow(this.ctx.storage, steps);
    await wakeBy(this.ctx.storage, Date.now());
  }

  /** The passes it remembers steps of, from behind that one on. */
  async listPassesAfter(seq: number, limit: number): Promise<{ seq: number; key: PassKey }[]> {
    const signer = this.#open();
    return signer === undefined ? [] : listPassesWithSteps(signer, seq, limit);
  }

  override async alarm(): Promise<void> {
    // First the next alarm, then the work: nothing below may break the chain.
    await this.ctx.storage.setAlarm(Date.now() + ALARM_BACKSTOP_MS);
    const signer = this.#open();
    if (signer === undefined) return;
    // What has been mined makes room for what waits.
    await this.#watch(signer);
    const run = this.#run(signer).then(() => true);
    await this.#announceOutcomes(signer);
    // A long backlog must not keep those waiting whose transactions are mined.
    while (!(await withTimeout(trackDelayMs(signer.network, this.#readFaults), run, false))) {
      await this.#watch(signer);
      await this.#announceOutcomes(signer);
    }
    transitions.deleteForgotten(this.ctx.storage.sql, Date.now());
    const isUrgent = this.#announcements.hasMore || Date.now() < this.#finalityIsUrgentUntil;
    const due = nextAlarm(signer, Date.now(), this.#readFaults, isUrgent);
    if (due === undefined) await this.ctx.storage.deleteAlarm();
    else await this.ctx.storage.setAlarm(due);
  }

  /** Undefined when the configuration no longer has the network or the key: what it has waits, and it takes no more. */
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
      logFault('signer-send', fault, { signer: signer.name });
      pauseSigner(signer, 'the nodes do not answer');
    }
  }

  async #watch(signer: Signer): Promise<void> {
    const now = Date.now();
    const forFinality = now < this.#finalityIsUrgentUntil || now - this.#finalityAt >= FINALITY_TRACK_MS;
    try {
      const confirmed = await this.#track(signer, forFinality ? ALL_STAGES : UNCONFIRMED_STAGES);
      // A full window has others behind it: they come with the next run.
      if (confirmed > 0 && confirmed < TRACK_MAX_TRANSACTIONS) this.#finalityAt = now;
      this.#readFaults = 0;
    } catch (fault) {
      this.#readFaults += 1;
      logFault('signer-watch', fault, { signer: signer.name });
    }
    const before = now - signer.network.rebroadcastMs;
    if (this.#rebroadcastAt > before) return;
    this.#rebroadcastAt = now;
    // Also where the chain could not be read: it may still take what it is sent.
    await rebroadcast(signer, before).catch((fault) => logFault('signer-rebroadcast', fault, { signer: signer.name }));
    await unstickTransactions(signer, now).catch((fault) => logFault('signer-unblock', fault, { signer: signer.name }));
  }

  /** Tracks once at a time: what one run is about to change, another may have changed meanwhile. */
  #track(signer: Signer, statuses: readonly stepTable.InFlightStage[]): Promise<number> {
    const tracked = this.#tracking.then(() => trackInFlight(signer, statuses));
    this.#tracking = tracked.catch(() => 0);
    return tracked;
  }

  async #announceOutcomes({ name, network }: Signer): Promise<void> {
    const due = this.#announcements.takeDue(network, Date.now());
    await this.#enqueue(due.map(({ step: { id, key } }) => ({ pass: key, news: { signer: name, id: passIdOf(id) } })));
  }

  /** A failure is made up for by the next announcement and by the passes' own alarms. */
  async #enqueue(messages: readonly ProcessPass[]): Promise<void> {
    const facts = { signer: this.ctx.id.name, count: messages.length };
    await sendProcessPasses(this.env.LOOKS, messages).catch((fault) => logFault('signer-tell', fault, facts));
  }
}
