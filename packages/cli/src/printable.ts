/** Control characters, also C1; bidi controls and other invisible ones; halves of letters; separators of lines. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const BREAKS = /[\t-\r\u0085\p{Zl}\p{Zp}]+/gu;

const escapeUnits = (text: string) =>
  text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * Returns a text that stays in its line and does not control the terminal: a space instead of line breaks, and `\u…` instead of other
 * control characters and invisible ones.
 */
export const printable = (text: string): string => text.replace(BREAKS, ' ').replace(UNSAFE, escapeUnits);

/** Returns the JSON of a value, in which the same characters are escaped. A parser reads the same value. */
export const printableJson = (value: unknown, indent?: number): string =>
  // The line breaks of the indentation are the only raw control characters in JSON.
  JSON.stringify(value, undefined, indent)
    .split('\n')
    .map((line) => line.replace(UNSAFE, escapeUnits))
    .join('\n');
