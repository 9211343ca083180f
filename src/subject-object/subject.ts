import { configOf } from '../config/parse-config.ts';
import { backoff, MINUTE_MS, type Milliseconds, nowSeconds, SECOND_MS } from '../lib/units.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import { type HandedOver, handOver, type PassStub, publishingStoreOf, receiversOf } from '../message/hand-over.ts';
import { networkStatusOf } from '../network/network.ts';
import { findNetworkFor, rulesFor } from '../network/sandbox.ts';
import type { PassKey } from '../pass/pass.ts';
import { takesAccessAway } from '../pass/step-kinds.ts';
import type { RuleRefusal, SubjectRules } from '../pass/subject-changes.ts';
import type { WantedState } from '../pass/vocabulary.ts';
import { CountedPasses, isOnItsWay, type Refused, UNAVAILABLE } from './counted-passes.ts';
import {
  AT_ONCE,
  hasRefusal,
  isDue,
  isOpen,
  type Progress,
  progressOf,
  type Row,
  type Run,
  SubjectStore,
} from './subject-store.ts';

type IssueArguments = Parameters<PassStub['issue']>;
type UpdateArguments = Parameters<PassStub['update']>;
type Quota = Parameters<PassStub['changeForSubject']>[1];

/** A partner's request for all passes of a subject. */
export type SubjectRequest = Run['change'] & {
  readonly rules: SubjectRules;
  /** Only a change that gives access counts toward it. */
  readonly quota?: Quota;
};

export interface SubjectView {
  readonly state: WantedState;
  /** Number of its passes, also of those that are on their way. */
  readonly passes: number;
  /** The newest change of the state, and the newest renewal. */
  readonly requests: readonly Progress[];
  /** The request changed nothing, because the newest change of the state is the same. */
  readonly isRepeated?: true;
}

/** A request whose turn comes later than this is refused, and so is an admitted one that its pass object gets later. */
const ADMISSION_MS = 15 * SECOND_MS;
const PASS_TIMEOUT_MS = 20 * SECOND_MS;
/** In the first round of a change, a pass that does not answer delays no other for long. */
const FIRST_TIMEOUT_MS = 3 * SECOND_MS;
/** Number of passes that an alarm changes. Passes are renewed one by one, and a freeze must not wait for many. */
const SLICE_PASSES = { stateChange: 50, renewal: 5 } as const;
const HAND_OVER_MS = SECOND_MS;
const RETRY_MIN_MS = 5 * SECOND_MS;
const RETRY_MAX_MS = 15 * MINUTE_MS;

type RunKind = keyof typeof SLICE_PASSES;

/** `later`: another round; `gone`: it does not have the subject; `done`, or the code of its refusal. */
interface Followed {
  readonly end: string;
  readonly accepted?: HandedOver;
}

function refuseUnreachable(fault: unknown): Refused {
  logFault('pass.unreachable', fault);
  return UNAVAILABLE;
}

/**
 * One subject of a gatekeeper network: its state, and the passes that have it. It counts and admits one pass at a time, so that no more
 * than a rule allows are accepted. Pass objects never call it.
 */
export class Subject {
  readonly #store: SubjectStore;
  readonly #storage: DurableObjectStorage;
  readonly #env: Env;
  readonly #name: string;
  readonly #receivers: ReturnType<typeof receiversOf>;
  readonly #counted: CountedPasses;
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ storage, id: { name = '' } }: DurableObjectState, env: Env) {
    this.#storage = storage;
    this.#env = env;
    const [, gatekeeperNetwork = '', subject = ''] = /^([^/]*)\/(.*)$/s.exec(name) ?? [];
    this.#store = new SubjectStore(storage, gatekeeperNetwork);
    this.#name = subject;
    this.#receivers = receiversOf(env, publishingStoreOf(env), PASS_TIMEOUT_MS);
    this.#counted = new CountedPasses(this.#store, this.#receivers, subject, (key) => this.#hasEnded(key));
  }

  /** Issues a pass for the subject, or refuses: also if a rule allows no further pass. */
  issue(request: IssueArguments[0], quota: IssueArguments[1], rules: SubjectRules) {
    const { key } = request;
    return this.#admit(key, rules, async (admittedUntil) =>
      this.#receivers.passObject(key).issue({ ...request, subject: this.#name, admittedUntil }, quota),
    );
  }

  /**
   * Changes a pass that has the subject or is to have it, or refuses; undefined if there is no such pass. Only here does a pass get the
   * subject, lose it, or count for it again.
   */
  update(key: PassKey, request: UpdateArguments[0], waits: boolean, quota: UpdateArguments[2], rules: SubjectRules) {
    const update = async (admittedUntil: Milliseconds) =>
      this.#receivers.passObject(key).update({ ...request, via: this.#name, admittedUntil }, waits, quota);
    // Only a new subject or a new expiry makes a pass count.
    const counts = (request.subject ?? request.expiry) !== undefined;
    if (request.subject !== null) return this.#admit(key, counts ? rules : {}, update);
    return this.#inTimelyTurn(async () => {
      const result = this.#refusalOfState() ?? (await update(Date.now() + ADMISSION_MS).catch(refuseUnreachable));
      // An earlier request that is still on its way may give the pass the subject again.
      if (result?.type === 'accepted' && !isOnItsWay(this.#store.row(key))) this.#store.remove(key);
      return result;
    });
  }

  /**
   * Stores a change of all passes, which follow soon, and returns the subject. Undefined if it has no pass, and was never changed. A change
   * of the state replaces the one before, and a renewal the one before: the passes end in the newest state.
   */
  async change({ rules, quota, ...change }: SubjectRequest): Promise<SubjectView | Refused | undefined> {
    const { state } = change;
    const before = this.#store.load();
    if (before.state === 'REVOKED' && state !== 'REVOKED') return { type: 'refused', reason: 'subject_revoked' };
    const total = this.#store.count();
    if (total === 0 && (before.stateChange ?? before.renewal) === undefined) return undefined;
    const isRepeated = state !== undefined && state === before.stateChange?.change.state;
    if (isRepeated && !hasRefusal(before)) return { ...this.#view(), isRepeated };
    const number = before.runs + 1;
    const at = Date.now();
    // Nothing has frozen a pass before the first change.
    const isDone = state === 'ACTIVE' && before.stateChange === undefined;
    const progress = isDone ? { done: total, finishedAt: at } : { done: 0 };
    const counts = { total, ...progress, refused: {}, later: 0, tries: 0 };
    const begun: Run = { number, change, rules, quota, at, ...counts, due: AT_ONCE };
    const kind: RunKind = state === undefined ? 'renewal' : 'stateChange';
    const ended = state === 'REVOKED' && { renewal: undefined };
    this.#store.save({ ...before, runs: number, state: state ?? before.state, ...ended, [kind]: begun });
    await this.#setAlarm();
    return this.#view();
  }

  /** Returns the subject; undefined if it has no pass, and was never changed. */
  async read(): Promise<SubjectView | undefined> {
    const view = this.#view();
    return view.passes === 0 && view.requests.length === 0 ? undefined : view;
  }

  /** Forgets a pass that its sandbox is about to delete. Without passes, the subject begins again. */
  forget(key: PassKey): Promise<void> {
    return this.#inTurn(async () => {
      if (!rulesFor(key.gatekeeperNetwork).forgetsPasses) throw new Error('only a sandbox forgets a pass');
      this.#store.remove(key);
      // The numbers of its changes rise: a pass may still have one of them.
      if (this.#store.count() === 0) this.#store.save({ state: 'ACTIVE', runs: this.#store.load().runs });
    });
  }

  /** Changes the next passes. An object that is killed continues with the first pass that it has not marked. */
  async fireAlarm(): Promise<void> {
    const subject = this.#store.load();
    const kind: RunKind = isDue(subject.stateChange) ? 'stateChange' : 'renewal';
    const run = subject[kind];
    if (!isDue(run)) return this.#setAlarm();
    // A crash below must not end the work.
    this.#store.save({ ...subject, [kind]: { ...run, due: Date.now() + RETRY_MIN_MS } });
    await this.#setAlarm();
    const page = this.#store.rowsAfter(run.place, SLICE_PASSES[kind]);
    const due = page.filter(({ row }) => (row[kind] ?? 0) < run.number);
    const answers = await Promise.all(due.map(async (each) => ({ ...each, ...(await this.#follow(run, each)) })));
    const handedOver = handOver(
      answers.flatMap(({ accepted }) => accepted ?? []),
      this.#receivers,
    );
    // A database that hangs delays no other pass.
    await withTimeout(HAND_OVER_MS, handedOver, undefined);
    await this.#advance(kind, run, page.length < SLICE_PASSES[kind] ? undefined : page.at(-1)?.name, answers);
  }

  /** Stores what the passes of a slice have answered, and when the next one follows. */
  async #advance(
    kind: RunKind,
    { number }: Run,
    place: string | undefined,
    answers: readonly (Followed & { readonly key: PassKey })[],
  ): Promise<void> {
    const subject = this.#store.load();
    const run = subject[kind];
    // A newer request has replaced it.
    if (run?.number !== number) return this.#setAlarm();
    const refused = { ...run.refused };
    const followed = answers.filter(({ end }) => end !== 'later');
    for (const { key, end } of followed) {
      const row = this.#store.row(key);
      if (end !== 'gone' && row !== undefined) this.#store.put(key, { ...row, [kind]: number });
      if (end !== 'done' && end !== 'gone') refused[end] = (refused[end] ?? 0) + 1;
    }
    const done = run.done + followed.length;
    const later = run.later + answers.filter(({ end }) => end === 'later').length;
    const isRound = place === undefined;
    const isEnd = isRound && later === 0;
    const tries = isRound && !isEnd ? run.tries + 1 : run.tries;
    const finishedAt = isEnd ? Date.now() : undefined;
    // A pass that has landed meanwhile does not wait.
    const waits = isRound && !isEnd && run.due !== AT_ONCE;
    const due = waits ? Date.now() + backoff(RETRY_MIN_MS, run.tries, RETRY_MAX_MS) : AT_ONCE;
    const next = { ...run, place, done, refused, later: isRound ? 0 : later, tries, due, finishedAt };
    this.#store.save({ ...subject, [kind]: next });
    await this.#setAlarm();
  }

  /** Sets the alarm for the change that is due first. */
  async #setAlarm(): Promise<void> {
    const { stateChange, renewal } = this.#store.load();
    const due = [stateChange, renewal].filter(isOpen).map((run) => Math.max(run.due, Date.now()));
    await (due.length > 0 ? this.#storage.setAlarm(Math.min(...due)) : this.#storage.deleteAlarm());
  }

  /** Makes one pass follow a change of the subject. */
  async #follow(run: Run, { key, row }: { readonly key: PassKey; readonly row: Row }): Promise<Followed> {
    const { change, number, at, rules, quota, tries } = run;
    const hasEnded = !takesAccessAway(change) && this.#hasEnded(key);
    if (hasEnded && change.state === undefined) return { end: 'network_ended' };
    const refusal = () => {
      const subject = this.#store.load();
      const isOver = subject.renewal?.number !== number || isDue(subject.stateChange);
      return isOver ? UNAVAILABLE : undefined;
    };
    const ask = async (admittedUntil: Milliseconds) => {
      const asked = { ...change, number, at, subject: this.#name, hasEnded, admittedUntil };
      const timeoutMs = tries === 0 ? FIRST_TIMEOUT_MS : PASS_TIMEOUT_MS;
      return this.#receivers.passObject(key, timeoutMs).changeForSubject(asked, quota);
    };
    const answer = await (change.state === undefined
      ? this.#admit(key, rules, ask, refusal)
      : ask(Date.now() + ADMISSION_MS).catch(refuseUnreachable));
    if (answer === undefined || (answer.type === 'accepted' && answer.refused === 'subject_differs')) {
      if (isOnItsWay(row)) return { end: 'later' };
      await this.#inTurn(() => this.#forgetIfGone(key)).catch(refuseUnreachable);
      return { end: this.#store.row(key) === undefined ? 'gone' : 'later' };
    }
    if (answer.type === 'accepted')
      return { end: hasEnded ? 'network_ended' : (answer.refused ?? 'done'), accepted: answer };
    // A count for the day is retried until it has room again.
    return { end: answer.reason === 'subject_limit_reached' ? answer.reason : 'later' };
  }

  /**
   * Asks for a change after which the pass may count for the subject. The pass counts from before the call until its answer is known, or
   * until a call without an answer can no longer arrive. So a crash never makes room for another pass.
   * @param refusal Returns why the subject forbids the change at that moment; undefined: it does not.
   */
  #admit<R extends { readonly type: string } | undefined>(
    key: PassKey,
    rules: SubjectRules,
    ask: (admittedUntil: Milliseconds) => Promise<R>,
    refusal: () => Refused | undefined = () => this.#refusalOfState(),
  ): Promise<R | Refused | RuleRefusal> {
    return this.#inTimelyTurn(async () => {
      const before = this.#store.row(key);
      const ofRules = async () => this.#counted.refusalOfRules(key, before, rules).catch(refuseUnreachable);
      // A change of the subject may come while the rules ask passes.
      const refused = refusal() ?? (await ofRules()) ?? refusal();
      if (refused !== undefined) return refused;
      const until = Date.now() + ADMISSION_MS;
      this.#store.put(key, { ...before, until });
      let result: R;
      try {
        result = await ask(until);
      } catch (fault) {
        return refuseUnreachable(fault);
      }
      if (result?.type === 'accepted') await this.#noteLanding(key, before?.until);
      else if (before === undefined) this.#store.remove(key);
      else this.#store.put(key, { ...this.#store.row(key), until: before.until });
      return result;
    });
  }

  /**
   * A change of the state that has not found the pass changes it at once.
   * @param until When an earlier request without an answer can no longer arrive.
   */
  async #noteLanding(key: PassKey, until: Milliseconds | undefined): Promise<void> {
    this.#counted.noteLanding(key);
    this.#store.put(key, { ...this.#store.row(key), until, isFinal: undefined });
    const { stateChange, ...subject } = this.#store.load();
    if (!isOpen(stateChange)) return;
    this.#store.save({ ...subject, stateChange: { ...stateChange, due: AT_ONCE } });
    await this.#setAlarm();
  }

  /** Only in turn, so that the pass is not on its way to the subject. */
  async #forgetIfGone(key: PassKey): Promise<void> {
    if (!isOnItsWay(this.#store.row(key)) && (await this.#counted.counts(key)) === undefined) this.#store.remove(key);
  }

  /** Whether the network of the pass has ended, so that nothing new reaches its chain. */
  #hasEnded({ gatekeeperNetwork, chain, network: name }: PassKey): boolean {
    const network = findNetworkFor(gatekeeperNetwork, configOf(this.#env).networks, chain, name);
    return network !== undefined && networkStatusOf(network, nowSeconds()).type === 'ended';
  }

  #refusalOfState(): Refused | undefined {
    const { state } = this.#store.load();
    if (state === 'ACTIVE') return undefined;
    return { type: 'refused', reason: state === 'FROZEN' ? 'subject_frozen' : 'subject_revoked' };
  }

  #view(): SubjectView {
    const { state, stateChange, renewal } = this.#store.load();
    const requests = [stateChange, renewal].flatMap((run) => (run === undefined ? [] : [progressOf(run)]));
    return { state, passes: this.#store.count(), requests };
  }

  /** Refuses a request whose turn comes late, because its caller may have given it up. */
  #inTimelyTurn<T>(run: () => Promise<T>): Promise<T | Refused> {
    const until = Date.now() + ADMISSION_MS;
    return this.#inTurn(async () => (Date.now() > until ? UNAVAILABLE : run()));
  }

  /** Runs after the requests before it, whether they succeed or not. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(run);
    this.#turn = result.catch(() => {});
    return result;
  }
}
