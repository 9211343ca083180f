import { isDeepStrictEqual } from 'node:util';
import type { PassRecord } from '../../../tools/localnet/partner/partner-client.ts';

/** A partner's request. The expiry is in Unix seconds. */
export type ChangeRequest =
  | { readonly to: 'issue' }
  | { readonly to: 'change'; readonly state?: 'ACTIVE' | 'FROZEN' | 'REVOKED'; readonly expiry?: number };

/** The expected state and expiry of a pass. NONE means that no partner has requested it. */
export interface ExpectedPass {
  readonly state: 'NONE' | 'ACTIVE' | 'FROZEN' | 'REVOKED';
  readonly expiry?: number | undefined;
}

/** Returns the pass after a request, or the problem code of a refusal. No pass of the fault runs is near its expiry. */
function applyRequest({ state, expiry }: ExpectedPass, request: ChangeRequest): ExpectedPass | string {
  if (request.to === 'issue') {
    if (state === 'FROZEN') return 'pass_frozen';
    if (state === 'REVOKED') return 'pass_revoked';
    return { state: 'ACTIVE', expiry };
  }
  if (state === 'NONE') return 'pass_not_found';
  if (state === 'REVOKED') return request.state === 'REVOKED' ? { state } : 'pass_revoked';
  if (request.state === 'REVOKED') return { state: 'REVOKED' };
  return { state: request.state ?? state, expiry: request.expiry ?? expiry };
}

const isPass = (outcome: ExpectedPass | string) => typeof outcome !== 'string';

/**
 * The model of one pass. It uses only answers, and does not know how the service settles a pass. A request without an
 * answer may or may not have taken effect. The model then has several candidates until an answer excludes some. It reports
 * a contradiction once, and has no candidates afterwards.
 */
export class PassModel {
  #candidates: readonly ExpectedPass[] = [{ state: 'NONE' }];
  #id: string | undefined;
  /** Whether the service accepted an issuance, so that the pass must exist. */
  accepted = false;

  /** The expected passes, one of which must be right. Empty after a contradiction. */
  get candidates(): readonly ExpectedPass[] {
    return this.#candidates;
  }

  /** Records that the service accepted a request with this record. Returns the contradiction, or undefined. */
  checkAccepted(request: ChangeRequest, record: PassRecord): string | undefined {
    if (request.to === 'issue') this.accepted = true;
    const possible = this.#candidates.map((candidate) => applyRequest(candidate, request)).filter(isPass);
    const matching = this.#matching(possible, record);
    this.#id ??= record.id;
    return this.#keep(matching, `the service accepted ${JSON.stringify(request)} with ${describeRecord(record)}`);
  }

  /** Records that the service refused a request. Returns the contradiction, or undefined. */
  checkRefused(request: ChangeRequest, code: string): string | undefined {
    const matching = this.#candidates.filter((candidate) => applyRequest(candidate, request) === code);
    return this.#keep(matching, `the service refused ${JSON.stringify(request)} with ${code}`);
  }

  /** Records that a request got no answer, so that it may or may not have taken effect. */
  addUnanswered(request: ChangeRequest): void {
    const changed = this.#candidates.map((candidate) => applyRequest(candidate, request)).filter(isPass);
    const all = [...this.#candidates, ...changed];
    this.#candidates = all.filter((each, index) => all.findIndex((other) => isDeepStrictEqual(other, each)) === index);
  }

  /** Records that a read returned this record or no pass. Returns the contradiction, or undefined. */
  checkRead(record: PassRecord | undefined): string | undefined {
    const matching = record
      ? this.#matching(this.#candidates, record)
      : this.#candidates.filter(({ state }) => state === 'NONE');
    if (matching.length > 0) return undefined;
    return this.#keep(matching, record ? `a read returned ${describeRecord(record)}` : 'a read returned no pass');
  }

  #matching(candidates: readonly ExpectedPass[], record: PassRecord): ExpectedPass[] {
    return candidates.filter((candidate) => matches(candidate, record) && record.id === (this.#id ?? record.id));
  }

  #keep(matching: readonly ExpectedPass[], occasion: string): string | undefined {
    const before = this.#candidates.map(({ state, expiry }) => `${state} until ${expiry}`).join(' or ');
    const isContradicted = this.#candidates.length > 0 && matching.length === 0;
    this.#candidates = matching;
    return isContradicted ? `${occasion}; the pass should be ${before} (${this.#id})` : undefined;
  }
}

/** Whether the record is the expected pass. The expiry of a revoked pass does not matter. */
function matches({ state, expiry }: ExpectedPass, record: PassRecord): boolean {
  const recorded = record.state === 'REQUESTED' ? 'ACTIVE' : record.state;
  return recorded === state && (state === 'REVOKED' || record.expiryTimestamp === expiry);
}

function describeRecord({ id, state, expiryTimestamp }: PassRecord): string {
  return `${state} until ${expiryTimestamp} (${id})`;
}
