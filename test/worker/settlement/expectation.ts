import type { Token } from '../../../src/chain/plan-step.ts';
import { nextStep } from '../../../src/pass/next-step.ts';
import type { Pass } from '../../../src/pass/pass.ts';
import type { WantedChange } from '../../../src/pass/requests.ts';

/**
 * The expected end of a pass, derived only from the accepted requests and from changes by others on chain: the last one counts. If a
 * change by others arrives while a request of the same kind is in progress, either may be the last.
 */
export class Expectation {
  readonly states = new Set<string>();
  readonly expiries = new Set<number | undefined>();

  /** A token is gone, which the service may not have known. */
  #lost = false;

  /** A partner revoked the pass: that is final, whatever others do. */
  #final = false;

  /**
   * A partner asked for a pass where there was none, or none was to be had. `present` is what others had made already: it
   * is adopted, unless the nodes hide it. It keeps its expiry only if the partner asked for the default one.
   */
  issued(expiry: number | undefined, isDefault: boolean, present: Token | undefined, hidden: boolean): void {
    only(this.states, present?.state ?? 'ACTIVE');
    only(this.expiries, present && isDefault ? present.expiry : expiry);
    this.#lost = present?.state === 'REVOKED';
    if (hidden) this.hidden(expiry);
  }

  /** The nodes hide a token of others: it is not adopted, or it is adopted and turns out to be burned. */
  hidden(expiry: number | undefined): void {
    this.states.add('ACTIVE').add('REVOKED');
    this.expiries.add(expiry);
    this.#lost = true;
  }

  /**
   * A partner's change was granted; `before` is the pass it was asked of, `present` what the chain has, `ended` whether
   * others put an end to it.
   */
  updated(request: WantedChange, before: Pass, present: Token | undefined, ended: boolean): void {
    if (this.#final) return;
    this.#final = request.state === 'REVOKED';
    if (request.state !== undefined && request.state !== before.wanted.state) {
      only(this.states, request.state);
      // It takes back a change that has not begun, and the same change by others is not known yet.
      const known = before.onChain.state === 'NONE' ? 'ACTIVE' : before.onChain.state;
      if (request.state === known && present !== undefined) this.states.add(present.state);
    }
    // A change by others that is not known yet is adopted once it is.
    const isUnseen = before.step === undefined && present !== undefined && present.state !== before.onChain.state;
    if (isUnseen && before.onChain.state !== 'NONE') this.states.add(present.state);
    if (request.expiry !== undefined && request.expiry !== before.wanted.expiry) only(this.expiries, request.expiry);
    // As if nobody had requested another expiry.
    const knownExpiry =
      before.onChain.state !== 'NONE' ? before.onChain.expiry : before.requested.isDefault && before.requested.expiry;
    if (request.expiry !== undefined && request.expiry === knownExpiry) this.expiries.add(present?.expiry);
    if (this.#lost) this.states.add('REVOKED');
    if (before.onChain.state !== 'NONE' && ended) only(this.states, 'REVOKED');
  }

  /** Others changed the wallet's tokens; `late`: one of our transactions is in flight, and may come after it. */
  changedByOthers(
    was: Token | undefined,
    is: Token | undefined,
    pass: Pass | undefined,
    { made, late }: { made: boolean; late: boolean },
  ): void {
    if (pass === undefined || (is === was && !made) || this.#final) return;
    if (is === undefined || is.state === 'REVOKED') {
      // An unknown token may be issued again after it was burned.
      this.#lost = true;
      if (pass.onChain.state === 'NONE') {
        this.states.add('REVOKED').add('ACTIVE');
        this.expiries.add(pass.wanted.expiry);
      } else only(this.states, 'REVOKED');
      return;
    }
    const { step, wanted, onChain } = pass;
    // If the loss was never seen, the wanted state stays.
    if (was === undefined || was.state === 'REVOKED') {
      this.states.add(wanted.state);
      this.expiries.add(wanted.expiry);
    }
    // A token that is made during a change of another one is not changed with it.
    if (made) this.states.add(is.state);
    const busy = late || step !== undefined || nextStep(pass) !== undefined;
    if (is.state !== was?.state) one(this.states, is.state, busy || wanted.state !== onChain.state);
    if (is.expiry !== was?.expiry || was === undefined)
      one(this.expiries, is.expiry, busy || wanted.expiry !== onChain.expiry);
  }

  /** The chain refused a step for good, so the on-chain state becomes the wanted state. */
  refused(pass: Pass, present: Token | undefined): void {
    // If no known token can be revoked, the pass follows the chain.
    this.#final &&= pass.wanted.state === 'REVOKED' && pass.revokedBy !== 'others';
    only(this.states, pass.rejected ? 'REJECTED' : pass.wanted.state);
    only(this.expiries, pass.wanted.expiry);
    if (this.#lost || present === undefined) this.states.add('REVOKED');
    if (present === undefined) return;
    this.states.add(present.state);
    this.expiries.add(present.expiry);
  }
}

function only<T>(set: Set<T>, value: T): void {
  set.clear();
  set.add(value);
}

/** Adds a possible value. */
function one<T>(set: Set<T>, value: T, contested: boolean): void {
  if (contested) set.add(value);
  else only(set, value);
}
