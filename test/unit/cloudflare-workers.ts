/** Replaces the module `cloudflare:workers` of the Worker runtime. Background work simply continues. */
export function waitUntil(_work: Promise<unknown>): void {}
