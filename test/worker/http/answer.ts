import * as v from 'valibot';
import { expect } from 'vitest';
import { expectProblemDocument, expectProblemHeaders, type Problem } from '../../problem.ts';
import { expectDeclared } from './expect-declared.ts';

/** Checks of replies: the pass record of the interface, and the rules that every reply follows. */

const text = v.pipe(v.string(), v.nonEmpty());
const UnixSeconds = v.pipe(v.number(), v.integer(), v.minValue(1_700_000_000), v.maxValue(253_402_300_799));

const Transaction = v.strictObject({ identifier: text, status: v.picklist(['sent', 'confirmed', 'failed']) });
const PassRecord = v.strictObject({
  id: text,
  chain: v.strictObject({ type: v.picklist(['solana', 'ethereum']), network: text }),
  gatekeeperNetwork: text,
  walletAddress: text,
  events: v.array(
    v.pipe(
      v.strictObject({
        eventType: text,
        timestamp: UnixSeconds,
        transaction: v.optional(Transaction),
        reason: v.optional(text),
        requestId: v.optional(v.pipe(v.string(), v.uuid())),
        byOthers: v.optional(v.strictObject({ gatekeeper: v.optional(text) })),
      }),
      // The tests of the audit trail read the ids of requests, which no other test knows.
      v.transform(({ requestId: _, ...event }) => event),
    ),
  ),
  onChainState: v.picklist(['NONE', 'ACTIVE', 'FROZEN', 'REVOKED']),
  state: v.picklist(['REQUESTED', 'ACTIVE', 'FROZEN', 'REVOKED', 'REJECTED']),
  contract: text,
  expiryTimestamp: v.optional(UnixSeconds),
  reference: v.optional(text),
  subject: v.optional(text),
});
/** `validity.full.test.ts` and `waits-for.test.ts` read the fields of the moment, which differ from one read to the next. */
const MOMENT = { valid: v.boolean(), validUntil: v.optional(UnixSeconds), waitsFor: v.optional(v.looseObject({})) };
const Shown = v.pipe(
  v.strictObject({ ...PassRecord.entries, ...MOMENT }),
  v.transform(({ valid: _, validUntil: __, waitsFor: ___, ...record }) => record),
);
/** The reply to PATCH: the record, and the field `status` that clients of the hosted service expect. */
const Updated = v.strictObject({ ...PassRecord.entries, ...MOMENT, status: v.literal('ok') });
const Found = v.strictObject({
  records: v.array(Shown),
  next: v.optional(text),
  count: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1_000))),
  countIsMinimum: v.optional(v.literal(true)),
});

export type PassRecord = v.InferOutput<typeof PassRecord>;

/** A partner or the operator gets JSON, and a scraper of the metrics its own format. */
const ANSWER_BODY = /^application\/(json\b|openmetrics-text; version=1\.0\.0; charset=utf-8$)/;
/** Public routes and routes for browsers have other content types. */
const FILE = /^(application\/json|(text\/(html|css|javascript|plain)|image\/(png|svg\+xml))(; charset=utf-8)?)$/;
/** An unknown page or file of the documents is answered with a page. */
const PAGE = /^(?:\/partner)?\/docs\/(?:[a-z-]+|[\w@./-]+\.(?:css|js|json|svg|txt))$/;
const isFile = (headers: Headers) => /^public\b/.test(headers.get('cache-control') ?? '');

/** A reply that passed the common checks. Its body is checked when a test reads it. */
export class Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;

  constructor({ status, headers }: Response, body: string, method: string, path: string, basePath = '') {
    this.status = status;
    this.headers = headers;
    this.text = body;
    expect(headers.get('x-request-id'), 'X-Request-Id').toMatch(/^\S+$/);
    if (status === 204 || status === 304) expect([body, headers.get('content-type')]).toEqual(['', null]);
    else if (status === 302)
      expect([body, headers.get('location')]).toEqual([
        '',
        expect.stringMatching(/\/(docs\/|console|console\/callback\?.*)$/),
      ]);
    else if (status === 404 && isFile(headers)) expect(path).toMatch(PAGE);
    else if (status >= 300) this.#expectProblem(method);
    else expect(headers.get('content-type')).toMatch(isFile(headers) ? FILE : ANSWER_BODY);
    expectDeclared({ method, path, basePath, status, headers, text: body });
  }

  get record(): PassRecord {
    return v.parse(Shown, this.#json);
  }

  /** The record in the reply to PATCH. */
  get updated(): PassRecord {
    const { status, valid, validUntil, waitsFor, ...record } = v.parse(Updated, this.#json);
    return record;
  }

  get records(): PassRecord[] {
    return v.parse(Found, this.#json).records;
  }

  get problem(): Problem {
    return expectProblemDocument(this);
  }

  /** The reply to a search without its records. */
  get page(): Omit<v.InferOutput<typeof Found>, 'records'> {
    const { records: _, ...page } = v.parse(Found, this.#json);
    return page;
  }

  get #json(): unknown {
    return JSON.parse(this.text);
  }

  #expectProblem(method: string): void {
    // A reply to HEAD has only headers.
    if (method === 'HEAD') expectProblemHeaders(this);
    else expectProblemDocument(this);
  }
}
