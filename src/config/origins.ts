import * as v from 'valibot';
import { parseVariable } from './variable.ts';

type Env = Readonly<Record<string, unknown>>;

/** Whether the text is an origin as browsers send it: no path, no `*`, no `null` (from sandboxed pages), no default port. */
function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.parse(text)?.origin === text;
}

const EXACT = 'must be origins like https://app.acme.com, separated by spaces';
const Origins = v.pipe(
  v.optional(v.string(EXACT), ''),
  v.transform((text) => text.split(/\s+/).filter(Boolean)),
  v.array(v.pipe(v.string(), v.check(isOrigin, EXACT))),
);

/** Returns `CORS_ORIGINS`, the origins of pages that may call the API from a browser. The default is none. */
export function parseCorsOrigins(env: Env): readonly string[] {
  return parseVariable(env, 'CORS_ORIGINS', Origins);
}

const ONE = 'must be an origin like https://api.acme.com';
const OptionalOrigin = v.pipe(
  v.optional(v.string(ONE), ''),
  v.check((text) => text === '' || isOrigin(text), ONE),
);

/** Returns `PUBLIC_ORIGIN`, the origin of the service without its base path, or undefined if it is not set. */
export function parsePublicOrigin(env: Env): string | undefined {
  return parseVariable(env, 'PUBLIC_ORIGIN', OptionalOrigin) || undefined;
}
