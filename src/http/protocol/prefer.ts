/** What a caller would like, and may not get: `Prefer` (RFC 7240). Of all that it may say, only `wait` is known here. */

/** Seconds: what is asked for beyond that is as if that were asked for. */
export const WAIT_MAX_SECONDS = 20;

/** In characters: nobody prefers so much, and what is this short is read in no time, however it is written. */
const LONGEST = 1_000;

const TOKEN = String.raw`[!#$%&'*+\-.^_\`|~\w]+`;
const WORD = String.raw`(?:${TOKEN}|"(?:[^"\\]|\\.)*")`;
/**
 * §2, with the empty elements that a list may have (RFC 9110 §5.6.1). A space belongs to what stands before it, and nothing
 * else may take it: with two ways for each space, a header that ends wrong would be tried in 2^n ways.
 */
const PREFERENCE = new RegExp(
  ` ?(?:(${TOKEN}) ?(?:= ?(?:(${WORD}) ?)?)?(?:; ?(?:${TOKEN} ?(?:= ?(?:${WORD} ?)?)?)?)*)?(?:,|$)`,
  'y',
);

/**
 * How many seconds the caller would wait for what it asks, at most 20; 0: not at all. A header that is not of the form of RFC
 * 7240, or a time that is none, asks for nothing: a preference is no reason to refuse.
 */
export function parseWait(headers: Headers): number {
  const prefer = headers.get('prefer');
  if (prefer === null || prefer.length > LONGEST) return 0;
  // Spaces mean nothing, and many of them could be taken apart in many ways.
  const list = prefer.replaceAll(/[ \t]+/g, ' ');
  // Of several the first counts, wherever it stands; the rest must be of the form all the same.
  let wait: string | undefined;
  for (PREFERENCE.lastIndex = 0; PREFERENCE.lastIndex < list.length; ) {
    const [, name, value = ''] = PREFERENCE.exec(list) ?? MALFORMED;
    if (name === '') return 0;
    if (name?.toLowerCase() === 'wait') wait ??= value;
  }
  const seconds = unquoted(wait ?? '');
  return /^\d+$/.test(seconds) ? Math.min(Number(seconds), WAIT_MAX_SECONDS) : 0;
}

const MALFORMED = ['', ''] as const;

function unquoted(word: string): string {
  return word.startsWith('"') ? word.slice(1, -1).replaceAll(/\\(.)/g, '$1') : word;
}

/** §3: says that the wait was granted, and for how long it would have been at the most. */
export function preferenceApplied(seconds: number): { 'preference-applied': string } {
  return { 'preference-applied': `wait=${seconds}` };
}
