import { DurableObject } from 'cloudflare:workers';
import { v7 as uuidv7 } from 'uuid';
import { configOf } from '../config/parse-config.ts';
import { acceptsNewPasses } from '../config/signers.ts';
import type { Milliseconds, UnixSeconds } from '../lib/brand.ts';
import { logFault } from '../log/log.ts';
import { sendProcessPasses } from '../message/process-pass.ts';
import { wakeWebhooks } from '../message/wake-webhooks.ts';
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

/** A partner's request. `waits`: it waits until the pass is settled. `hasRoom`: its shard accepts new passes. */
type IssueOrder = Omit<IssueRequest, 'id' | 'signer'> & { readonly waits: boolean; readonly hasRoom?: boolean };

const REDRIVE_DELAY_MS = 1_000;
/** A repeated request within this time does not publish if it waits: the first one has published, and the alarm follows. */
const REPEATED_MS = 10_000;

/**
 * The source of truth for one pass, and the only place where it changes. Its alarm is the only retry engine: it continues
 * until the pass is settled and the read model has its newest version.
 */
export class PassObject extends DurableObject<Env> {
  readonly #store = openStore(this.env, { onGrown: (feeds) => wakeWebhooks(feeds, this.env) });
  readonly #waiters = new Waiters(this.ctx.storage, this.#store);
  readonly #parts = { storage: this.ctx.storage, store: this.#store, waiters: this.#waiters };
  /** When a request was last told to publish. */
  #publishedAt: Milliseconds = 0;

  /** Issues the pass, or refuses. A request that changes the pass counts toward the quota, if there is one. */
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
    // Another request between counting and storing could make the count wrong or overwrite this change.
    return quota === undefined ? issue() : this.ctx.blockConcurrencyWhile(issue);
  }

  /** Changes the pass, or refuses; undefined if there is no such pass. A request that changes it counts toward the quota. */
  async update(request: UpdateRequest, waits = false, quota?: quotas.Quota): Promise<UpdateResult | undefined> {
    const update = async (): Promise<UpdateResult | undefined> => {
      const stored = loadPass(this.ctx.storage);
      if (stored === undefined) return undefined;
      const result = requestUpdate(stored.pass, request, nowSeconds(), issuerKeyOf(stored.pass, this.env));
      return this.#count(result, stored, waits, quota && ((pass) => quotas.countChange(this.env.QUOTAS, quota, pass)));
    };
    return quota === undefined ? update() : this.ctx.blockConcurrencyWhile(update);
  }

  /** Adopts a reading of the chain; undefined if there is no such pass. */
  async adoptReading(found: OnChain): Promise<AdoptResult | undefined> {
    const stored = loadPass(this.ctx.storage);
    if (stored === undefined) return undefined;
    const change = adoptReading(stored.pass, found, nowSeconds());
    return { ...(await this.#acceptChange(change, stored, false)), changed: change.changed };
  }

  /** Pins the next step, if none is pinned, and returns it for its signer; undefined if there is no such pass. */
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
    // Keep the alarm: it retried the change, and now it retries the step of that change.
    if (isNew) savePass(this.ctx.storage, { ...stored, pass, takenAt: pinnedAt });
    const step = pinned && { ...pinned.step, pinnedAt };
    const isPublished = stored.written?.version === pass.version;
    return { signer: pass.signer, step, vanished: vanishedSteps(pass), publication: publicationOf(pass), isPublished };
  }

  /** Records the signer's answers about the steps of this pass. An old answer changes nothing. */
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

  /** Records that the read model has that version. A settled pass then needs no retry, unless the operator's list has it. */
  async markPublished(version: number): Promise<void> {
    this.#waiters.markPublished(version);
    const stored = loadPass(this.ctx.storage);
    if (stored && isSettled(stored.pass) && !stored.listed) await deleteRetry(this.ctx.storage, version);
  }

  /** Returns the pass once it is settled and published, or after `ms` as it is; undefined if there is no such pass. */
  awaitSettlement(ms: number): Promise<AwaitedPass | undefined> {
    return this.#waiters.waitUntilSettled(ms);
  }

  /** Returns the pass as the read model should have it; undefined if there is no such pass. */
  async readPublication(): Promise<Publication | undefined> {
    const stored = loadPass(this.ctx.storage);
    return stored && publicationOf(stored.pass);
  }

  /** Returns the pass as a restored database should have it; undefined if there is no such pass. */
  async readForRebuild(): Promise<RestoredPass | undefined> {
    const stored = loadPass(this.ctx.storage);
    return stored && restoredPassOf(stored, nowSeconds());
  }

  /** Returns the signer of the pass and its known on-chain state; undefined if there is no such pass. */
  async readOnChain(): Promise<Pick<Pass, 'id' | 'signer' | 'onChain'> | undefined> {
    const pass = loadPass(this.ctx.storage)?.pass;
    return pass && { id: pass.id, signer: pass.signer, onChain: pass.onChain };
  }

  /** Returns the status of the pass, and sets its alarm if it lacks one; undefined if there is no such pass. */
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

  /** Makes the alarm fire soon, with the shortest delays again, and write the pass to D1 again. Undefined: no such pass. */
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
    // Schedule the next alarm before the work: a crash below must not end the retries.
    await this.#save(stored.pass, { ...stored, listed: stored.listed || !isDone }, stored.tries + 1);
    const works = await Promise.allSettled([
      isDone ? undefined : sendProcessPasses(this.env.LOOKS, [{ pass: key }]),
      isDone ? publishSettled(stored, this.#parts) : publishUnsettled(stored, this.#parts),
    ]);
    for (const work of works) if (work.status === 'rejected') logFault('pass.alarm_failed', work.reason, { pass: id });
  }

  /** Accepts a partner's request, unless a daily number is reached. A request that changes nothing does not count. */
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

  /** Stores the pass and its alarm in one commit. It keeps an alarm that is due at roughly that time: setting it writes a row. */
  async #save(pass: Pass, before: StoredPass | undefined, tries = 0): Promise<Pass> {
    const { storage } = this.ctx;
    // Read the alarm before the writes: writes without an `await` between them commit together. A new pass has no alarm.
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
