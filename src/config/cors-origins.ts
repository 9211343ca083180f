import * as v from 'valibot';
import { parseVariable } from './variable.ts';

const EXACT = 'must be origins like https://app.acme.com, separated by spaces';

/** No path, no `*`, no `null` (what sandboxed pages are), no port that goes without saying: as browsers write them. */
const Origin = v.pipe(
  v.string(),
  v.check((text) => /^https?:[^*]+$/.test(text) && URL.parse(text)?.origin === text, EXACT),
);
const Origins = v.pipe(
  v.optional(v.string(EXACT), ''),
  v.transform((text) => text.split(/\s+/).filter(Boolean)),
  v.array(Origin),
);

/** `CORS_ORIGINS`: the pages that may call from a browser; by default none. */
export function parseCorsOrigins(env: Readonly<Record<string, unknown>>): readonly string[] {
  return parseVariable(env, 'CORS_ORIGINS', Origins);
}
