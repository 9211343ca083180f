import type { Deadline } from './await-settlement.ts';
import { GatepassError, GatepassProblem, PassNotSettled } from './errors.ts';
import { lastChangeOf, matchesUpdate, type Pass } from './pass.ts';
import { readBodyAs } from './read-reply.ts';
import type { components } from './schema.ts';
import type { Service } from './service.ts';
import { limitSignal, waitFor } from './time.ts';

type Schemas = components['schemas'];

/** A subject and a page of its passes, newest first. Later releases may add fields and values. */
export type Subject = Schemas['Subject'];
/** A subject whose change is accepted. */
export type ChangedSubject = Schemas['ChangedSubject'];
/** A change of all passes of a subject, and how far it has come. */
export type SubjectProgress = Schemas['SubjectProgress'];
/** Either a new state of the subject, or a new expiry of all its passes in Unix seconds. */
export type SubjectUpdate = { readonly reason?: string | undefined } & (
  | { readonly state: NonNullable<Schemas['SubjectChangeRequest']['state']>; readonly expiryTimestamp?: undefined }
  | { readonly expiryTimestamp: number; readonly state?: undefined }
);
/** The rules of the gatekeeper network for subjects. An absent one does not apply. */
export type Rules = Schemas['Rules'];
/** The rules to change. An absent one stays, and null ends it. */
export type RulesUpdate = Schemas['RulesRequest'];

/** How many passes a change concerns, how many of them have followed it, and how many of those the chain has. */
export interface SubjectCounts {
  readonly total: number;
  readonly followed: number;
  readonly settled: number;
}

/** How long to wait for the passes of a subject. */
export interface SubjectDeadline extends Deadline {
  /** Hears how far the change is, several times. */
  readonly onProgress?: ((counts: SubjectCounts) => void) | undefined;
}

/** The end of a change. Its `request` has the number of passes that could not follow, by the code of the problem. */
export interface SubjectOutcome {
  readonly request: SubjectProgress;
  /** Passes that are settled without the change: the chain refused it, or somebody has changed the pass since. */
  readonly failed: Pass[];
}

/** The time was over before the chain had the change of all passes of a subject. The service continues its work. */
export class SubjectNotSettled extends GatepassError {
  override name = 'SubjectNotSettled';

  constructor(subject: string) {
    super(`the passes of ${subject} have not settled yet`);
  }
}

/** A newer request has replaced a change of a subject: its passes end in the newest state. */
export class SubjectSuperseded extends GatepassError {
  override name = 'SubjectSuperseded';

  constructor(subject: string) {
    super(`a newer request has replaced this change of ${subject}`);
  }
}

type Abortable = { readonly signal?: AbortSignal };

interface PassReaders {
  /** Iterates over the passes of a subject. */
  passesOf(subject: string, signal: AbortSignal): AsyncIterable<Pass>;
  /** Resolves to the pass when it is settled. */
  settle(pass: Pass, deadline: Deadline): Promise<Pass>;
}

const SUBJECT = '/subjects/{subject}';
/** As for a change of one pass. */
const CHANGE_TIMEOUT_MS = 20 * 60_000;
const FIRST_PAUSE_MS = 250;
/** Shows the progress without using up the reads that the service allows within ten seconds. */
const PAUSE_MAX_MS = 2_000;

/** The operations on all passes of a subject. They throw like all operations. */
export function subjectsOf(service: Service, { passesOf, settle }: PassReaders) {
  const about = (subject: string, { signal }: { readonly signal?: AbortSignal | undefined }) => ({
    params: { path: { subject } },
    signal: signal ?? null,
  });
  const ask = {
    get(subject: string, query: { after?: string; limit?: number }, options: Abortable): Promise<Subject> {
      const { params, signal } = about(subject, options);
      return readBodyAs(service.GET(SUBJECT, { params: { ...params, query }, signal }));
    },
    update(subject: string, { state, expiryTimestamp, reason }: SubjectUpdate, options: Abortable) {
      const change = state === undefined ? { expiryTimestamp } : { state };
      const body = { ...change, ...(reason !== undefined && { reason }) };
      return readBodyAs<ChangedSubject>(service.PATCH(SUBJECT, { ...about(subject, options), body }));
    },
  };

  /** Waits until each pass has followed, and returns the request at its end. */
  async function awaitPasses(subject: string, first: SubjectProgress, { signal, onProgress }: SubjectDeadline) {
    const isSame = (each: SubjectProgress) =>
      each.requestedAt === first.requestedAt && each.requestId === first.requestId;
    let request: SubjectProgress | undefined = first;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS)) {
      if (request === undefined) throw new SubjectSuperseded(subject);
      onProgress?.({ total: request.total, followed: request.done, settled: 0 });
      if (request.finishedAt !== undefined) return request;
      await waitFor(pauseMs, signal);
      request = (await ask.get(subject, { limit: 1 }, { ...(signal && { signal }) })).requests.find(isSame);
    }
  }

  async function awaitChange(
    subject: string,
    change: SubjectUpdate,
    { withinMs = CHANGE_TIMEOUT_MS, signal: given, onProgress }: SubjectDeadline,
  ): Promise<SubjectOutcome> {
    const until = performance.now() + withinMs;
    const signal = limitSignal(given, withinMs);
    try {
      const { requests } = await ask.update(subject, change, { signal });
      const first = requests.find(({ state }) => state === change.state);
      if (first === undefined) throw new SubjectSuperseded(subject);
      const request = await awaitPasses(subject, first, { signal, onProgress });
      const failed: Pass[] = [];
      let settled = 0;
      for await (const known of passesOf(subject, signal)) {
        const isKnown = showsChange(known, change);
        const pass = isKnown
          ? known
          : await settle(known, { withinMs: Math.max(0, until - performance.now()), signal });
        if (!isKnown && hasFailed(pass, change)) failed.push(pass);
        settled += 1;
        onProgress?.({ total: request.total, followed: request.done, settled });
      }
      return { request, failed };
    } catch (fault) {
      const isOver = fault instanceof PassNotSettled || signal.aborted;
      if (isOver && !given?.aborted) throw new SubjectNotSettled(subject);
      throw fault;
    }
  }

  return {
    /**
     * Returns a subject with the progress of its newest changes and a page of its passes; undefined if no pass has it.
     * `gatepass.passes({ subject })` iterates over all its passes.
     */
    async get(
      subject: string,
      query: { after?: string; limit?: number } = {},
      options: Abortable = {},
    ): Promise<Subject | undefined> {
      try {
        return await ask.get(subject, query, options);
      } catch (fault) {
        if (fault instanceof GatepassProblem && fault.code === 'subject_not_found') return undefined;
        throw fault;
      }
    },

    /** Freezes, unfreezes, renews or revokes all passes of a subject. Returns when the service has stored the change. */
    update: (subject: string, update: SubjectUpdate, options: Abortable = {}): Promise<ChangedSubject> =>
      ask.update(subject, update, options),

    /**
     * The same, and returns when the chain has the change of each pass that could follow. Throws SubjectSuperseded if a newer request
     * replaces the change, and SubjectNotSettled when the time is over.
     */
    updateAndWait: (subject: string, update: SubjectUpdate, deadline: SubjectDeadline = {}): Promise<SubjectOutcome> =>
      awaitChange(subject, update, deadline),

    /** Revokes a subject and all its passes permanently. Returns when the service has stored the revocation. */
    revoke(subject: string, { reason, ...options }: Abortable & { readonly reason?: string | undefined } = {}) {
      const { params, signal } = about(subject, options);
      const query = reason === undefined ? {} : { reason };
      return readBodyAs<ChangedSubject>(service.DELETE(SUBJECT, { params: { ...params, query }, signal }));
    },

    /** The same, and returns when the chain has it. Throws like `updateAndWait`. */
    revokeAndWait: (
      subject: string,
      { reason, ...deadline }: SubjectDeadline & { readonly reason?: string | undefined } = {},
    ): Promise<SubjectOutcome> => awaitChange(subject, { state: 'REVOKED', reason }, deadline),
  };
}

/** The operations on the rules of the gatekeeper network. They throw like all operations. */
export function rulesOf(service: Service) {
  return {
    /** Returns the rules. */
    get: ({ signal }: Abortable = {}): Promise<Rules> => readBodyAs(service.GET('/rules', { signal: signal ?? null })),

    /** Changes rules, and returns all of them. Every location follows within 60 seconds. */
    update: (body: RulesUpdate, { signal }: Abortable = {}): Promise<Rules> =>
      readBodyAs(service.PATCH('/rules', { body, signal: signal ?? null })),
  };
}

/** Whether the record of a pass alone shows that nothing is left to do. It shows a new expiry before its transaction begins. */
function showsChange({ state, onChainState }: Pass, { state: wanted }: SubjectUpdate): boolean {
  if (state === 'REJECTED') return true;
  return state === onChainState && (state === 'REVOKED' || state === wanted);
}

/** Whether a settled pass lacks the change. The end of a freeze, and a renewal, need not concern each pass. */
function hasFailed(pass: Pass, change: SubjectUpdate): boolean {
  if (['REVOKED', 'REJECTED'].includes(pass.state) || matchesUpdate(pass, change)) return false;
  const takesAccessAway = change.state === 'FROZEN' || change.state === 'REVOKED';
  return takesAccessAway || lastChangeOf(pass.events)?.eventType.endsWith('_FAILED') === true;
}
