import type { Scheduler } from './scheduler.ts';

interface Stored {
  readonly body: ArrayBuffer;
  readonly headers: readonly (readonly [string, string])[];
  /** Unix milliseconds. */
  readonly until: number;
}

/** The caches of one location. They keep a response as long as its `max-age` says. */
export class SimulatedCaches {
  readonly #scheduler: Scheduler;
  readonly #stored = new Map<string, Stored>();

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  async open(name: string) {
    const keyOf = (request: string | URL | Request) => `${name} ${request instanceof Request ? request.url : request}`;
    return {
      match: async (request: string | URL | Request): Promise<Response | undefined> => {
        const stored = this.#stored.get(keyOf(request));
        if (stored === undefined || stored.until <= this.#scheduler.now) return undefined;
        return new Response(stored.body, { headers: stored.headers.map(([header, value]) => [header, value]) });
      },
      put: async (request: string | URL | Request, response: Response): Promise<void> => {
        const [, seconds = '0'] = /\bmax-age=(\d+)/.exec(response.headers.get('cache-control') ?? '') ?? [];
        const body = await response.arrayBuffer();
        const until = this.#scheduler.now + Number(seconds) * 1_000;
        this.#stored.set(keyOf(request), { body, headers: [...response.headers], until });
      },
      delete: async (request: string | URL | Request): Promise<boolean> => this.#stored.delete(keyOf(request)),
    };
  }
}
