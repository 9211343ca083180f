/** Stands in for `cloudflare:workers`, a module of the Worker runtime. Background work simply continues. */
export function waitUntil(_work: Promise<unknown>): void {}
