import * as v from 'valibot';
import { expect } from 'vitest';
import { expectDeclared } from './declared.ts';

/** What may come back: the pass record of the interface, and the problem document with its table of codes. */

const text = v.pipe(v.string(), v.nonEmpty());
const UnixSeconds = v.pipe(v.number(), v.integer(), v.minValue(1_700_000_000), v.maxValue(253_402_300_799));

const Transaction = v.strictObject({ identifier: text, status: v.picklist(['sent', 'confirmed', 'failed']) });
const PassRecord = v.strictObject({
  id: text,
  chain: v.strictObject({ type: v.picklist(['solana', 'ethereum']), network: text }),
  gatekeeperNetwork: text,
  walletAddress: text,
  events: v.array(
    v.strictObject({
      eventType: text,
      timestamp: UnixSeconds,
      transaction: v.optional(Transaction),
      reason: v.optional(text),
    }),
  ),
  onChainState: v.picklist(['NONE', 'ACTIVE', 'FROZEN', 'REVOKED']),
  state: v.picklist(['REQUESTED', 'ACTIVE', 'FROZEN', 'REVOKED', 'REJECTED']),
  expiryTimestamp: v.optional(UnixSeconds),
});
/** What PATCH answers: the record, and a word that clients of the hosted service look for. */
const Updated = v.strictObject({ ...PassRecord.entries, status: v.literal('ok') });
const Found = v.strictObject({ records: v.array(PassRecord) });

const Problem = v.strictObject({
  type: text,
  title: text,
  status: v.number(),
  detail: text,
  code: text,
  requestId: text,
  errors: v.optional(v.array(v.strictObject({ pointer: v.pipe(v.string(), v.regex(/^(\/|$)/)), detail: text }))),
});

export type PassRecord = v.InferOutput<typeof PassRecord>;
export type Problem = v.InferOutput<typeof Problem>;

const CODES: Readonly<Record<number, readonly string[]>> = {
  400: ['invalid_json', 'invalid_request', 'unknown_network', 'invalid_wallet', 'network_not_enabled'],
  401: ['token_missing', 'token_invalid'],
  403: ['insufficient_scope', 'client_unknown', 'partner_suspended', 'network_not_allowed'],
  404: ['not_found', 'pass_not_found'],
  405: ['method_not_allowed'],
  409: ['pass_frozen', 'pass_revoked', 'pass_rejected', 'pass_expired', 'issued_by_another_gatekeeper'],
  413: ['body_too_large'],
  415: ['unsupported_media_type'],
  429: ['rate_limited', 'quota_reached'],
  500: ['internal_error'],
  503: ['temporarily_unavailable'],
};
/** Problems of these codes say which field is wrong. */
const VALIDATION = ['invalid_request', 'invalid_wallet'];
/** What a client needs beside the problem document itself. */
const NEEDED_HEADER: Readonly<Record<number, [name: string, form: RegExp]>> = {
  401: ['www-authenticate', /^Bearer( |$)/],
  403: ['www-authenticate', /^Bearer( |$)/],
  405: ['allow', /^[A-Z]+(, [A-Z]+)*$/],
  429: ['retry-after', /^[1-9]\d*$/],
  503: ['retry-after', /^[1-9]\d*$/],
};

const JSON_BODY = /^application\/json\b/;
/** What is for everybody, and for browsers, has types of its own. */
const FILE = /^(application\/json|(text\/(html|css|javascript|plain)|image\/svg\+xml)(; charset=utf-8)?)$/;
const isFile = (headers: Headers) => /^public\b/.test(headers.get('cache-control') ?? '');

/** An answer that has been checked for what every answer promises; what it holds is checked when it is asked for. */
export class Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;

  constructor({ status, headers }: Response, body: string, method: string, path: string) {
    this.status = status;
    this.headers = headers;
    this.text = body;
    expect(headers.get('x-request-id'), 'X-Request-Id').toMatch(/^\S+$/);
    if (status === 304) expect([body, headers.get('content-type')]).toEqual(['', null]);
    else if (status === 302) expect([body, headers.get('location')]).toEqual(['', expect.stringMatching(/\/docs$/)]);
    else if (status >= 300) this.#checkProblem(method);
    else expect(headers.get('content-type')).toMatch(isFile(headers) ? FILE : JSON_BODY);
    expectDeclared({ method, path, status, headers, text: body });
  }

  get record(): PassRecord {
    return v.parse(PassRecord, this.#json);
  }

  /** The record in the answer to PATCH. */
  get updated(): PassRecord {
    const { status, ...record } = v.parse(Updated, this.#json);
    return record;
  }

  get records(): PassRecord[] {
    return v.parse(Found, this.#json).records;
  }

  get problem(): Problem {
    return v.parse(Problem, this.#json);
  }

  get #json(): unknown {
    return JSON.parse(this.text);
  }

  #checkProblem(method: string): void {
    expect(this.headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
    const [header, form] = NEEDED_HEADER[this.status] ?? [];
    // An answer to HEAD has the headers alone.
    if (method !== 'HEAD') {
      const { status, code, requestId, errors } = this.problem;
      expect(status).toBe(this.status);
      expect(CODES[status], `${status} ${code} is in the table`).toContain(code);
      expect(requestId).toBe(this.headers.get('x-request-id'));
      if (VALIDATION.includes(code)) expect(errors ?? [], `${code} names fields`).not.toHaveLength(0);
    }
    if (header && form) expect(this.headers.get(header) ?? '', `${header} of a ${this.status}`).toMatch(form);
  }
}
