import { bodyOf, passOf, told } from './answer.ts';
import { bookmarked } from './bookmark.ts';
import { GatepassError, GatepassProblem, PassFailed } from './errors.ts';
import type { Pass, PassFilter, PassKey, PassSearch, PassUpdate } from './pass.ts';
import { type Paging, passesBy } from './passes.ts';
import { type Retries, retrying } from './retries.ts';
import { type Fetch, sending } from './send.ts';
import { about, type Options, pathOf, serviceAt } from './service.ts';
import { type Ask, type Deadline, untilSettled } from './settled.ts';
import { authorized, type Credentials, clientCredentials, type Token } from './token.ts';

export * from './errors.ts';
export type * from './pass.ts';
export type { Credentials, Deadline, Fetch, Options, Paging, Retries, Token };

/** Where the service is, and who calls it: an OAuth client, or somebody who gets tokens elsewhere. */
export type GatepassOptions = {
  /** Origin and base path. */
  readonly baseUrl: string;
  readonly retries?: Retries;
  /** In place of the platform's: a service binding's, or one that goes through a proxy. */
  readonly fetch?: Fetch;
} & ({ readonly credentials: Credentials } | { readonly token: Token });

export type Gatepass = ReturnType<typeof createGatepass>;

type Abortable = { readonly signal?: AbortSignal };

const PASS = '/pass/{chain}/{chainNetwork}/{wallet}';
/** A call waits for its token. */
const FOR_A_TOKEN = { times: 2, withinMs: 10_000, attemptMs: 5_000 };

/**
 * The service's operations. They throw GatepassProblem when it refuses, GatepassTokenError when no token is to be had, and
 * GatepassUnreachable when nobody answers: then it has been tried again already, if that had any sense. Throws GatepassError
 * at once where `baseUrl` or `tokenUrl` is none.
 */
export function createGatepass(options: GatepassOptions) {
  const { baseUrl, retries, fetch = (url, init) => globalThis.fetch(url, init) } = options;
  demandUrl('baseUrl', baseUrl);
  if ('credentials' in options) demandUrl('tokenUrl', options.credentials.tokenUrl);
  const send = sending(fetch);
  const token =
    'token' in options ? options.token : clientCredentials(options.credentials, retrying(send, FOR_A_TOKEN));
  const service = serviceAt(baseUrl, bookmarked(authorized(retrying(send, retries), token)));

  const ask = {
    issue({ chain, walletAddress }: PassKey, options: Options) {
      const path = { chain: chain.type, chainNetwork: chain.network };
      return told(service.POST('/pass/{chain}/{chainNetwork}', { ...about(path, options), body: { walletAddress } }));
    },
    get: (pass: PassKey | Pass, options: Options) => told(service.GET(PASS, about(pathOf(pass), options))),
    update: (pass: PassKey | Pass, body: PassUpdate, options: Options) =>
      told(service.PATCH(PASS, { ...about(pathOf(pass), options), body })),
    revoke: (pass: PassKey | Pass, options: Options) => told(service.DELETE(PASS, about(pathOf(pass), options))),
  };

  async function settled(key: PassKey | Pass, first: Ask, isRight: (pass: Pass) => boolean, deadline: Deadline) {
    const pass = await untilSettled(first, (options) => ask.get(key, options), deadline);
    if (!isRight(pass)) throw new PassFailed(pass);
    return pass;
  }

  async function search(search: PassSearch = {}, { signal }: Abortable = {}): Promise<Pass[]> {
    const { records } = await bodyOf(service.POST('/pass', { body: search, signal: signal ?? null }));
    return records.map(passOf);
  }

  return {
    /** Starts the issuance of a pass, and answers with the pass as it stands. Asking again changes nothing. */
    issue: async (pass: PassKey, options: Options = {}): Promise<Pass> => (await ask.issue(pass, options)).pass,

    /**
     * Issues a pass, and answers when it is `ACTIVE` on the chain. Throws PassFailed when it has come to another end, and
     * PassNotSettled when the time is over.
     */
    issueAndWait: (pass: PassKey, deadline: Deadline = {}): Promise<Pass> =>
      settled(pass, (options) => ask.issue(pass, options), isGood, deadline),

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

    /** The same, and answers when the chain has it. Throws as `issueAndWait` does. */
    updateAndWait: (pass: PassKey | Pass, update: PassUpdate, deadline: Deadline = {}): Promise<Pass> =>
      settled(
        pass,
        (options) => ask.update(pass, update, options),
        (settled) => shows(settled, update),
        deadline,
      ),

    /** Revokes a pass for good; answers when that is stored. */
    revoke: async (pass: PassKey | Pass, options: Options = {}): Promise<Pass> =>
      (await ask.revoke(pass, options)).pass,

    /** The same, and answers when the chain has it. Throws as `issueAndWait` does. */
    revokeAndWait: (pass: PassKey | Pass, deadline: Deadline = {}): Promise<Pass> =>
      settled(
        pass,
        (options) => ask.revoke(pass, options),
        (settled) => shows(settled, { state: 'REVOKED' }),
        deadline,
      ),

    /** Has the service read the chain, and answers with what it found. */
    sync: async (pass: PassKey | Pass, { signal }: Abortable = {}): Promise<Pass> =>
      passOf(await bodyOf(service.POST(`${PASS}/sync`, { params: { path: pathOf(pass) }, signal: signal ?? null }))),

    /** One page of passes, newest first. */
    search,

    /** All passes, newest first: `for await (const pass of gatepass.passes({ state: 'ACTIVE' }))`. */
    passes: (filter: PassFilter = {}, paging: Paging = {}) => passesBy(search, filter, paging),
  };
}

/** Of what is empty or misspelt only the first call would tell, and not well. */
function demandUrl(name: string, text: string): void {
  const isUrl = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (!isUrl) throw new GatepassError(`${name} must be a URL that begins with http`);
}

/** Whether a pass that was asked for is one. An expired one whose renewal failed is still `ACTIVE`. */
function isGood({ state, onChainState, expiryTimestamp = Number.POSITIVE_INFINITY, events }: Pass): boolean {
  const failed = events.at(-1)?.eventType.endsWith('_FAILED') && expiryTimestamp * 1000 < Date.now();
  return state === 'ACTIVE' && onChainState === 'ACTIVE' && !failed;
}

function shows(pass: Pass, { state, expiryTimestamp }: PassUpdate): boolean {
  return (
    (state === undefined || pass.state === state) &&
    (expiryTimestamp === undefined || pass.expiryTimestamp === expiryTimestamp)
  );
}
