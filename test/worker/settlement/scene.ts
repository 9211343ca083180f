import { expect } from 'vitest';
import type { SignerName } from '../../../src/network/network.ts';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import { applyObservation, applyReading } from '../../../src/pass/adopt.ts';
import { recordAnswer } from '../../../src/pass/answers.ts';
import { collectFeedEvents } from '../../../src/pass/feed-events.ts';
import { isSettled, needsStep, pinNextStep } from '../../../src/pass/next-step.ts';
import type { OnChain, Pass, PassKey } from '../../../src/pass/pass.ts';
import {
  type ChangeResult,
  type IssueRequest,
  requestIssuance,
  requestUpdate,
  type WantedChange,
} from '../../../src/pass/requests.ts';
import { type Answer, isOutcome, type SubmittedStep } from '../../../src/pass/step.ts';
import { RANKS } from '../../../src/pass/step-kinds.ts';
import { publicationOf } from '../../../src/pass-object/results.ts';
import { trackInFlight } from '../../../src/signer-object/confirm.ts';
import { Lanes } from '../../../src/signer-object/lanes.ts';
import { retryNow } from '../../../src/signer-object/operator.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { observePasses, readPasses } from '../../../src/signer-object/read-passes.ts';
import { rebroadcast, unstickTransactions } from '../../../src/signer-object/recover.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import type { Signer } from '../../../src/signer-object/signer.ts';
import * as queries from '../../../src/signer-object/step-queries.ts';
import type { Publication } from '../../../src/store/passes.ts';
import type { StoryChain } from './story-chain.ts';

/**
 * One pass, its signer and its chain. The test controls the queue and the alarms between them. The service's own code decides: the
 * functions of the pass, and the signer's tables in a real store.
 */
export class Scene {
  #pass: Pass | undefined;
  /** The publication of each state of the pass, in order. */
  readonly publications: Publication[] = [];
  /** Net number of confirmed changes of an expired token's expiry, counted by the past steps of the pass. */
  renewals = 0;
  /** Ids of the steps that were renewals when they were first confirmed. */
  readonly #renewing = new Set<string>();
  readonly chain: StoryChain;
  readonly #key: PassKey;
  readonly #signer: Signer;
  readonly #now: () => number;
  /** Messages to process the pass that are not delivered. */
  #messages = 0;
  /** Steps that a consumer has and did not submit. */
  readonly #taken: (SubmittedStep | undefined)[] = [];
  #losesAcknowledgements = false;
  /** Answers that consumers have and the pass did not record. Answers of one call are recorded together. */
  readonly #unheard: (readonly Answer[])[] = [];
  /** Called for a pass whose step was refused permanently. */
  onRefusal: (pass: Pass) => void = () => {};

  /** @param now The time in Unix seconds. */
  constructor(key: PassKey, chain: StoryChain, signer: Signer, now: () => number) {
    this.#key = key;
    this.chain = chain;
    this.#signer = signer;
    this.#now = now;
  }

  get pass(): Pass | undefined {
    return this.#pass;
  }

  /** Collects the feed events as a pass object does. */
  set pass(next: Pass | undefined) {
    const before = this.#pass;
    if (next === undefined || next === before) return;
    this.#pass = collectFeedEvents(before, next);
    this.publications.push(
      publicationOf({ pass: this.#pass, sent: { version: 0, eventsInFeed: 0, entriesInTrail: 0 } }),
    );
    this.#countRenewals(before, this.#pass);
  }

  #countRenewals(before: Pass | undefined, { past = [], onChain }: Pass): void {
    const was = new Map(before?.past?.map((step) => [step.id, step]));
    for (const { id, kind, vanished } of past) {
      const known = was.get(id);
      was.delete(id);
      if (known === undefined && kind === 'set-expiry') {
        const isLate = ({ expiry = Number.POSITIVE_INFINITY }: OnChain) => expiry < this.#now();
        if (before && isLate(before.onChain) && !isLate(onChain)) this.#renewing.add(id);
      }
      if (!this.#renewing.has(id)) continue;
      const isThere = !vanished;
      const wasThere = known !== undefined && !known.vanished;
      this.renewals += Number(isThere) - Number(wasThere);
    }
    // The oldest of sixteen steps is only forgotten.
    for (const [id, { vanished }] of was)
      if (past.length < 16 && this.#renewing.has(id) && !vanished) this.renewals -= 1;
  }

  /** Expects that the signer counts the waiting steps as its table holds them. */
  expectCountedLanes(): void {
    const { steps, storage } = this.#signer;
    const counts = (counted: Lanes) =>
      counted.inTurn().map((lane) => [lane, RANKS.map((rank) => counted.countOf(lane, rank))]);
    const stored = new Lanes(() => queries.waitingCounts(storage.sql));
    expect(counts(steps.lanes).toSorted()).toEqual(counts(stored).toSorted());
  }

  issue(given: Pick<IssueRequest, 'lifetime' | 'expiry'>): ChangeResult {
    const request = {
      key: this.#key,
      id: 'pass',
      signer: 'signer' as SignerName,
      contract: 'contract',
      client: 'acme',
      ...given,
    };
    return this.#granted(requestIssuance(this.pass, request, this.#now()));
  }

  update(change: WantedChange): ChangeResult | undefined {
    return this.pass && this.#granted(requestUpdate(this.pass, { ...change, client: 'acme' }, this.#now()));
  }

  /** Whether it showed something new. */
  async sync(): Promise<boolean> {
    if (this.pass === undefined) return false;
    const question = { pass: this.pass.id, key: this.#key, contract: this.pass.contract, known: this.pass.onChain };
    const [[, reading] = []] = await readPasses(this.#signer, [question], () =>
      trackInFlight(this.#signer, ['confirmed']),
    );
    if (reading?.type !== 'read') return false;
    const { pass, changed } = applyReading(this.pass, reading.onChain, this.#now());
    this.pass = pass;
    if (!isSettled(pass)) this.#messages += 1;
    return changed;
  }

  /** A log of the watcher makes the pass observe its wallet. Returns whether it showed something new. */
  async observe(): Promise<boolean> {
    if (this.pass === undefined) return false;
    const question = { pass: this.pass.id, key: this.#key, contract: this.pass.contract, known: this.pass.onChain };
    const track = () => trackInFlight(this.#signer, ['confirmed']);
    const [observation] = await observePasses(this.#signer, [question], track);
    if (observation === undefined) return false;
    const { pass, changed } = applyObservation(this.pass, observation, [], this.#now());
    this.pass = pass;
    if (changed && !isSettled(pass)) this.#messages += 1;
    return changed;
  }

  /** A consumer pins the next step. A message that is delivered again stays queued. */
  takeMessage(again: boolean): void {
    if (this.#messages === 0 || this.pass === undefined) return;
    if (!again) this.#messages -= 1;
    const taken = pinNextStep(this.pass, this.#now());
    this.pass = taken?.pass ?? this.pass;
    this.#taken.push(taken?.step);
  }

  /** A consumer submits to the signer, with a step of any age if there is one. */
  async submitTaken(latestFirst: boolean): Promise<void> {
    if (this.#taken.length === 0 || this.pass === undefined) return;
    const step = latestFirst ? this.#taken.pop() : this.#taken.shift();
    if (step !== undefined) {
      addSteps(this.#signer, [step]);
      if (step.superseded && this.#signer.steps.find(step.id)?.stage === 'waiting')
        this.#signer.withdrawals.set(step.id, { type: 'withdrawn' });
      await sendWaiting(this.#signer);
    }
    const outcomes = queries.outcomesOf(this.#signer.storage.sql, this.pass.id);
    const asked = step && this.#signer.steps.answerFor(step.id);
    const isTold = asked === undefined || outcomes.some((answer) => answer.step === asked.step);
    this.#unheard.push(isTold ? outcomes : [...outcomes, asked]);
  }

  /** A pass records a consumer's answers of any age. */
  recordAnswers(latestFirst: boolean): void {
    const answers = latestFirst ? this.#unheard.pop() : this.#unheard.shift();
    for (const answer of answers ?? []) {
      const before = this.pass;
      if (before === undefined) return;
      this.pass = recordAnswer(before, answer, this.#now());
      if (answer.status.type === 'failed' && this.pass !== before) this.onRefusal(this.pass);
    }
    for (const answer of this.#losesAcknowledgements ? [] : (answers ?? [])) {
      if (isOutcome(answer)) this.#acknowledge(answer.step, answer.revision);
    }
    if (this.pass !== undefined && needsStep(this.pass)) this.#messages += 1;
  }

  async deliver(again: boolean): Promise<void> {
    this.takeMessage(again);
    await this.submitTaken(true);
    for (let left = this.#unheard.length; left > 0; left -= 1) this.recordAnswers(false);
  }

  loseMessages(): void {
    this.#messages = 0;
  }

  /** The process dies and loses its memory. */
  die(): void {
    this.#messages = 0;
    this.#taken.length = 0;
    this.#unheard.length = 0;
    this.#signer.withdrawals.clear();
    this.#signer.steps.reload();
    this.#signer.waits.reload();
  }

  /** Sets whether acknowledgments reach the signer. */
  loseAcknowledgements(lost: boolean): void {
    this.#losesAcknowledgements = lost;
  }

  passAlarm(): void {
    if (this.pass !== undefined && !isSettled(this.pass)) this.#messages += 1;
  }

  async signerAlarm(): Promise<void> {
    await sendWaiting(this.#signer);
    await trackInFlight(this.#signer);
    await rebroadcast(this.#signer);
    await unstickTransactions(this.#signer, Date.now());
    this.#messages += [...this.#signer.steps.outcomes()].length;
  }

  /** The operator redrives held steps. */
  redriveHeld(): void {
    const { sql } = this.#signer.storage;
    const query = "SELECT id, gatekeeper_network AS gatekeeperNetwork FROM step WHERE wait = 'held'";
    retryNow(this.#signer, sql.exec<{ id: string; gatekeeperNetwork: GatekeeperNetwork }>(query).toArray());
  }

  /** Whether all work is done, here and on chain. */
  get isQuiet(): boolean {
    const open = (['unsent', 'sent', 'confirmed'] as const).flatMap((status) => this.#signer.steps.inFlight(status, 1));
    return open.length === 0 && (this.pass === undefined || isSettled(this.pass));
  }

  #granted(result: ChangeResult): ChangeResult {
    if (result.type === 'refused') return result;
    this.pass = result.pass;
    if (!isSettled(result.pass)) this.#messages += 1;
    return result;
  }

  #acknowledge(step: string, revision: number): void {
    this.#signer.steps.acknowledge([{ id: step, revision }], this.#now() * 1000);
  }
}
