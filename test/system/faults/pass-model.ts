import { isDeepStrictEqual } from 'node:util';
import type { PassRecord } from '../../../localnet/partner/partner-client.ts';

/** What a partner asks for; expiry in Unix seconds. */
export type Wish =
  | { readonly to: 'issue' }
  | { readonly to: 'change'; readonly state?: 'ACTIVE' | 'FROZEN' | 'REVOKED'; readonly expiry?: number };

/** What a pass should be. NONE: nobody asked for it. */
export interface Belief {
  readonly state: 'NONE' | 'ACTIVE' | 'FROZEN' | 'REVOKED';
  readonly expiry?: number | undefined;
}

/** What becomes of such a pass, or the code of the problem that refuses it. No pass here is ever about to expire. */
function after({ state, expiry }: Belief, wish: Wish): Belief | string {
  if (wish.to === 'issue') {
    if (state === 'FROZEN') return 'pass_frozen';
    if (state === 'REVOKED') return 'pass_revoked';
    return { state: 'ACTIVE', expiry };
  }
  if (state === 'NONE') return 'pass_not_found';
  if (state === 'REVOKED') return wish.state === 'REVOKED' ? { state } : 'pass_revoked';
  if (wish.state === 'REVOKED') return { state: 'REVOKED' };
  return { state: wish.state ?? state, expiry: wish.expiry ?? expiry };
}

const isGranted = (outcome: Belief | string) => typeof outcome !== 'string';

/**
 * What one pass should be, told from what was answered, and from nothing of how it is settled. Where no answer came,
 * the wish may have been heard or not: then there are several beliefs, until an answer tells. What contradicts them is
 * told once: after that nothing is believed any more.
 */
export class PassModel {
  #beliefs: readonly Belief[] = [{ state: 'NONE' }];
  #id: string | undefined;
  /** Whether an issuance was accepted: then there must be a pass. */
  accepted = false;

  /** Never empty, unless something has contradicted them. */
  get beliefs(): readonly Belief[] {
    return this.#beliefs;
  }

  /** The wish was granted, with this record. Returns what is wrong with that; undefined: nothing. */
  granted(wish: Wish, record: PassRecord): string | undefined {
    if (wish.to === 'issue') this.accepted = true;
    const possible = this.#beliefs.map((belief) => after(belief, wish)).filter(isGranted);
    const right = this.#fitting(possible, record);
    this.#id ??= record.id;
    return this.#believe(right, `${JSON.stringify(wish)} was granted as ${shown(record)}`);
  }

  /** The wish was refused. Returns what is wrong with that. */
  refused(wish: Wish, code: string): string | undefined {
    const right = this.#beliefs.filter((belief) => after(belief, wish) === code);
    return this.#believe(right, `${JSON.stringify(wish)} was refused with ${code}`);
  }

  /** Nobody knows whether the wish was heard. */
  unanswered(wish: Wish): void {
    const heard = this.#beliefs.map((belief) => after(belief, wish)).filter(isGranted);
    const all = [...this.#beliefs, ...heard];
    this.#beliefs = all.filter((each, index) => all.findIndex((other) => isDeepStrictEqual(other, each)) === index);
  }

  /** The pass was read (undefined: there is none), maybe as it was a moment ago. Returns what is wrong with that. */
  seen(record: PassRecord | undefined): string | undefined {
    const right = record ? this.#fitting(this.#beliefs, record) : this.#beliefs.filter(({ state }) => state === 'NONE');
    if (right.length > 0) return undefined;
    return this.#believe(right, record ? `it was read as ${shown(record)}` : 'there is no such pass');
  }

  #fitting(beliefs: readonly Belief[], record: PassRecord): Belief[] {
    return beliefs.filter((belief) => fits(belief, record) && record.id === (this.#id ?? record.id));
  }

  #believe(right: readonly Belief[], occasion: string): string | undefined {
    const before = this.#beliefs.map(({ state, expiry }) => `${state} until ${expiry}`).join(' or ');
    const contradicted = this.#beliefs.length > 0 && right.length === 0;
    this.#beliefs = right;
    return contradicted ? `${occasion}, and should be ${before} (${this.#id})` : undefined;
  }
}

/** Of a revoked pass nobody asks when it would have expired. */
function fits({ state, expiry }: Belief, record: PassRecord): boolean {
  const seen = record.state === 'REQUESTED' ? 'ACTIVE' : record.state;
  return seen === state && (state === 'REVOKED' || record.expiryTimestamp === expiry);
}

function shown({ id, state, expiryTimestamp }: PassRecord): string {
  return `${state} until ${expiryTimestamp} (${id})`;
}
