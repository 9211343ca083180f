/** Maximum wait. A longer one counts as this. */
export const WAIT_MAX_SECONDS = 20;

/** Longer headers are ignored, which bounds the time to read one. */
const PREFER_MAX_CHARACTERS = 1_000;

const WAIT = /^\s*wait\s*=\s*("?)(\d+)\1\s*$/i;

/**
 * Returns how many seconds the request asks to wait with `Prefer: wait=N` (RFC 7240), at most 20; 0 if it does not ask. The
 * first `wait=N` of a list counts. Every other preference and every malformed one is ignored, never refused.
 */
export function parseWait(headers: Headers): number {
  const prefer = headers.get('prefer') ?? '';
  if (prefer.length > PREFER_MAX_CHARACTERS) return 0;
  for (const preference of prefer.split(',')) {
    const seconds = WAIT.exec(preference)?.[2];
    if (seconds !== undefined) return Math.min(Number(seconds), WAIT_MAX_SECONDS);
  }
  return 0;
}

/** Returns the header that confirms the wait (RFC 7240 §3). */
export function preferenceApplied(seconds: number): { 'preference-applied': string } {
  return { 'preference-applied': `wait=${seconds}` };
}
