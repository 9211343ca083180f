import type { PassKey } from './pass.ts';
import { readBodyAs } from './read-reply.ts';
import type { Service } from './service.ts';

/** The operations as `openapi-fetch` calls them. */
interface SandboxService {
  GET(path: '/sandbox/clock', init: { signal: AbortSignal | null }): Answer;
  POST(path: `/sandbox/${string}`, init: { body: object; signal: AbortSignal | null }): Answer;
}
type Answer = Promise<{ data?: unknown; error?: unknown; response: Response }>;

type Abortable = { readonly signal?: AbortSignal };

/** The time of a sandbox, in Unix seconds. */
export interface SandboxClock {
  readonly now: number;
}

/** An event that the sandbox causes. */
export interface TriggeredEvent {
  readonly type: string;
  /** The new pass that gets the event; undefined for a notice, which no pass has. */
  readonly pass?: PassKey;
}

/** An event to cause, and the chain of its pass. Default: `sepolia`. */
export interface EventToTrigger {
  readonly type: string;
  readonly chain?: PassKey['chain'] | undefined;
}

/** The operations of a sandbox. For a client of a real gatekeeper network they do not exist: GatepassProblem with `not_found`. */
export function sandboxOf({ GET, POST }: Service) {
  const service = { GET, POST } as unknown as SandboxService;
  return {
    /** Returns the time of the sandbox. */
    clock: ({ signal }: Abortable = {}): Promise<SandboxClock> =>
      readBodyAs(service.GET('/sandbox/clock', { signal: signal ?? null })),

    /** Advances the time of the sandbox for all its clients. Never retried without an answer: it could advance twice. */
    advanceClock: (advanceSeconds: number, { signal }: Abortable = {}): Promise<SandboxClock> =>
      readBodyAs(service.POST('/sandbox/clock', { body: { advanceSeconds }, signal: signal ?? null })),

    /** Causes an event with a new pass, whose event follows within seconds. */
    trigger: ({ type, chain }: EventToTrigger, { signal }: Abortable = {}): Promise<TriggeredEvent> =>
      readBodyAs(service.POST('/sandbox/trigger', { body: { type, ...(chain && { chain }) }, signal: signal ?? null })),
  };
}
