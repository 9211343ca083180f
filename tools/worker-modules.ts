/**
 * Lets Node load code of the Worker, by a stand-in for `cloudflare:workers`, which only the Worker's runtime has. The stand-in has
 * the names and does nothing. Import this file first, and then the Worker's code with `import()`.
 */
import { registerHooks } from 'node:module';

const CLOUDFLARE_WORKERS_STUB = `
  export class DurableObject {}
  export function waitUntil() { throw new Error('waitUntil works only in a Worker'); }
  export const env = {};
`;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'cloudflare:workers'
      ? { url: `data:text/javascript,${encodeURIComponent(CLOUDFLARE_WORKERS_STUB)}`, shortCircuit: true }
      : next(specifier, context),
});
