/** Names of characters that people do not see, and that spreadsheets, chats and pages add. */
const NAMES: Readonly<Record<string, string>> = {
  'U+0009': 'tab',
  'U+000A': 'line feed',
  'U+000D': 'carriage return',
  'U+0020': 'space',
  'U+00A0': 'no-break space',
  'U+00AD': 'soft hyphen',
  'U+200B': 'zero width space',
  'U+200C': 'zero width non-joiner',
  'U+200D': 'zero width joiner',
  'U+200E': 'left-to-right mark',
  'U+200F': 'right-to-left mark',
  'U+2060': 'word joiner',
  'U+FEFF': 'byte order mark',
};

/**
 * Returns a sentence about the first character that does not match, like `Character 43 is U+200B (zero width space)`; undefined if all
 * do. The command has the same function.
 * @param from Number of UTF-16 units to skip.
 */
export function wrongCharacter(text: string, allowed: RegExp, from = 0): string | undefined {
  let place = from;
  for (const char of text.slice(from)) {
    place += 1;
    if (!allowed.test(char)) return `Character ${place} is ${describeCharacter(char)}`;
  }
  return undefined;
}

/** Returns a rule, and what is wrong with the text if it has a character that does not match. */
export function withCharacter(rule: string, text: string, allowed: RegExp, from = 0): string {
  const character = wrongCharacter(text, allowed, from);
  return character === undefined ? rule : `${rule}. ${character}`;
}

function describeCharacter(char: string): string {
  const code = `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  if (/^[\p{L}\p{N}\p{P}\p{S}]$/u.test(char)) return `"${char}" (${code})`;
  return `${code} (${NAMES[code] ?? 'an invisible character'})`;
}

/**
 * Characters that change how a reader sees the text around them, or that no reader sees: control characters (also ESC and C1), line
 * and paragraph separators, marks and overrides of the writing direction, and halves of a surrogate pair.
 */
const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/u;
const ALL_HIDDEN = new RegExp(HIDDEN, 'gu');

/** The end of a sentence that begins with the name of a text. */
export const VISIBLE_TEXT_RULE = 'must not contain control characters, line breaks or marks of the writing direction';

/** Whether a text that others see looks to them as it is: the rule for every text that a partner, an operator or a token names. */
export function isVisibleText(text: string): boolean {
  return !HIDDEN.test(text);
}

/** Writes the hidden characters of a JSON text as escapes. The value stays the same. */
export function escapeHidden(json: string): string {
  return json.replace(ALL_HIDDEN, (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}
