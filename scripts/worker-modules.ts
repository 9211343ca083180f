/**
 * Lets Node load code of the Worker: `cloudflare:workers` is known to the Worker's runtime alone. Whoever imports this
 * imports the Worker's code after it, with `import()`. The stand-in has the names and does nothing.
 */
import { registerHooks } from 'node:module';

const CLOUDFLARE_WORKERS_STUB = `
  export class DurableObject {}
  export function waitUntil() { throw new Error('there is no Worker here'); }
  export const env = {};
`;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'cloudflare:workers'
      ? { url: `data:text/javascript,${encodeURIComponent(CLOUDFLARE_WORKERS_STUB)}`, shortCircuit: true }
      : next(specifier, context),
});
