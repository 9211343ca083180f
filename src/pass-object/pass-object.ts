import { DurableObject } from 'cloudflare:workers';
import { v7 as uuidv7 } from 'uuid';
import { configOf } from '../config/config.ts';
import { acceptsNewPasses, hasKeyOf } from '../config/signers.ts';
import { logFault } from '../log/log.ts';
import { sendProcessPasses } from '../message/process-pass.ts';
import { adoptReading } from '../pass/adopt.ts';
import type { AppliedChange, ChangeRefusal, ChangeResult } from '../pass/change-result.ts';
import { isSettled, needsStep } from '../pass/next-step.ts';
import { awaitedStep, type OnChain, type Pass, passName, stateOf, vanishedSteps } from '../pass/pass.ts';
import { pinStep } from '../pass/pin-step.ts';
import { recordAnswer } from '../pass/record-answer.ts';
import { type IssueRequest, requestIssuance } from '../pass/request-issuance.ts';
import { requestUpdate, type UpdateRequest } from '../pass/request-update.ts';
import type { Answer, StepKind, SubmittedStep } from '../pass/step.ts';
import { type Publication, publishToShards } from '../store/passes.ts';
import { listUnsettled, unlistUnsettled } from '../store/unsettled.ts';
import { alarmDelayMs } from './alarm-delay.ts';
import { countIssuance, type Quota, type QuotaRefusal } from './daily-quota.ts';
import { logStep } from './log-step.ts';
import { loadPass, type StoredPass, savePass } from './pass-store.ts';
import { publicationOf } from './publication.ts';
import { reassignSigner } from './reassign-signer.ts';
import { type AwaitedPass, Waiters } from './waiters.ts';

export interface Accepted {
  readonly publication: Publication;
  /** Whether anything of it is stored that was not. */
  readonly changed: boolean;
  /** Whether nothing is left to do on the chain. */
  readonly settled: boolean;
  /** Nothing changed, and a moment ago somebody was told so already, who has others look at the pass. */
  readonly repeated: boolean;
}

export type RequestResult = Accepted | { readonly refused: ChangeRefusal };

export interface PinResult {
  readonly signer: string;
  /** What the signer is to do; undefined when there is nothing. */
  readonly step?: SubmittedStep | undefined;
  /** Ids of earlier steps that are off the chain. */
  readonly vanished: readonly string[];
  readonly publication: Publication;
}

export interface RecordResult {
  readonly publication: Publication;
  /** The step is over and another one is due. */
  readonly needsStep: boolean;
  /** By these answers nothing is left to do on the chain. */
  readonly isSettled: boolean;
}

/** A pass as the reconciliation and the operator see it. */
export interface Inspection {
  readonly publication: Publication;
  readonly signer: string;
  readonly onChain: OnChain;
  /** The step that it waits for. */
  readonly step?: { readonly id: string; readonly kind: StepKind } | undefined;
  readonly isSettled: boolean;
  /** How often the alarm rang since something last changed. */
  readonly tries: number;
  /** It had no alarm and should have; now it has. */
  readonly wasWithoutAlarm: boolean;
}

const SOON_MS = 1_000;
/** So long after a wish a repetition is no reason to look again: then the alarm has looked at the latest. */
const REPEATED_MS = 10_000;

/**
 * The truth about one pass, and the one place where it changes. Its alarm is the only retry engine: it stays until
 * the pass is settled and the read model has its newest version.
 */
export class PassObject extends DurableObject<Env> {
  readonly #waiters = new Waiters(this.ctx.storage, this.env);
  /** When somebody was last told to have others look at the pass (ms). */
  #granted = 0;

  /** Grants the wish for an issuance, or says why not. What changes something by it counts for the quota, if any. */
  async request(request: Omit<IssueRequest, 'id'>, quota?: Quota): Promise<RequestResult | QuotaRefusal> {
    const granted = async () => {
      const kept = loadPass(this.ctx.storage);
      const isOpen = (signer: string) => acceptsNewPasses(configOf(this.env), signer);
      const wish = requestIssuance(kept?.pass, { ...request, id: uuidv7() }, seconds(), isOpen);
      const counts = quota !== undefined && 'changed' in wish && wish.changed;
      const refusal = counts ? await countIssuance(this.env.QUOTAS, quota, passName(request.key)) : undefined;
      return refusal ?? this.#grant(wish, kept);
    };
    // Whatever came between counting and storing could make the one untrue, or overwrite what the other decided on.
    return quota === undefined ? granted() : this.ctx.blockConcurrencyWhile(granted);
  }

  /** Grants the wish for a change, or says why not; undefined when there is no such pass. */
  async update(request: UpdateRequest): Promise<RequestResult | undefined> {
    const kept = loadPass(this.ctx.storage);
    return (
      kept &&
      this.#grant(requestUpdate(kept.pass, request, seconds(), hasKeyOf(configOf(this.env), kept.pass.signer)), kept)
    );
  }

  /** Takes over what the chain showed; undefined when there is no such pass. */
  async adoptReading(found: OnChain): Promise<Accepted | undefined> {
    const kept = loadPass(this.ctx.storage);
    return kept && this.#keepGrant(adoptReading(kept.pass, found, seconds()), kept);
  }

  /** The step to take now, pinned; undefined when there is no such pass. */
  async pinStep(): Promise<PinResult | undefined> {
    const kept = loadPass(this.ctx.storage);
    if (kept === undefined) return undefined;
    const taken = pinStep(kept.pass, seconds());
    // The alarm that watches over the wish goes on watching over its step.
    if (taken !== undefined && taken.pass !== kept.pass) {
      savePass(this.ctx.storage, { ...kept, pass: taken.pass, takenAt: Date.now() });
    }
    const pass = taken?.pass ?? kept.pass;
    return { signer: pass.signer, step: taken?.step, vanished: vanishedSteps(pass), publication: publicationOf(pass) };
  }

  /** Records what the signer says of the steps of this pass; what is old changes nothing. */
  async recordAnswers(answers: readonly Answer[]): Promise<RecordResult | undefined> {
    const kept = loadPass(this.ctx.storage);
    if (kept === undefined) return undefined;
    const { pass: before, takenAt } = kept;
    let after = before;
    for (const answer of answers) {
      const { version, step, past = [] } = after;
      const kind = [step, ...past].find((each) => each?.id === answer.step)?.kind;
      after = recordAnswer(after, answer, seconds());
      if (after.version !== version) logStep(after, answer, kind, takenAt, this.env);
    }
    const pass = after === before ? before : await this.#keep(reassignSigner(after, this.env), kept);
    const changed = after !== before;
    const isStateUnchanged = changed && stateOf(pass) === stateOf(before);
    const publication = { ...publicationOf(pass), isStateUnchanged };
    return { publication, needsStep: needsStep(pass), isSettled: changed && isSettled(pass) };
  }

  /** The read model has that version: the pass rests if it is settled, and nobody has to take it off the operator's list. */
  async markPublished(version: number): Promise<void> {
    this.#waiters.markPublished(version);
    const kept = loadPass(this.ctx.storage);
    if (kept && isSettled(kept.pass) && !kept.listed) await this.#rest(version);
  }

  /** The pass once it is settled and can be read everywhere, or as it is after so many milliseconds. Undefined: there is none. */
  awaitSettlement(ms: number): Promise<AwaitedPass | undefined> {
    return this.#waiters.waitUntilSettled(ms);
  }

  /** The pass as the read model should have it; undefined when there is none. */
  async readPublication(): Promise<Publication | undefined> {
    const kept = loadPass(this.ctx.storage);
    return kept && publicationOf(kept.pass);
  }

  /** Which signer object serves the pass, and what is known of it on the chain; undefined when there is none. */
  async readOnChain(): Promise<Pick<Pass, 'id' | 'signer' | 'onChain'> | undefined> {
    const pass = loadPass(this.ctx.storage)?.pass;
    return pass && { id: pass.id, signer: pass.signer, onChain: pass.onChain };
  }

  /** How the pass stands; sees to its alarm in passing. Undefined when there is none. */
  async inspect(): Promise<Inspection | undefined> {
    const kept = loadPass(this.ctx.storage);
    if (kept === undefined) return undefined;
    const { pass, tries } = kept;
    const isDone = isSettled(pass);
    const wasWithoutAlarm = !isDone && (await this.ctx.storage.getAlarm()) === null;
    if (wasWithoutAlarm) await this.ctx.storage.setAlarm(Date.now() + alarmDelayMs(kept, this.env));
    const { signer, onChain } = pass;
    const step = awaitedStep(pass);
    return { publication: publicationOf(pass), signer, onChain, step, isSettled: isDone, tries, wasWithoutAlarm };
  }

  /** Has its alarm ring soon, and as often as if something had just changed. Undefined when there is no such pass. */
  async redrive(): Promise<Pick<Inspection, 'signer' | 'step'> | undefined> {
    const kept = loadPass(this.ctx.storage);
    if (kept === undefined) return undefined;
    const { pass } = savePass(this.ctx.storage, { ...kept, tries: 0 });
    await this.ctx.storage.setAlarm(Date.now() + SOON_MS);
    return { signer: pass.signer, step: awaitedStep(pass) };
  }

  override async alarm(): Promise<void> {
    const kept = loadPass(this.ctx.storage);
    if (kept === undefined) return;
    const { key, id } = kept.pass;
    const settled = isSettled(kept.pass);
    // First the next alarm, then the work: nothing below may break the chain.
    await this.#keep(kept.pass, { ...kept, listed: kept.listed || !settled }, kept.tries + 1);
    const works = await Promise.allSettled([
      settled ? undefined : sendProcessPasses(this.env.LOOKS, [{ pass: key }]),
      this.#project(kept, settled),
    ]);
    for (const work of works) if (work.status === 'rejected') logFault('pass-alarm', work.reason, { pass: id });
  }

  /** Brings the read model, and what the operator sees, up to date; a settled pass rests then. */
  async #project({ pass, since = seconds(), listed }: StoredPass, settled: boolean): Promise<void> {
    const { key, id, version } = pass;
    await publishToShards(this.env, [publicationOf(pass)]);
    this.#waiters.markPublished(version);
    if (!settled) await listUnsettled(this.env.DB, { key, id, since });
    else if (listed) await unlistUnsettled(this.env.DB, key);
    if (settled) await this.#rest(version);
  }

  async #grant(wish: ChangeResult, before: StoredPass | undefined): Promise<RequestResult> {
    return 'refused' in wish ? wish : this.#keepGrant(wish, before);
  }

  async #keepGrant({ pass: granted, changed }: AppliedChange, before: StoredPass | undefined): Promise<Accepted> {
    const repeated = !changed && Date.now() < this.#granted + REPEATED_MS;
    if (!repeated) this.#granted = Date.now();
    const pass = changed ? await this.#keep(reassignSigner(granted, this.env), before) : granted;
    return { publication: publicationOf(pass), changed, settled: isSettled(pass), repeated };
  }

  /** Settled and projected: no alarm any more, unless something changed in the meantime. */
  async #rest(version: number): Promise<void> {
    const kept = loadPass(this.ctx.storage);
    if (kept?.pass.version !== version) return;
    if (kept.listed) savePass(this.ctx.storage, { ...kept, listed: undefined });
    await this.ctx.storage.deleteAlarm();
  }

  /** Stores the pass and its next alarm in one commit. An alarm that rings about then stays: setting it is a row written. */
  async #keep(pass: Pass, before: StoredPass | undefined, tries = 0): Promise<Pass> {
    const { storage } = this.ctx;
    // Before anything is written: what is written without an `await` between commits together. A new pass has none yet.
    const rings = before === undefined ? 0 : ((await storage.getAlarm()) ?? 0);
    const since = isSettled(pass) ? undefined : (before?.since ?? seconds());
    const kept = savePass(storage, { ...before, pass, tries, since, older: before?.older ?? 0 });
    const now = Date.now();
    const delay = alarmDelayMs(kept, this.env);
    if (rings < now + delay / 2 || rings > now + 2 * delay) await storage.setAlarm(now + delay);
    this.#waiters.wake();
    return kept.pass;
  }
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}
