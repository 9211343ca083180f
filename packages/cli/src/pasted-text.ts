/**
 * Texts that people paste from spreadsheets, chats and pages. The command and the console share these rules: the console serves this file
 * without its types. So it imports nothing.
 */

/** Space of any kind, invisible characters, and quotation marks. No address, network or number begins or ends with one. */
const ADDED = /[\s\p{Cf}\p{Cc}"'`´‘’‚‛“”„‟‹›«»]/u;

/** Returns the text without the characters that a spreadsheet or a chat adds around it. */
export function pastedText(text: string): string {
  const chars = [...text];
  const start = chars.findIndex((char) => !ADDED.test(char));
  const end = chars.findLastIndex((char) => !ADDED.test(char));
  return start < 0 ? '' : chars.slice(start, end + 1).join('');
}

/** The same for a wallet address. Spreadsheets also write the prefix in upper case. */
export const pastedWallet = (text: string): string => pastedText(text).replace(/^0X/, '0x');

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
 * do. The service has the same function, and a test compares both.
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

function describeCharacter(char: string): string {
  const code = `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  if (/^[\p{L}\p{N}\p{P}\p{S}]$/u.test(char)) return `"${char}" (${code})`;
  return `${code} (${NAMES[code] ?? 'an invisible character'})`;
}
