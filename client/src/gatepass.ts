import { type AskForPass, awaitSettlement, type Deadline } from './await-settlement.ts';
import { withBookmark } from './bookmark.ts';
import { GatepassError, GatepassProblem, PassFailed } from './errors.ts';
import type { Pass, PassFilter, PassKey, PassSearch, PassUpdate } from './pass.ts';
import { iteratePasses, type Paging } from './passes.ts';
import { passOf, passReplyOf, readBody } from './read-reply.ts';
import { type Retries, withRetries } from './retries.ts';
import { type Fetch, sendWith } from './send.ts';
import { createService, type Options, pathOf, requestOptions } from './service.ts';
import { type Credentials, clientCredentials, type Token, withToken } from './token.ts';

export * from './errors.ts';
export type * from './pass.ts';
export type { Credentials, Deadline, Fetch, Options, Paging, Retries, Token };

/** Where the service is, and who calls it: an OAuth client, or somebody who gets tokens elsewhere. */
export type GatepassOptions = {
  /** Origin and base path. */
  readonly baseUrl: string;
  readonly retries?: Retries;
  /**
   * Asks the service in place of the platform's; nobody else: that of the token stands with the credentials. It is called without
   * a `this`, so of a service binding it is `(url, init) => env.GATEPASS.fetch(url, init)`.
   */
  readonly fetch?: Fetch;
} & ({ readonly credentials: Credentials } | { readonly token: Token });

export type Gatepass = ReturnType<typeof createGatepass>;

type Abortable = { readonly signal?: AbortSignal };

const PASS = '/pass/{chain}/{chainNetwork}/{wallet}';
/** A call waits for its token. */
const TOKEN_RETRIES = { times: 2, withinMs: 10_000, attemptMs: 5_000 };
/** A change is sent when the issuance is final, which takes a quarter of an hour on some networks. */
const CHANGE_TIMEOUT_MS = 20 * 60_000;

/**
 * The service's operations. They throw GatepassProblem when it refuses, GatepassTokenError when no token is to be had, and
 * GatepassUnreachable when nobody answers: then it has been tried again already, if that had any sense. Throws GatepassError
 * at once where `baseUrl` or `tokenUrl` is none.
 */
export function createGatepass(options: GatepassOptions) {
  const { baseUrl, retries, fetch } = options;
  demandUrl('baseUrl', baseUrl);
  if ('credentials' in options) demandUrl('tokenUrl', options.credentials.tokenUrl);
  const token = 'token' in options ? options.token : tokenSourceFor(options.credentials);
  const service = createService(baseUrl, withBookmark(withToken(withRetries(sendWith(fetch), retries), token)));

  const ask = {
    issue({ chain, walletAddress }: PassKey, options: Options) {
      const path = { chain: chain.type, chainNetwork: chain.network };
      return passReplyOf(
        service.POST('/pass/{chain}/{chainNetwork}', { ...requestOptions(path, options), body: { walletAddress } }),
      );
    },
    get: (pass: PassKey | Pass, options: Options) =>
      passReplyOf(service.GET(PASS, requestOptions(pathOf(pass), options))),
    update: (pass: PassKey | Pass, body: PassUpdate, options: Options) =>
      passReplyOf(service.PATCH(PASS, { ...requestOptions(pathOf(pass), options), body })),
    revoke: (pass: PassKey | Pass, options: Options) =>
      passReplyOf(service.DELETE(PASS, requestOptions(pathOf(pass), options))),
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

  /** The pass when the chain has what was wished of it. */
  function changePass(
    key: PassKey | Pass,
    first: AskForPass,
    wish: PassUpdate,
    { withinMs = CHANGE_TIMEOUT_MS, ...more }: Deadline,
  ) {
    return settlePass(key, first, (pass) => matchesUpdate(pass, wish), { withinMs, ...more });
  }

  async function search(search: PassSearch = {}, { signal }: Abortable = {}): Promise<Pass[]> {
    const { records } = await readBody(service.POST('/pass', { body: search, signal: signal ?? null }));
    return records.map(passOf);
  }

  return {
    /**
     * Starts the issuance of a pass, and answers with the pass as it stands. Asking again changes nothing, unless the chain has
     * refused it, which is tried again, or it has expired.
     */
    issue: async (pass: PassKey, options: Options = {}): Promise<Pass> => (await ask.issue(pass, options)).pass,

    /**
     * Issues a pass, and answers when it is `ACTIVE` on the chain. Throws PassFailed when it has come to another end, and
     * PassNotSettled when the time is over.
     */
    issueAndWait: (pass: PassKey, deadline: Deadline = {}): Promise<Pass> =>
      settlePass(pass, (options) => ask.issue(pass, options), isIssued, deadline),

    /** The pass of a wallet; undefined: it has none. */
    async get(pass: PassKey | Pass, options: Options = {}): Promise<Pass | undefined> {
      try {
        return (await ask.get(pass, options)).pass;
      } catch (fault) {
        if (fault instanceof GatepassProblem && fault.code === 'pass_not_found') return undefined;
        throw fault;
      }
    },

    /** Freezes, unfreezes or revokes a pass, or changes when it expires; answers when that is stored. */
    update: async (pass: PassKey | Pass, update: PassUpdate, options: Options = {}): Promise<Pass> =>
      (await ask.update(pass, update, options)).pass,

    /**
     * The same, and answers when the chain has it. Throws as `issueAndWait` does. One change the chain has later: on networks of
     * type `ethereum` the contract takes no expiry of a frozen pass. The service keeps it until the pass is unfrozen, and
     * this answers at once.
     */
    updateAndWait: (pass: PassKey | Pass, update: PassUpdate, deadline: Deadline = {}): Promise<Pass> =>
      changePass(pass, (options) => ask.update(pass, update, options), update, deadline),

    /** Revokes a pass for good; answers when that is stored. */
    revoke: async (pass: PassKey | Pass, options: Options = {}): Promise<Pass> =>
      (await ask.revoke(pass, options)).pass,

    /** The same, and answers when the chain has it. Throws as `issueAndWait` does. */
    revokeAndWait: (pass: PassKey | Pass, deadline: Deadline = {}): Promise<Pass> =>
      changePass(pass, (options) => ask.revoke(pass, options), { state: 'REVOKED' }, deadline),

    /** Has the service read the chain, and answers with what it found. */
    sync: async (pass: PassKey | Pass, { signal }: Abortable = {}): Promise<Pass> =>
      passOf(await readBody(service.POST(`${PASS}/sync`, { params: { path: pathOf(pass) }, signal: signal ?? null }))),

    /** One page of passes, newest first. */
    search,

    /** All passes, newest first: `for await (const pass of gatepass.passes({ state: 'ACTIVE' }))`. */
    passes: (filter: PassFilter = {}, paging: Paging = {}) => iteratePasses(search, filter, paging),
  };
}

const tokenSourceFor = (credentials: Credentials): Token =>
  clientCredentials(credentials, withRetries(sendWith(credentials.fetch), TOKEN_RETRIES));

/** Of what is empty or misspelt only the first call would tell, and not well. */
function demandUrl(name: string, text: string): void {
  const isUrl = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (!isUrl) throw new GatepassError(`${name} must be a URL that begins with http`);
}

/** Whether a pass that was asked for is one. An expired one whose renewal failed is still `ACTIVE`. */
function isIssued({ state, onChainState, expiryTimestamp = Number.POSITIVE_INFINITY, events }: Pass): boolean {
  const failed = events.at(-1)?.eventType.endsWith('_FAILED') && expiryTimestamp * 1000 < Date.now();
  return state === 'ACTIVE' && onChainState === 'ACTIVE' && !failed;
}

function matchesUpdate(pass: Pass, { state, expiryTimestamp }: PassUpdate): boolean {
  return (
    (state === undefined || pass.state === state) &&
    (expiryTimestamp === undefined || pass.expiryTimestamp === expiryTimestamp)
  );
}
