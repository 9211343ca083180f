import { DurableObject } from 'cloudflare:workers';
import { v7 as uuidv7 } from 'uuid';
import { configOf } from '../config/parse-config.ts';
import { acceptsNewPasses } from '../config/signers.ts';
import type { Milliseconds, UnixSeconds } from '../lib/brand.ts';
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
import { openStore } from '../store/open-store.ts';
import type { Publication } from '../store/passes.ts';
import type { RestoredPass } from '../store/restore-list.ts';
import { isPublishedWith } from './alarm-times.ts';
import { beginSigner } from './begin-signer.ts';
import * as quotas from './daily-quota.ts';
import { doAlarm, endRetry } from './do-alarm.ts';
import { type OpenedPass, PassAndAlarm } from './pass-and-alarm.ts';
import { issuerKeyOf, reassignSigner, signerForNew, withSignerInService } from './pass-signer.ts';
import { isWritten, loadPass, savePass } from './pass-store.ts';
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
  readonly #passAndAlarm = new PassAndAlarm(this.ctx.storage, this.#waiters, () => this.env);
  readonly #parts = {
    storage: this.ctx.storage,
    store: this.#store,
    waiters: this.#waiters,
    passAndAlarm: this.#passAndAlarm,
    env: () => this.env,
  };
  /** When a request was last told to publish. */
  #publishedAt: Milliseconds = 0;

  /** Issues the pass, or refuses. A request that changes the pass counts toward the quota, if there is one. */
  async issue(request: IssueOrder, quota?: quotas.IssuanceQuota): Promise<IssueResult> {
    const signer = signerForNew(request.key, this.env);
    if (signer === undefined) return { type: 'refused', reason: 'network_not_enabled' };
    const issue = async (): Promise<IssueResult> => {
      const opened = await this.#passAndAlarm.open();
      const { stored } = opened;
      if (stored === undefined && request.hasRoom === false) return { type: 'refused', reason: 'shard_full' };
      const order = { ...request, id: uuidv7(), signer };
      const accepts = (name: SignerName) => acceptsNewPasses(configOf(this.env), name);
      const issuerKey = stored && issuerKeyOf(stored.pass, this.env);
      const result = requestIssuance(stored?.pass, order, nowSeconds(), accepts, issuerKey);
      return this.#count(
        result,
        opened,
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
      const opened = await this.#passAndAlarm.open();
      const { stored } = opened;
      if (stored === undefined) return undefined;
      const result = requestUpdate(stored.pass, request, nowSeconds(), issuerKeyOf(stored.pass, this.env));
      return this.#count(result, opened, waits, quota && ((pass) => quotas.countChange(this.env.QUOTAS, quota, pass)));
    };
    return quota === undefined ? update() : this.ctx.blockConcurrencyWhile(update);
  }

  /** Adopts a reading of the chain; undefined if there is no such pass. */
  async adoptReading(found: OnChain): Promise<AdoptResult | undefined> {
    const opened = await this.#passAndAlarm.open();
    const { stored } = opened;
    if (stored === undefined) return undefined;
    const change = adoptReading(stored.pass, found, nowSeconds());
    return { ...(await this.#acceptChange(change, opened, false)), changed: change.changed };
  }

  /** Pins the next step, if none is pinned, and returns it for its signer; undefined if there is no such pass. */
  async pinStep(): Promise<PinResult | undefined> {
    const before = loadPass(this.ctx.storage)?.pass;
    await beginSigner(before && withSignerInService(before, this.env)?.signer, this.env);
    const { stored, alarm } = await this.#passAndAlarm.open();
    if (stored === undefined) return undefined;
    const ready = withSignerInService(stored.pass, this.env);
    const pinned = ready && pinStep(ready, nowSeconds());
    const isNew = pinned !== undefined && pinned.pass !== stored.pass;
    const pinnedAt = isNew ? Date.now() : (stored.takenAt ?? 0);
    // Keep the alarm: it retried the change, and now it retries the step of that change.
    const now = isNew ? savePass(this.ctx.storage, { ...stored, pass: pinned.pass, takenAt: pinnedAt }) : stored;
    const { pass } = now;
    return {
      signer: pass.signer,
      step: pinned && { ...pinned.step, pinnedAt },
      vanished: vanishedSteps(pass),
      publication: publicationOf(pass),
      isPublished: isWritten(now),
      onlyPublish: isSettled(pass) && !isPublishedWith(alarm ?? null),
    };
  }

  /** Records the signer's answers about the steps of this pass. An old answer changes nothing. */
  async recordAnswers(answers: readonly Answer[]): Promise<RecordResult | undefined> {
    const opened = await this.#passAndAlarm.open();
    const { stored } = opened;
    if (stored === undefined) return undefined;
    const { pass: before, takenAt } = stored;
    const after = recordAnswers(before, answers, nowSeconds(), takenAt, this.env);
    const pass = after === before ? before : await this.#passAndAlarm.save(reassignSigner(after, this.env), opened);
    return {
      publication: publicationOf(pass),
      isPublished: isWritten({ ...stored, pass }),
      needsStep: needsStep(pass),
      isSettled: after !== before && isSettled(pass),
    };
  }

  /**
   * Records that the read model has that version, and the feed the events up to number `eventsInFeed`. A settled pass then needs no
   * retry, unless the operator's list has it.
   */
  async markPublished(version: number, eventsInFeed = 0): Promise<void> {
    this.#waiters.markPublished(version, eventsInFeed);
    const stored = loadPass(this.ctx.storage);
    if (stored && isSettled(stored.pass) && !stored.listed) await endRetry({ version, eventsInFeed }, this.#parts);
  }

  /** Returns the pass once it is settled and published, or after `ms` as it is; undefined if there is no such pass. */
  awaitSettlement(ms: number): Promise<AwaitedPass | undefined> {
    return this.#waiters.waitUntilSettled(ms);
  }

  /** Returns the pass as the read model should have it; undefined if there is no such pass. */
  async readPublication(): Promise<Publication | undefined> {
    const stored = await this.#passAndAlarm.load();
    return stored && publicationOf(stored.pass);
  }

  /** Returns the pass as a restored database should have it; undefined if there is no such pass. */
  async readForRebuild(): Promise<RestoredPass | undefined> {
    const stored = await this.#passAndAlarm.load();
    return stored && restoredPassOf(stored, nowSeconds());
  }

  /** Returns the signer of the pass and its known on-chain state; undefined if there is no such pass. */
  async readOnChain(): Promise<Pick<Pass, 'id' | 'signer' | 'onChain'> | undefined> {
    const pass = loadPass(this.ctx.storage)?.pass;
    return pass && { id: pass.id, signer: pass.signer, onChain: pass.onChain };
  }

  /** Returns the status of the pass, and sets its alarm if it lacks one; undefined if there is no such pass. */
  async inspect(): Promise<Inspection | undefined> {
    const stored = await this.#passAndAlarm.load();
    if (stored === undefined) return undefined;
    const { pass, tries } = stored;
    const isDone = isSettled(pass);
    const wasWithoutAlarm = await this.#passAndAlarm.restoreAlarm(stored);
    const { signer, onChain } = pass;
    const step = awaitedStep(pass);
    return { publication: publicationOf(pass), signer, onChain, step, isSettled: isDone, tries, wasWithoutAlarm };
  }

  /** Makes the alarm fire soon, with the shortest delays again, and write the pass to D1 again. Undefined: no such pass. */
  async redrive(): Promise<Pick<Inspection, 'signer' | 'step'> | undefined> {
    const stored = loadPass(this.ctx.storage);
    if (stored === undefined) return undefined;
    const { pass } = savePass(this.ctx.storage, { ...stored, tries: 0, written: undefined });
    await this.#passAndAlarm.retryIn(REDRIVE_DELAY_MS, pass);
    return { signer: pass.signer, step: awaitedStep(pass) };
  }

  override async alarm(): Promise<void> {
    const stored = loadPass(this.ctx.storage);
    if (stored !== undefined) await doAlarm(stored, this.#parts);
  }

  /** Accepts a partner's request, unless a daily number is reached. A request that changes nothing does not count. */
  async #count(
    result: ChangeResult,
    opened: OpenedPass,
    waits: boolean,
    countForClient: ((pass: Pass) => Promise<quotas.QuotaRefusal | undefined>) | undefined,
  ): Promise<UpdateResult> {
    if (result.type === 'refused') return result;
    const { pass } = result;
    const { stored: before } = opened;
    if (pass.version === before?.pass.version) return this.#acceptChange(result, opened, waits);
    const { passDailyChanges } = configOf(this.env);
    const changes = before && quotas.countChangeOfPass(before, pass, passDailyChanges, nowSeconds());
    if (changes !== undefined && 'type' in changes) return changes;
    const refusal = await countForClient?.(pass);
    return refusal ?? this.#acceptChange(result, { ...opened, stored: before && { ...before, changes } }, waits);
  }

  async #acceptChange({ pass: after, changed }: AppliedChange, opened: OpenedPass, waits: boolean): Promise<Accepted> {
    const isRepeated = !changed && Date.now() < this.#publishedAt + REPEATED_MS;
    if (!isRepeated) this.#publishedAt = Date.now();
    const pass = changed ? await this.#passAndAlarm.save(reassignSigner(after, this.env), opened) : after;
    return {
      type: 'accepted',
      publication: publicationOf(pass),
      publish: publishingOf(pass, changed, isRepeated && waits),
    };
  }
}

function nowSeconds(): UnixSeconds {
  return Math.floor(Date.now() / 1000);
}
