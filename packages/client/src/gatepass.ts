import type { AuditPage, AuditQuery } from './audit.ts';
import { type AskForPass, awaitSettlement, type Deadline } from './await-settlement.ts';
import { withBookmark } from './bookmark.ts';
import {
  type AnyItem,
  type IssueItem,
  type ItemOutcome,
  type ItemResults,
  itemOf,
  outcomeOf,
  type UpdateItem,
} from './bulk.ts';
import { GatepassError, GatepassProblem, PassFailed } from './errors.ts';
import {
  demandNewPage,
  type EventPage,
  type EventPageQuery,
  eventQueryOf,
  type Following,
  iterateEvents,
} from './events.ts';
import type { CallNotice, Listener } from './notices.ts';
import {
  lastChangeOf,
  matchesUpdate,
  type Pass,
  type PassFilter,
  type PassKey,
  type PassSearch,
  type PassUpdate,
} from './pass.ts';
import { iteratePasses, type Paging, type PassPage } from './passes.ts';
import { passOf, passReplyOf, readBody, readBodyAs } from './read-reply.ts';
import { type Retries, withRetries } from './retries.ts';
import { sandboxOf } from './sandbox.ts';
import { type Fetch, sendWith } from './send.ts';
import { createService, type Options, pathOf, requestOptions } from './service.ts';
import { rulesOf, subjectsOf } from './subjects.ts';
import { type Credentials, clientCredentials, type Token, withToken } from './token.ts';
import type { Usage, UsageQuery } from './usage.ts';
import { webhooksOf } from './webhooks.ts';

export type { AuditEntry, AuditPage, AuditQuery } from './audit.ts';
export type { IssueItem, ItemOutcome, UpdateItem } from './bulk.ts';
export * from './errors.ts';
export type {
  DeliveredEvent,
  EventFilter,
  EventPage,
  EventPageQuery,
  FeedEvent,
  FeedEventData,
  FeedNotice,
  FeedType,
  Following,
  LaterFeedEvent,
  PassFeedEvent,
  TestDelivery,
} from './events.ts';
export { NETWORKS } from './networks.ts';
export type * from './pass.ts';
export type { EventToTrigger, SandboxClock, TriggeredEvent } from './sandbox.ts';
export { type SignedDelivery, signWebhook } from './sign-webhook.ts';
export {
  type ChangedSubject,
  type Rules,
  type RulesUpdate,
  type Subject,
  type SubjectCounts,
  type SubjectDeadline,
  SubjectNotSettled,
  type SubjectOutcome,
  type SubjectProgress,
  SubjectSuperseded,
  type SubjectUpdate,
} from './subjects.ts';
export type { Usage, UsageQuery } from './usage.ts';
export {
  type PassVerification,
  type SignedVerdict,
  signedVerdict,
  VerdictNotSigned,
  type VerdictOptions,
  type VerifyOptions,
  verify,
} from './verify.ts';
export {
  type ReceivedDelivery,
  type Verification,
  verifyWebhook,
} from './verify-webhook.ts';
export { VERSION } from './version.ts';
export type {
  CreatedWebhook,
  Delivery,
  DeliveryPage,
  NewWebhook,
  RotatedSecret,
  TestedWebhook,
  Webhook,
  WebhookUpdate,
} from './webhooks.ts';
export type { CallNotice, Credentials, Deadline, Fetch, Listener, Options, Paging, Retries, Token };

/** The address of the service, and the credentials of an OAuth client or a source of tokens. */
export type GatepassOptions = {
  /** Origin and base path. */
  readonly baseUrl: string;
  readonly retries?: Retries;
  /**
   * Replaces the platform's `fetch` for requests to the service. The credentials have a separate one for token requests. It is called
   * without a `this`, so for a service binding write `(url, init) => env.GATEPASS.fetch(url, init)`.
   */
  readonly fetch?: Fetch;
  /** Hears of each request, answer and retry, also of requests for tokens: for a log or for metrics. It gets no token and no secret. */
  readonly on?: Listener;
} & ({ readonly credentials: Credentials } | { readonly token: Token });

export type Gatepass = ReturnType<typeof createGatepass>;

type Abortable = { readonly signal?: AbortSignal };

/** Why the caller asks for the change, for the audit trail. */
type WithReason = { readonly reason?: string | undefined };

/** The expiry, the reference and the subject of a pass to issue. */
type NewPass = {
  /** Unix seconds, in the future. It overrides the partner's default lifetime. */
  readonly expiryTimestamp?: number | undefined;
  /** Your own name for the pass: no personal data. `update` changes it. */
  readonly reference?: string | undefined;
  /** Your own name for the person who has the wallet: random or keyed, and no personal data. `subjects` changes all its passes. */
  readonly subject?: string | undefined;
};

const PASS = '/pass/{chain}/{chainNetwork}/{wallet}';
/** The time of a call, in milliseconds, includes the wait for its token. */
const TOKEN_RETRIES = { times: 2, withinMs: 10_000, attemptMs: 5_000 };
/** A change waits until the issuance is final, which takes a quarter of an hour on some networks. */
const CHANGE_TIMEOUT_MS = 20 * 60_000;

/**
 * The operations of the service. They throw GatepassProblem if the service refuses, GatepassTokenError if no token is available, and
 * GatepassUnreachable if there is no answer after all retries. Throws GatepassError at once if `baseUrl` or `tokenUrl` is not a
 * URL.
 */
export function createGatepass(options: GatepassOptions) {
  const { baseUrl, retries, fetch, on } = options;
  demandUrl('baseUrl', baseUrl);
  if ('credentials' in options) demandUrl('tokenUrl', options.credentials.tokenUrl);
  const token = 'token' in options ? options.token : tokenSourceFor(options.credentials, on);
  const send = withRetries(sendWith(fetch), retries, { to: 'service', on });
  const service = createService(baseUrl, withBookmark(withToken(send, token)));

  const ask = {
    issue({ chain, walletAddress }: PassKey, { expiryTimestamp, reference, subject, ...options }: Options & NewPass) {
      const path = { chain: chain.type, chainNetwork: chain.network };
      const body = {
        walletAddress,
        ...(expiryTimestamp !== undefined && { expiryTimestamp }),
        ...(reference !== undefined && { reference }),
        ...(subject !== undefined && { subject }),
      };
      return passReplyOf(service.POST('/pass/{chain}/{chainNetwork}', { ...requestOptions(path, options), body }));
    },
    get: (pass: PassKey | Pass, options: Options) =>
      passReplyOf(service.GET(PASS, requestOptions(pathOf(pass), options))),
    update: (pass: PassKey | Pass, body: PassUpdate, options: Options) =>
      passReplyOf(service.PATCH(PASS, { ...requestOptions(pathOf(pass), options), body })),
    revoke(pass: PassKey | Pass, { reason, ...options }: Options & WithReason) {
      const { params, ...request } = requestOptions(pathOf(pass), options);
      const query = reason === undefined ? {} : { reason };
      return passReplyOf(service.DELETE(PASS, { ...request, params: { ...params, query } }));
    },
  };

  async function settlePass(
    key: PassKey | Pass,
    first: AskForPass,
    isRight: (pass: Pass) => boolean,
    deadline: Deadline,
  ) {
    const pass = await awaitSettlement(first, (options) => ask.get(key, options), deadline);
    if (!isRight(pass)) throw new PassFailed(pass);
    return pass;
  }

  /** Resolves to the pass when the chain has the requested state. */
  function changePass(
    key: PassKey | Pass,
    first: AskForPass,
    update: PassUpdate,
    { withinMs = CHANGE_TIMEOUT_MS, ...more }: Deadline,
  ) {
    return settlePass(key, first, (pass) => matchesUpdate(pass, update), { withinMs, ...more });
  }

  async function searchPage(search: PassSearch = {}, { signal }: Abortable = {}): Promise<PassPage> {
    const { records, ...page } = await readBody(service.POST('/pass', { body: search, signal: signal ?? null }));
    return { ...page, passes: records.map(passOf) };
  }

  async function eventPage(query: EventPageQuery = {}, { signal }: Abortable = {}): Promise<EventPage> {
    const asked = service.GET('/events', { params: { query: eventQueryOf(query) }, signal: signal ?? null });
    const page = await readBodyAs<EventPage>(asked);
    const after = typeof query.after === 'number' ? query.after : undefined;
    demandNewPage(after, { ...page, numbers: page.events.map(({ sequence }) => sequence) });
    return page;
  }

  async function sendItems(method: 'POST' | 'PATCH', items: readonly AnyItem[], { signal }: Abortable) {
    const asked = { body: { items: items.map(itemOf) }, signal: signal ?? null };
    const sent = method === 'POST' ? service.POST('/passes', asked) : service.PATCH('/passes', asked);
    const { results } = await readBodyAs<ItemResults>(sent);
    return results.map(outcomeOf);
  }

  return {
    /**
     * Starts the issuance of a pass, and returns the pass as it is. A repeated call changes nothing, except that it tries a rejected pass
     * again and renews an expired one. The service refuses another expiry than the one requested last, and another
     * reference or subject than that of the pass: `update` changes them.
     */
    issue: async (pass: PassKey, options: Options & NewPass = {}): Promise<Pass> =>
      (await ask.issue(pass, options)).pass,

    /**
     * Issues a pass, and returns it when it is `ACTIVE` on chain. Throws PassFailed if it is settled in another state or with another
     * expiry than the given one, and PassNotSettled when the time is over.
     */
    issueAndWait: (
      pass: PassKey,
      { expiryTimestamp, reference, subject, ...deadline }: Deadline & NewPass = {},
    ): Promise<Pass> =>
      settlePass(
        pass,
        (options) => ask.issue(pass, { ...options, expiryTimestamp, reference, subject }),
        (settled) => isIssued(settled) && matchesUpdate(settled, { expiryTimestamp }),
        deadline,
      ),

    /** Returns the pass of a wallet; undefined if it has none. */
    async get(pass: PassKey | Pass, options: Options = {}): Promise<Pass | undefined> {
      try {
        return (await ask.get(pass, options)).pass;
      } catch (fault) {
        if (fault instanceof GatepassProblem && fault.code === 'pass_not_found') return undefined;
        throw fault;
      }
    },

    /** Freezes, unfreezes or revokes a pass, or changes its expiry, its reference or its subject. Returns when the service has stored the change. */
    update: async (pass: PassKey | Pass, update: PassUpdate, options: Options = {}): Promise<Pass> =>
      (await ask.update(pass, update, options)).pass,

    /**
     * The same, and returns when the chain has the change. Throws like `issueAndWait`. One exception: on networks of type `ethereum`, the
     * contract accepts no new expiry of a frozen pass. The service stores it until the pass is unfrozen, and this call returns at once.
     */
    updateAndWait: (pass: PassKey | Pass, update: PassUpdate, deadline: Deadline = {}): Promise<Pass> =>
      changePass(pass, (options) => ask.update(pass, update, options), update, deadline),

    /** Revokes a pass permanently. Returns when the service has stored the revocation. */
    revoke: async (pass: PassKey | Pass, options: Options & WithReason = {}): Promise<Pass> =>
      (await ask.revoke(pass, options)).pass,

    /** The same, and returns when the chain has it. Throws like `issueAndWait`. */
    revokeAndWait: (pass: PassKey | Pass, { reason, ...deadline }: Deadline & WithReason = {}): Promise<Pass> =>
      changePass(pass, (options) => ask.revoke(pass, { ...options, reason }), { state: 'REVOKED' }, deadline),

    /**
     * Issues 1 to 100 passes with one request, and returns the outcome of each item in order. A refused item stops no other item. Single
     * issuances go first: use `issue` if somebody waits for the pass.
     */
    issueMany: (items: readonly IssueItem[], options: Abortable = {}): Promise<ItemOutcome[]> =>
      sendItems('POST', items, options),

    /** Changes 1 to 100 passes with one request, and returns the outcome of each item in order. */
    updateMany: (items: readonly UpdateItem[], options: Abortable = {}): Promise<ItemOutcome[]> =>
      sendItems('PATCH', items, options),

    /** Makes the service read the chain, and returns the pass with the result. */
    sync: async (pass: PassKey | Pass, { signal }: Abortable = {}): Promise<Pass> =>
      passOf(await readBody(service.POST(`${PASS}/sync`, { params: { path: pathOf(pass) }, signal: signal ?? null }))),

    /** Returns the passes of one page, newest first unless the search has another order. */
    search: async (search?: PassSearch, options?: Abortable): Promise<Pass[]> =>
      (await searchPage(search, options)).passes,

    /** Returns one page of passes with the place of the next one, and with the number of all passes if the search counts. */
    searchPage,

    /** Iterates over all passes, newest first: `for await (const pass of gatepass.passes({ state: 'ACTIVE' }))`. */
    passes: (filter: PassFilter = {}, { order, ...paging }: Paging & { readonly order?: PassSearch['order'] } = {}) =>
      iteratePasses(searchPage, { filter, ...(order && { order }) }, paging),

    /**
     * Returns one page of the event feed, oldest first. Store its `next` as your cursor, especially with a filter. Throws PageRepeated if
     * the answer is not the page after the cursor.
     */
    eventPage,

    /**
     * Iterates over the events of the feed in order, and waits for new ones: `for await (const event of gatepass.events({ after }))`.
     * Throws GatepassProblem with the code `cursor_expired` and `oldest` if events after the cursor are deleted.
     */
    events: (following: Following = {}) => iterateEvents(eventPage, following),

    /** Returns the newest sequence of the feed; 0 if it never had an event. */
    newestSequence: async (options: Abortable = {}): Promise<number> =>
      (await eventPage({ after: 'newest' }, options)).next,

    /** Returns one page of the audit trail of the gatekeeper network, which has each change with its actor and its reason. */
    audit: (query: AuditQuery = {}, { signal }: Abortable = {}): Promise<AuditPage> =>
      readBodyAs(service.GET('/audit', { params: { query }, signal: signal ?? null })),

    /** Returns the passes issued, renewed and revoked in a month, and the active ones, by network. */
    usage({ month, subjects }: UsageQuery = {}, { signal }: Abortable = {}): Promise<Usage> {
      const query = { ...(month !== undefined && { month }), ...(subjects && { subjects: 'true' as const }) };
      return readBodyAs(service.GET('/usage', { params: { query }, signal: signal ?? null }));
    },

    /** Persons who have several wallets: each change of one concerns all its passes. */
    subjects: subjectsOf(service, {
      passesOf: (subject, signal) => iteratePasses(searchPage, { filter: { subject } }, { signal }),
      settle(pass, deadline) {
        const fetch = (options: Options) => ask.get(pass, options);
        return awaitSettlement(fetch, fetch, deadline);
      },
    }),

    /** The rules of the gatekeeper network for subjects. */
    rules: rulesOf(service),

    /** The webhooks of the gatekeeper network. */
    webhooks: webhooksOf(service),

    /** The clock and the events of a sandbox. */
    sandbox: sandboxOf(service),
  };
}

const tokenSourceFor = (credentials: Credentials, on: Listener | undefined): Token =>
  clientCredentials(credentials, withRetries(sendWith(credentials.fetch), TOKEN_RETRIES, { to: 'token', on }));

/** Checks a URL early, because the first call would report an empty or misspelled one only unclearly. */
function demandUrl(name: string, text: string): void {
  const isUrl = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (!isUrl) throw new GatepassError(`${name} must be a URL that begins with http`);
}

/** Whether the requested pass is valid. An expired pass whose renewal failed is still `ACTIVE`. */
function isIssued({ state, onChainState, expiryTimestamp = Number.POSITIVE_INFINITY, events }: Pass): boolean {
  const failed = lastChangeOf(events)?.eventType.endsWith('_FAILED') && expiryTimestamp * 1000 < Date.now();
  return state === 'ACTIVE' && onChainState === 'ACTIVE' && !failed;
}
