import * as v from 'valibot';
import { parseVariable } from './variable.ts';

type Env = Readonly<Record<string, unknown>>;

/** Whether the text is an origin as browsers write it: no path, no `*`, no `null` (of sandboxed pages), no default port. */
function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.parse(text)?.origin === text;
}

const EXACT = 'must be origins like https://app.acme.com, separated by spaces';
const Origins = v.pipe(
  v.optional(v.string(EXACT), ''),
  v.transform((text) => text.split(/\s+/).filter(Boolean)),
  v.array(v.pipe(v.string(), v.check(isOrigin, EXACT))),
);

/** `CORS_ORIGINS`: the pages that may call from a browser; by default none. */
export function parseCorsOrigins(env: Env): readonly string[] {
  return parseVariable(env, 'CORS_ORIGINS', Origins);
}

const ONE = 'must be an origin like https://api.acme.com';
const OptionalOrigin = v.pipe(
  v.optional(v.string(ONE), ''),
  v.check((text) => text === '' || isOrigin(text), ONE),
);

/** `PUBLIC_ORIGIN`: where callers find the service, without its base path. Undefined if it is not set. */
export function parsePublicOrigin(env: Env): string | undefined {
  return parseVariable(env, 'PUBLIC_ORIGIN', OptionalOrigin) || undefined;
}
