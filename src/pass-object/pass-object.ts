import { DurableObject } from 'cloudflare:workers';
import { v7 as uuidv7 } from 'uuid';
import { configOf } from '../config/parse-config.ts';
import { acceptsNewPasses, type EmergencyLists, withNewerLists } from '../config/signers.ts';
import { DAY_SECONDS, type Milliseconds, nowSeconds } from '../lib/units.ts';
import { admitPass } from '../message/call-object.ts';
import { type Adopted, publishingStoreOf } from '../message/hand-over.ts';
import type { SignerName } from '../network/network.ts';
import { sandboxLifetimeOf } from '../network/sandbox.ts';
import { applyObservation, type Observation } from '../pass/adopt.ts';
import { recordAnswer } from '../pass/answers.ts';
import { entryOfChange, type Requester } from '../pass/audit-entries.ts';
import { collectFeedEvents } from '../pass/feed-events.ts';
import { isSettled, needsStep, pinNextStep } from '../pass/next-step.ts';
import {
  awaitedStep,
  type Cause,
  isReorged,
  type Pass,
  type PassQuestion,
  questionOf,
  stateOf,
  vanishedSteps,
} from '../pass/pass.ts';
import {
  type AppliedChange,
  applyChange,
  type ChangeResult,
  newRevokedPass,
  type RevocationRequest,
  type RevokedWallet,
  requestIssuance,
  requestRevocation,
  requestUpdate,
  type Settlement,
} from '../pass/requests.ts';
import type { Answer } from '../pass/step.ts';
import { takesAccessAway } from '../pass/step-kinds.ts';
import type { PassState } from '../pass/vocabulary.ts';
import type { Publication } from '../store/passes.ts';
import type { RestoredPass } from '../store/unsettled.ts';
import * as quotas from './daily-quota.ts';
import { Outbox, Waiters } from './outbox.ts';
import type { OpenedPass } from './pass-clock.ts';
import { PassKeeper } from './pass-keeper.ts';
import {
  beginSigner,
  hasBegunSigner,
  issuerKeyOf,
  logStep,
  reassignSigner,
  signerForNew,
  submitSteps,
  withSignerInService,
} from './pass-signer.ts';
import { Repeats } from './repeats.ts';
import {
  type Accepted,
  type AwaitedPass,
  acceptedOf,
  entriesToAppend,
  type Inspection,
  type IssueResult,
  inspectionOf,
  isLate,
  isUrgent,
  LATE,
  type PinResult,
  publicationOf,
  type Received,
  type ReceivedIssueRequest,
  type ReceivedSubjectChange,
  type ReceivedUpdateRequest,
  type RecordResult,
  type RevokeResult,
  restoredPassOf,
  type Standing,
  type SubjectChangeResult,
  standingOf,
  type UpdateResult,
} from './results.ts';
import { isPublished, type Sent } from './stored-pass.ts';

/** A repeated request within this time does not publish if it waits: the first one has published, and the alarm follows. */
const REPEATED_MS = 10_000;

/**
 * The source of truth for one pass, and the only place where it changes. Its alarm is the only retry engine: it continues
 * until the pass is settled and the read model has its newest version.
 */
export class PassObject extends DurableObject<Env> {
  readonly #store = publishingStoreOf(this.env);
  readonly #keeper = new PassKeeper(
    this.ctx,
    () => this.env,
    () => this.#waiters.wake(),
  );
  readonly #outbox = new Outbox(this.#keeper, this.#store, () => this.env);
  readonly #waiters = new Waiters(this.#keeper, this.#outbox);
  /** When a request was last told to publish. */
  #publishedAt: Milliseconds = 0;
  readonly #repeats = new Repeats();

  /** Issues the pass, or refuses. A request that changes the pass counts toward the quota, if there is one. */
  async issue(request: ReceivedIssueRequest, quota?: quotas.IssuanceQuota): Promise<IssueResult> {
    const signer = signerForNew(request.key, this.env);
    if (signer === undefined) return { type: 'refused', reason: 'network_not_enabled' };
    const isCounted = quota !== undefined || this.#keeper.rules.countsChanges;
    const issue = async (): Promise<IssueResult> => {
      const opened = await this.#keeper.open();
      const { stored } = opened;
      if (isLate(request)) return LATE;
      if (stored === undefined && request.hasRoom === false) return { type: 'refused', reason: 'shard_full' };
      const { expiryNoticeDays } = configOf(this.env);
      const lifetime = sandboxLifetimeOf(request.key, expiryNoticeDays * DAY_SECONDS) ?? request.lifetime;
      const complete = { ...request, id: uuidv7(), signer, lifetime };
      const accepts = (name: SignerName) => acceptsNewPasses(configOf(this.env), name);
      const issuerKey = stored && issuerKeyOf(stored.pass, this.env);
      const result = requestIssuance(stored?.pass, complete, this.#keeper.clock.now(), accepts, issuerKey);
      const count = async (pass: Pass) => {
        const refusal =
          (quota && (await quotas.countIssuance(this.env.QUOTAS, quota, pass, stored === undefined))) ??
          (await this.#countRoom(stored?.pass, pass));
        if (refusal !== undefined || stored !== undefined || (await admitPass(pass, this.env))) return refusal;
        return { type: 'refused', reason: 'sandbox_full' } as const;
      };
      return this.#count(result, opened, { type: 'issue', ...request }, isCounted ? count : undefined);
    };
    // Another request between counting and storing could make the count wrong or overwrite this change.
    return isCounted ? this.ctx.blockConcurrencyWhile(issue) : issue();
  }

  /** Changes the pass, or refuses; undefined if there is no such pass. A request that changes it counts toward the quota. */
  async update(request: ReceivedUpdateRequest, waits = false, quota?: quotas.Quota): Promise<UpdateResult | undefined> {
    const update = async (): Promise<UpdateResult | undefined> => {
      const opened = await this.#keeper.open();
      const { stored } = opened;
      if (isLate(request)) return LATE;
      if (stored === undefined) return undefined;
      const result = requestUpdate(stored.pass, request, this.#keeper.clock.now(), issuerKeyOf(stored.pass, this.env));
      const count = (pass: Pass) => this.#countRoom(stored.pass, pass, quota);
      return this.#count(result, opened, { type: 'update', ...request, waits }, isCounted ? count : undefined);
    };
    const renames = request.reference !== undefined || request.subject !== undefined;
    const isCounted = quota !== undefined || renames || this.#keeper.rules.countsChanges;
    return isCounted ? this.ctx.blockConcurrencyWhile(update) : update();
  }

  /** Changes the pass with all others of its subject; undefined if there is no such pass. No quota refuses a change that takes access away. */
  changeForSubject(change: ReceivedSubjectChange, quota?: quotas.Quota): Promise<SubjectChangeResult | undefined> {
    return this.ctx.blockConcurrencyWhile(async () => {
      const { requestForSubject } = await import('../pass/subject-changes.ts');
      const opened = await this.#keeper.open();
      const pass = opened.stored?.pass;
      if (pass === undefined || isLate(change)) return pass && LATE;
      const dated = { ...change, requestedAt: this.#keeper.clock.now(change.at) };
      const result = requestForSubject(pass, dated, this.#keeper.clock.now(), issuerKeyOf(pass, this.env));
      const count = (after: Pass) => this.#countRoom(pass, after, quota);
      const asked = [result, opened, { type: 'update', ...change }] as const;
      const accepted = takesAccessAway(change) ? this.#acceptChange(...asked) : this.#count(...asked, count);
      return { ...(await accepted), refused: result.refused } as SubjectChangeResult;
    });
  }

  /** Returns how the pass counts for its subject; undefined if there is no such pass. */
  async standing(): Promise<Standing | undefined> {
    const { stored } = await this.#keeper.open();
    return stored && standingOf(stored.pass, this.#keeper.clock.now());
  }

  /**
   * Revokes the pass for the operator; undefined if there is no such pass. No quota counts it.
   * @param wallet The data of a new pass, if the wallet has none: it revokes the tokens that others have issued to the wallet. A pass that
   *   the wallet has meanwhile is kept.
   */
  async revoke(
    request: RevocationRequest,
    wallet?: Omit<RevokedWallet, 'id' | 'signer' | 'client' | 'by'>,
  ): Promise<RevokeResult | undefined> {
    const opened = await this.#keeper.open();
    const { stored } = opened;
    const accept = async (change: AppliedChange, before: PassState | 'NONE') => ({
      ...(await this.#acceptChange(change, opened, { type: 'update', ...request })),
      before,
    });
    if (stored !== undefined) {
      const before = stateOf(stored.pass);
      if (wallet !== undefined && before !== 'REVOKED') return { type: 'kept', before };
      return accept(requestRevocation(stored.pass, request, this.#keeper.clock.now()), before);
    }
    if (wallet === undefined) return undefined;
    const signer = signerForNew(wallet.key, this.env);
    if (signer === undefined) return { type: 'refused', reason: 'network_not_enabled' };
    const pass = newRevokedPass({ ...wallet, ...request, id: uuidv7(), signer }, this.#keeper.clock.now());
    return accept(applyChange(pass), 'NONE');
  }

  /**
   * Adopts what the chain shows of the wallet; undefined if there is no such pass.
   * @param causes The changes by others that led to it, in order.
   * @param by The requester of the reading; undefined: nobody requested it.
   */
  async adopt(
    observation: Observation,
    causes: readonly Cause[] = [],
    by?: Requester,
  ): Promise<(Accepted & Adopted) | undefined> {
    const opened = await this.#keeper.open();
    const { stored } = opened;
    if (stored === undefined) return undefined;
    const change = applyObservation(stored.pass, observation, causes, this.#keeper.clock.now());
    const accepted = await this.#acceptChange(change, opened, by && { type: 'sync', client: by.actor.client, by });
    const isBusy = stored.pass.step !== undefined || isReorged(stored.pass);
    return { ...accepted, onChain: change.pass.onChain, isBusy };
  }

  /**
   * Pins the next step, if none is pinned, and returns it for its signer; undefined if there is no such pass.
   * @param lists The emergency lists of the caller. With older variables, the pass would choose a key that signs nothing.
   */
  async pinStep(lists?: EmergencyLists): Promise<PinResult | undefined> {
    const env = withNewerLists(this.env, lists);
    await this.#keeper.clock.read();
    let stored = this.#keeper.load();
    let ready = stored && withSignerInService(stored.pass, env);
    if (ready !== undefined && !hasBegunSigner(ready.signer)) {
      await beginSigner(ready.signer, this.env);
      // Another call may have changed the pass meanwhile.
      stored = this.#keeper.load();
      ready = stored && withSignerInService(stored.pass, env);
    }
    if (stored === undefined) return undefined;
    const pinned = ready && pinNextStep(ready, this.#keeper.clock.now());
    // Keep the alarm: it retried the change, and now it retries the step of that change.
    const now =
      pinned !== undefined && pinned.pass !== stored.pass
        ? this.#keeper.update({ ...stored, pass: pinned.pass, pinnedAt: Date.now() }, stored.pass)
        : stored;
    const { pass, pinnedAt = 0 } = now;
    return {
      signer: pass.signer,
      step: pinned && { ...pinned.step, pinnedAt },
      vanished: vanishedSteps(pass),
      publication: publicationOf(now),
      isPublished: isPublished(now),
      isSettled: isSettled(pass),
    };
  }

  /** Records the signer's answers about the steps of this pass. An old answer changes nothing. */
  async recordAnswers(answers: readonly Answer[]): Promise<RecordResult | undefined> {
    const opened = await this.#keeper.open();
    const { stored } = opened;
    if (stored === undefined) return undefined;
    let after = stored.pass;
    for (const answer of answers) {
      const before = after;
      // Each feed event has the record of its own time, so the next answer must not change it first.
      after = collectFeedEvents(before, recordAnswer(before, answer, this.#keeper.clock.now()));
      if (after.version !== before.version) logStep(before, answer, stored.pinnedAt, this.env);
    }
    const isNew = after !== stored.pass;
    const now = isNew ? await this.#keeper.save(reassignSigner(after, this.env), opened) : stored;
    const hasEnded = isNew && isSettled(now.pass);
    return {
      publication: publicationOf(now),
      isPublished: isPublished(now),
      needsStep: needsStep(now.pass),
      isSettled: hasEnded,
      entriesToAppend: hasEnded ? entriesToAppend(now) : undefined,
    };
  }

  /** Takes access away now, if that is wanted: the message of the pass may wait behind thousands. Never throws: message and alarm follow. */
  async hurry(): Promise<void> {
    const pass = this.#keeper.load()?.pass;
    if (pass !== undefined && isUrgent(pass)) await submitSteps(pass, this, this.env);
  }

  /**
   * Records what D1 and the audit trail have. A settled pass then needs no retry, unless the operator's list has it.
   * Returns the request whose effect D1 shows now, once.
   * @param sent A position that is unknown is absent.
   */
  markPublished(sent: Partial<Sent>): Promise<Settlement | undefined> {
    return this.#outbox.noteSent(sent);
  }

  /** Returns the pass once it is settled and published, or after `ms` as it is; undefined if there is no such pass. */
  awaitSettlement(ms: number): Promise<AwaitedPass | undefined> {
    return this.#waiters.waitUntilSettled(ms);
  }

  /** Returns the pass as the read model should have it; undefined if there is no such pass. */
  async readPublication(): Promise<Publication | undefined> {
    const stored = this.#keeper.load();
    return stored && publicationOf(stored);
  }

  /** Returns the pass, and writes the row that the read model lacks; undefined if there is no such pass. */
  repairRow(): Promise<AwaitedPass | undefined> {
    return this.#outbox.repairRow();
  }

  /** Returns the pass as a restored database should have it; undefined if there is no such pass. */
  async readForRebuild(): Promise<RestoredPass | undefined> {
    const stored = this.#keeper.load();
    return stored && restoredPassOf(stored, this.#keeper.clock.now());
  }

  /** Returns the question about the chain, and the signer that answers it; undefined if there is no such pass. */
  async readOnChain(): Promise<{ readonly signer: SignerName; readonly question: PassQuestion } | undefined> {
    const pass = this.#keeper.load()?.pass;
    return pass && { signer: pass.signer, question: questionOf(pass) };
  }

  /** Returns the status of the pass, and sets its alarm if it lacks one; undefined if there is no such pass. */
  async inspect(): Promise<Inspection | undefined> {
    const wasWithoutAlarm = await this.#keeper.clock.restoreAlarm(() => this.#keeper.open());
    const stored = this.#keeper.load();
    return stored && { ...inspectionOf(stored), wasWithoutAlarm };
  }

  /** Makes the alarm fire soon, with the shortest delays again, and write the pass to D1 again. Undefined: no such pass. */
  async redrive(): Promise<Pick<Inspection, 'signer' | 'step'> | undefined> {
    const pass = await this.#keeper.redrive();
    return pass && { signer: pass.signer, step: awaitedStep(pass) };
  }

  /**
   * Deletes the pass of a sandbox, with its row. Returns whether nothing is left: a pass with work on chain is revoked first, so that no
   * signer keeps a step of it.
   */
  erase(): Promise<boolean> {
    // A request in between would be lost.
    return this.ctx.blockConcurrencyWhile(async () => {
      const opened = await this.#keeper.open();
      const { stored } = opened;
      if (stored === undefined) return true;
      if (!this.#keeper.rules.forgetsPasses) throw new Error('only a sandbox forgets a pass');
      if (isSettled(stored.pass)) return this.#outbox.erase(stored);
      const revoked = requestRevocation(stored.pass, { client: stored.pass.client }, this.#keeper.clock.now());
      await this.#acceptChange(revoked, opened);
      return false;
    });
  }

  override async alarm(): Promise<void> {
    await this.#outbox.fireAlarm();
    await this.hurry();
  }

  async #countRoom(before: Pass | undefined, after: Pass, quota?: quotas.Quota) {
    const refusal = quota && (await quotas.countChange(this.env.QUOTAS, quota, before, after));
    return refusal ?? quotas.countRoomOfChange(this.env.QUOTAS, before, after, () => this.#store.hasRoom(after.key));
  }

  /** Accepts a partner's request, unless a daily number is reached. A request that changes nothing does not count. */
  async #count<R extends quotas.QuotaRefusal | IssueResult>(
    result: ChangeResult,
    opened: OpenedPass,
    request: Received,
    countForClient: ((pass: Pass) => Promise<R | undefined>) | undefined,
  ): Promise<UpdateResult | R> {
    if (result.type === 'refused') return result;
    const { pass } = result;
    const { stored: before } = opened;
    if (pass.version === before?.pass.version) return this.#acceptChange(result, opened, request);
    const changes = before && quotas.countChangeOfPass(before, pass, configOf(this.env).passDailyChanges, nowSeconds());
    if (changes !== undefined && 'type' in changes) return changes;
    const refusal = await countForClient?.(pass);
    return refusal ?? this.#acceptChange(result, { ...opened, stored: before && { ...before, changes } }, request);
  }

  /** @param request Undefined: nobody requested the change, so it has no entry in the audit trail. */
  async #acceptChange(
    { pass: after, changed }: AppliedChange,
    opened: OpenedPass,
    request?: Received,
  ): Promise<Accepted> {
    const isRepeated =
      !changed && (request?.waits === true ? Date.now() < this.#publishedAt + REPEATED_MS : this.#repeats.isEnough());
    if (changed || (request !== undefined && !isRepeated)) this.#publishedAt = Date.now();
    const { stored } = opened;
    const isNew = changed || stored === undefined;
    const now = isNew
      ? await this.#keeper.save(
          reassignSigner(after, this.env),
          opened,
          0,
          request && ((n) => entryOfChange(request, stored?.pass, after, n, Date.now())),
        )
      : stored;
    // Nobody waits for the trail. Issuances are so many that the consumer appends the entries of all passes that settle together. The
    // alarm appends what the trail lacks then.
    if (isNew && request !== undefined && request.type !== 'issue') this.ctx.waitUntil(this.#outbox.appendEntries());
    return acceptedOf(now, changed, request === undefined ? 'by-nobody' : isRepeated ? 'again' : 'first');
  }
}
