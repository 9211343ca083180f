import { MINUTE_MS, type Milliseconds } from '../lib/units.ts';
import type { Receivers } from '../message/hand-over.ts';
import { type PassKey, passName } from '../pass/pass.ts';
import type { RuleRefusal, SubjectRules } from '../pass/subject-changes.ts';
import { type NamedRow, namesOf, type Row, type SubjectStore } from './subject-store.ts';

/** Refuses because of the state of the subject, or because a pass object does not answer. */
export type Refused =
  | { readonly type: 'refused'; readonly reason: 'subject_frozen' | 'subject_revoked' }
  | { readonly type: 'refused'; readonly reason: 'temporarily_unavailable'; readonly retryAfter: number };

export const UNAVAILABLE: Refused = { type: 'refused', reason: 'temporarily_unavailable', retryAfter: 5 };

/** Longer than a pass object needs to store a request that it has not refused as late: it waits for two counts. */
const LANDING_MS = MINUTE_MS;
/** Number of passes that are asked at once. */
const ASKED_TOGETHER = 20;
/** A pass that did not count is not asked for this long: a refused request costs nothing, and may be repeated. Only others renew it meanwhile. */
const IDLE_MS = MINUTE_MS;
/** Maximum number of passes that a refusal names. */
const NAMED_MAX = 20;
const NO_LIMIT = Number.POSITIVE_INFINITY;

/** Whether a request without an answer may still give the pass the subject, or make it count. */
export const isOnItsWay = (row: Row | undefined) => row?.until !== undefined && Date.now() < row.until + LANDING_MS;

/** The passes of a subject that count for its rules. Only in turn, so that none is on its way to the subject. */
export class CountedPasses {
  readonly #store: SubjectStore;
  readonly #receivers: Receivers;
  readonly #name: string;
  readonly #hasEnded: (key: PassKey) => boolean;
  /** When to ask again the passes that did not count. */
  readonly #idle = new Map<string, Milliseconds>();

  /** @param hasEnded Whether the network of the pass has ended. */
  constructor(store: SubjectStore, receivers: Receivers, name: string, hasEnded: (key: PassKey) => boolean) {
    this.#store = store;
    this.#receivers = receivers;
    this.#name = name;
    this.#hasEnded = hasEnded;
  }

  /** From now on, the pass may count. */
  noteLanding(key: PassKey): void {
    this.#idle.delete(passName(key));
  }

  /**
   * Refuses if a rule allows no further pass; undefined: all do, or the pass counts already. While a request without an answer may still make
   * another pass count, the partner may ask again. Throws if a pass object does not answer.
   */
  async refusalOfRules(
    key: PassKey,
    own: Row | undefined,
    { subjectMaxPasses, subjectMaxPassesPerNetwork }: SubjectRules,
  ): Promise<RuleRefusal | Refused | undefined> {
    if ((subjectMaxPasses ?? subjectMaxPassesPerNetwork) === undefined) return undefined;
    const isAsked = ({ key: other, row }: NamedRow) =>
      !row.isFinal && passName(other) !== passName(key) && (this.#idle.get(passName(other)) ?? 0) <= Date.now();
    const others = this.#store.rowsAfter().filter(isAsked);
    const mayReach = others.length >= Math.min(subjectMaxPasses ?? NO_LIMIT, subjectMaxPassesPerNetwork ?? NO_LIMIT);
    if (mayReach && own !== undefined && (await this.counts(key))) return undefined;
    const onNetwork = others.filter((each) => each.key.network === key.network);
    const limits = [
      ['subjectMaxPassesPerNetwork', subjectMaxPassesPerNetwork, onNetwork],
      ['subjectMaxPasses', subjectMaxPasses, others],
    ] as const;
    for (const [name, maximum, rows] of limits) {
      if (maximum === undefined || rows.length < maximum) continue;
      const { counting, mayCount } = await this.#findCounting(rows, maximum);
      if (counting.length + mayCount < maximum) continue;
      if (counting.length < maximum) return UNAVAILABLE;
      const rule = { name, maximum, passes: counting.slice(0, NAMED_MAX).map(namesOf) };
      return { type: 'refused', reason: 'subject_limit_reached', rule };
    }
    return undefined;
  }

  /** Returns the first passes that count, at most about `maximum`, and the number of those that a request without an answer may make count. */
  async #findCounting(rows: readonly NamedRow[], maximum: number) {
    const counting: PassKey[] = [];
    let mayCount = 0;
    for (let at = 0; at < rows.length && counting.length < maximum; at += ASKED_TOGETHER) {
      const asked = rows.slice(at, at + ASKED_TOGETHER);
      const answers = asked.map(({ key }) => this.#standing(key));
      // No answer comes after this turn, which would forget a pass that has got the subject since.
      await Promise.allSettled(answers);
      for (const [index, standing] of (await Promise.all(answers)).entries()) {
        const { key, row } = asked[index] as NamedRow;
        if (standing?.counts) counting.push(key);
        else if (isOnItsWay(row)) mayCount += 1;
        else if (standing === undefined) this.#store.remove(key);
        else if (standing.isFinal) this.#store.put(key, { ...this.#store.row(key), isFinal: true });
        else this.#idle.set(passName(key), Date.now() + IDLE_MS);
      }
    }
    return { counting, mayCount };
  }

  /** Whether the pass counts; undefined if it does not have the subject. */
  async counts(key: PassKey): Promise<boolean | undefined> {
    return (await this.#standing(key))?.counts;
  }

  /** Returns whether the pass counts, also until its chain has its end; undefined if it does not have the subject. */
  async #standing(key: PassKey): Promise<{ readonly counts: boolean; readonly isFinal: boolean } | undefined> {
    const standing = await this.#receivers.passObject(key).standing();
    if (standing?.subject !== this.#name) return undefined;
    const { counts, isOnChain, isFinal } = standing;
    return { counts: counts || (isOnChain && !this.#hasEnded(key)), isFinal };
  }
}
