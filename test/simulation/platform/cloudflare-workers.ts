/** The module `cloudflare:workers`, as far as the Worker uses it. */

export class DurableObject<Env = unknown> {
  protected readonly ctx: DurableObjectState;
  protected readonly env: Env;

  constructor(ctx: DurableObjectState, env: Env) {
    this.ctx = ctx;
    this.env = env;
  }
}

/** The execution lives on until its work has ended, so there is nothing to keep alive. */
export function waitUntil(work: Promise<unknown>): void {
  work.catch(() => {});
}
