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
