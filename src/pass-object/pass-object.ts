import { DurableObject } from 'cloudflare:workers';
import { v7 as uuidv7 } from 'uuid';
import { configOf } from '../config/parse-config.ts';
import { acceptsNewPasses } from '../config/signers.ts';
import type { Milliseconds, UnixSeconds } from '../lib/brand.ts';
import { logFault } from '../log/log.ts';
import { sendProcessPasses } from '../message/process-pass.ts';
import type { SignerName } from '../network/signer-name.ts';
import { adoptReading } from '../pass/adopt.ts';
import type { AppliedChange, ChangeResult } from '../pass/change-result.ts';
import { isSettled, needsStep } from '../pass/next-step.ts';
import { awaitedStep, type OnChain, type Pass, vanishedSteps } from '../pass/pass.ts';
import { pinStep } from '../pass/pin-step.ts';
import { type IssueRequest, requestIssuance } from '../pass/request-issuance.ts';
import { requestUpdate, type UpdateRequest } from '../pass/request-update.ts';
import type { Answer } from '../pass/step.ts';
import type { Publication } from '../store/passes.ts';
import type { RestoredPass } from '../store/restore-list.ts';
import { openStore } from '../store/store.ts';
import { alarmDelayMs } from './alarm-delay.ts';
import { publishSettled, publishUnsettled } from './alarm-publication.ts';
import { beginSigner } from './begin-signer.ts';
import * as quotas from './daily-quota.ts';
import { issuerKeyOf, reassignSigner, signerForNew, withSignerInService } from './pass-signer.ts';
import { loadPass, type StoredPass, savePass } from './pass-store.ts';
import { publicationOf, publishingOf, restoredPassOf } from './publication.ts';
import { recordAnswers } from './record-answers.ts';
import type {
  Accepted,
  AdoptResult,
  Inspection,
  IssueResult,
  PinResult,
  RecordResult,
  UpdateResult,
} from './results.ts';
import { deleteRetry, isExpiryAlarm, retryAlarmAt } from './retry-alarm.ts';
import { type AwaitedPass, Waiters } from './waiters.ts';

/** What a partner asks for. `waits`: its request waits for the pass to settle. `hasRoom`: its shard takes new passes. */
type IssueOrder = Omit<IssueRequest, 'id' | 'signer'> & { readonly waits: boolean; readonly hasRoom?: boolean };

const REDRIVE_DELAY_MS = 1_000;
/** A repeated request within this time publishes nothing if it waits: the first one has published, and the alarm follows. */
const REPEATED_MS = 10_000;

/**
 * The source of truth for one pass, and the only place where it changes. Its alarm is the only retry engine: it stays until
 * the pass is settled and the read model has its newest version.
 */
export class PassObject extends DurableObject<Env> {
  readonly #store = openStore(this.env);
  readonly #waiters = new Waiters(this.ctx.storage, this.#store);
  readonly #parts = { storage: this.ctx.storage, store: this.#store, waiters: this.#waiters };
  /** When the last request was asked to publish. */
  #publishedAt: Milliseconds = 0;

  /** Issues the pass, or refuses. A request that changes something counts for the quota, if there is one. */
  async issue(request: IssueOrder, quota?: quotas.IssuanceQuota): Promise<IssueResult> {
    const signer = signerForNew(request.key, this.env);
    if (signer === undefined) return { type: 'refused', reason: 'network_not_enabled' };
    const issue = async (): Promise<IssueResult> => {
      const stored = loadPass(this.ctx.storage);
      if (stored === undefined && request.hasRoom === false) return { type: 'refused', reason: 'shard_full' };
      const order = { ...request, id: uuidv7(), signer };
      const accepts = (name: SignerName) => acceptsNewPasses(configOf(this.env), name);
      const issuerKey = stored && issuerKeyOf(stored.pass, this.env);
      const result = requestIssuance(stored?.pass, order, nowSeconds(), accepts, issuerKey);
      return this.#count(
        result,
        stored,
        request.waits,
        quota && ((pass) => quotas.countIssuance(this.env.QUOTAS, quota, pass, stored === undefined)),
      );
    };
    // Anything between counting and storing could make the count wrong, or overwrite what the other request decided on.
    return quota === undefined ? issue() : this.ctx.blockConcurrencyWhile(issue);
  }

  /** Changes the pass, or refuses; undefined if there is no such pass. A request that changes something counts for the quota. */
  async update(request: UpdateRequest, waits = false, quota?: quotas.Quota): Promise<UpdateResult | undefined> {
    const update = async (): Promise<UpdateResult | undefined> => {
      const stored = loadPass(this.ctx.storage);
      if (stored === undefined) return undefined;
      const result = requestUpdate(stored.pass, request, nowSeconds(), issuerKeyOf(stored.pass, this.env));
      return this.#count(result, stored, waits, quota && ((pass) => quotas.countChange(this.env.QUOTAS, quota, pass)));
    };
    return quota === undefined ? update() : this.ctx.blockConcurrencyWhile(update);
  }

  /** Adopts what the chain showed; undefined if there is no such pass. */
  async adoptReading(found: OnChain): Promise<AdoptResult | undefined> {
    const stored = loadPass(this.ctx.storage);
    if (stored === undefined) return undefined;
    const change = adoptReading(stored.pass, found, nowSeconds());
    return { ...(await this.#acceptChange(change, stored, false)), changed: change.changed };
  }

  /** The step to take now, pinned; undefined when there is no such pass. */
  async pinStep(): Promise<PinResult | undefined> {
    const before = loadPass(this.ctx.storage)?.pass;
    await beginSigner(before && withSignerInService(before, this.env)?.signer, this.env);
    const stored = loadPass(this.ctx.storage);
    if (stored === undefined) return undefined;
    const ready = withSignerInService(stored.pass, this.env);
    const pinned = ready && pinStep(ready, nowSeconds());
    const pass = pinned?.pass ?? stored.pass;
    const isNew = pass !== stored.pass;
    const pinnedAt = isNew ? Date.now() : (stored.takenAt ?? 0);
    // The alarm stays as it is: it watched over the change and now watches over its step.
    if (isNew) savePass(this.ctx.storage, { ...stored, pass, takenAt: pinnedAt });
    const step = pinned && { ...pinned.step, pinnedAt };
    const isPublished = stored.written?.version === pass.version;
    return { signer: pass.signer, step, vanished: vanishedSteps(pass), publication: publicationOf(pass), isPublished };
  }

  /** Records what the signer says of the steps of this pass; what is old changes nothing. */
  async recordAnswers(answers: readonly Answer[]): Promise<RecordResult | undefined> {
    const stored = loadPass(this.ctx.storage);
    if (stored === undefined) return undefined;
    const { pass: before, takenAt } = stored;
    const after = recordAnswers(before, answers, nowSeconds(), takenAt, this.env);
    const pass = after === before ? before : await this.#save(reassignSigner(after, this.env), stored);
    return {
      publication: publicationOf(pass),
      isPublished: stored.written?.version === pass.version,
      needsStep: needsStep(pass),
      isSettled: after !== before && isSettled(pass),
    };
  }

  /** The read model has that version. A settled pass then needs no retry, unless it is on the operator's list. */
  async markPublished(version: number): Promise<void> {
    this.#waiters.markPublished(version);
    const stored = loadPass(this.ctx.storage);
    if (stored && isSettled(stored.pass) && !stored.listed) await deleteRetry(this.ctx.storage, version);
  }

  /** The pass once it is settled and can be read everywhere, or as it is after so many milliseconds. Undefined: there is none. */
  awaitSettlement(ms: number): Promise<AwaitedPass | undefined> {
    return this.#waiters.waitUntilSettled(ms);
  }

  /** The pass as the read model should have it; undefined when there is none. */
  async readPublication(): Promise<Publication | undefined> {
    const stored = loadPass(this.ctx.storage);
    return stored && publicationOf(stored.pass);
  }

  /** The pass as a restored database should have it; undefined when there is none. */
  async readForRebuild(): Promise<RestoredPass | undefined> {
    const stored = loadPass(this.ctx.storage);
    return stored && restoredPassOf(stored, nowSeconds());
  }

  /** Which signer object serves the pass, and what is known of it on the chain; undefined when there is none. */
  async readOnChain(): Promise<Pick<Pass, 'id' | 'signer' | 'onChain'> | undefined> {
    const pass = loadPass(this.ctx.storage)?.pass;
    return pass && { id: pass.id, signer: pass.signer, onChain: pass.onChain };
  }

  /** How the pass stands; sees to its alarm in passing. Undefined when there is none. */
  async inspect(): Promise<Inspection | undefined> {
    const stored = loadPass(this.ctx.storage);
    if (stored === undefined) return undefined;
    const { pass, tries } = stored;
    const isDone = isSettled(pass);
    const wasWithoutAlarm = !isDone && (await this.ctx.storage.getAlarm()) === null;
    if (wasWithoutAlarm) await this.ctx.storage.setAlarm(retryAlarmAt(Date.now(), alarmDelayMs(stored, this.env)));
    const { signer, onChain } = pass;
    const step = awaitedStep(pass);
    return { publication: publicationOf(pass), signer, onChain, step, isSettled: isDone, tries, wasWithoutAlarm };
  }

  /** Has its alarm ring soon, as often as if something had just changed, and write everything to D1. Undefined: no such pass. */
  async redrive(): Promise<Pick<Inspection, 'signer' | 'step'> | undefined> {
    const stored = loadPass(this.ctx.storage);
    if (stored === undefined) return undefined;
    const { pass } = savePass(this.ctx.storage, { ...stored, tries: 0, written: undefined });
    await this.ctx.storage.setAlarm(retryAlarmAt(Date.now(), REDRIVE_DELAY_MS));
    return { signer: pass.signer, step: awaitedStep(pass) };
  }

  override async alarm(): Promise<void> {
    const stored = loadPass(this.ctx.storage);
    if (stored === undefined) return;
    const { key, id } = stored.pass;
    const isDone = isSettled(stored.pass);
    // First the next alarm, then the work: nothing below may break the chain.
    await this.#save(stored.pass, { ...stored, listed: stored.listed || !isDone }, stored.tries + 1);
    const works = await Promise.allSettled([
      isDone ? undefined : sendProcessPasses(this.env.LOOKS, [{ pass: key }]),
      isDone ? publishSettled(stored, this.#parts) : publishUnsettled(stored, this.#parts),
    ]);
    for (const work of works) if (work.status === 'rejected') logFault('pass-alarm', work.reason, { pass: id });
  }

  /** Accepts what a partner asked for, unless a daily bound is reached. A request that changes nothing counts for none. */
  async #count(
    result: ChangeResult,
    before: StoredPass | undefined,
    waits: boolean,
    countForClient: ((pass: Pass) => Promise<quotas.QuotaRefusal | undefined>) | undefined,
  ): Promise<UpdateResult> {
    if (result.type === 'refused') return result;
    const { pass } = result;
    if (pass.version === before?.pass.version) return this.#acceptChange(result, before, waits);
    const { passDailyChanges } = configOf(this.env);
    const changes = before && quotas.countChangeOfPass(before, pass, passDailyChanges, nowSeconds());
    if (changes !== undefined && 'type' in changes) return changes;
    const refusal = await countForClient?.(pass);
    return refusal ?? this.#acceptChange(result, before && { ...before, changes }, waits);
  }

  async #acceptChange(
    { pass: after, changed }: AppliedChange,
    before: StoredPass | undefined,
    waits: boolean,
  ): Promise<Accepted> {
    const isRepeated = !changed && Date.now() < this.#publishedAt + REPEATED_MS;
    if (!isRepeated) this.#publishedAt = Date.now();
    const pass = changed ? await this.#save(reassignSigner(after, this.env), before) : after;
    return {
      type: 'accepted',
      publication: publicationOf(pass),
      publish: publishingOf(pass, changed, isRepeated && waits),
    };
  }

  /** Stores the pass and its next alarm in one commit. An alarm that rings about then stays: setting it is a row written. */
  async #save(pass: Pass, before: StoredPass | undefined, tries = 0): Promise<Pass> {
    const { storage } = this.ctx;
    // Before anything is written: what is written without an `await` between commits together. A new pass has none yet.
    const rings = before === undefined ? 0 : ((await storage.getAlarm()) ?? 0);
    const since = isSettled(pass) ? undefined : (before?.since ?? nowSeconds());
    const stored = savePass(storage, { ...before, pass, tries, since, older: before?.older ?? 0 });
    const now = Date.now();
    const delay = alarmDelayMs(stored, this.env);
    const isSoonEnough = rings >= now + delay / 2 && rings <= now + 2 * delay;
    // The alarm of an unsettled pass must be a retry: an alarm on a whole second would count as published once it settles.
    if (!isSoonEnough || isExpiryAlarm(rings)) await storage.setAlarm(retryAlarmAt(now, delay));
    this.#waiters.wake();
    return stored.pass;
  }
}

function nowSeconds(): UnixSeconds {
  return Math.floor(Date.now() / 1000);
}
