import type { PassKey } from './pass.ts';
import { readBody, readBodyAs } from './read-reply.ts';
import type { components } from './schema.ts';
import type { Service } from './service.ts';

type Schemas = components['schemas'];

/** The time of a sandbox, in Unix seconds. */
export type SandboxClock = Schemas['SandboxClock'];
/** An event to cause, and the chain of its pass. Default: `sepolia`. */
export type EventToTrigger = Pick<Schemas['TriggerRequest'], 'type'> & { readonly chain?: PassKey['chain'] };
/** An event that the sandbox causes, with the new pass that gets it; a notice has none. Later releases may add values. */
export type TriggeredEvent = Pick<Schemas['TriggeredEvent'], 'type'> & { readonly pass?: PassKey };

type Abortable = { readonly signal?: AbortSignal };

/** The operations of a sandbox. For a client of a real gatekeeper network they do not exist: GatepassProblem with `not_found`. */
export function sandboxOf(service: Service) {
  return {
    /** Returns the time of the sandbox. */
    clock: ({ signal }: Abortable = {}): Promise<SandboxClock> =>
      readBody(service.GET('/sandbox/clock', { signal: signal ?? null })),

    /** Advances the time of the sandbox for all its clients. Never retried without an answer: it could advance twice. */
    advanceClock: (advanceSeconds: number, { signal }: Abortable = {}): Promise<SandboxClock> =>
      readBody(service.POST('/sandbox/clock', { body: { advanceSeconds }, signal: signal ?? null })),

    /** Causes an event with a new pass, whose event follows within seconds. Never retried without an answer: it could cause two. */
    trigger: (body: EventToTrigger, { signal }: Abortable = {}): Promise<TriggeredEvent> =>
      readBodyAs(service.POST('/sandbox/trigger', { body, signal: signal ?? null })),
  };
}
