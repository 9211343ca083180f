/**
 * How spreadsheets and people write CSV files: encoding, separator, empty rows and repeated columns. The command and the console
 * share these rules. So this file is JavaScript, and the console serves it as it is.
 */

/** @typedef {'utf-8' | 'utf-16le' | 'utf-16be'} Encoding */
/**
 * @typedef {object} CsvFormat
 * @property {Encoding} encoding
 * @property {string} separator
 * @property {boolean} isNamed Whether the first line names the separator, as in `sep=;`. It is no row.
 */

/** The separators that are recognized without a line that names them. The first ones win a tie. */
const SEPARATORS = [',', ';', '\t', '|'];
/** @type {Readonly<Record<string, string>>} */
const SEPARATOR_NAMES = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'vertical bars' };
const ENCODING_NAMES = { 'utf-8': 'UTF-8', 'utf-16le': 'UTF-16', 'utf-16be': 'UTF-16' };

/** Excel reads and writes this line. */
const SEPARATOR_LINE = /^(?:sep=([^"\r\n])|"sep=([^"\r\n])") *(?:[\r\n]|$)/i;

/**
 * Returns how a file is written that begins with these bytes.
 * @param {Uint8Array} start
 * @returns {CsvFormat}
 */
export function formatOf(start) {
  const encoding = encodingOf(start);
  const text = new TextDecoder(encoding).decode(start);
  const [, plain, quoted] = SEPARATOR_LINE.exec(text) ?? [];
  const named = plain ?? quoted;
  return { encoding, separator: named ?? separatorOf(text), isNamed: named !== undefined };
}

/**
 * Without a byte order mark, a text in UTF-16 shows in its first letter: one of the two bytes is 0.
 * @param {Uint8Array} start
 * @returns {Encoding}
 */
function encodingOf([first, second]) {
  if ((first === 0xff && second === 0xfe) || second === 0) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || first === 0) return 'utf-16be';
  return 'utf-8';
}

/**
 * Returns the separator that makes `walletAddress` a cell of the header, otherwise the most frequent one. Rows may have other
 * separators in their texts.
 * @param {string} text
 */
function separatorOf(text) {
  const header = text.split(/[\r\n]+/).find((line) => /[^\s,;|"]/.test(line)) ?? '';
  /** @param {string} separator */
  const cellsBy = (separator) => header.split(separator).map((cell) => nameKey(cell.replaceAll('"', '')));
  const fitting = SEPARATORS.find((separator) => cellsBy(separator).includes('walletaddress'));
  return fitting ?? SEPARATORS.reduce((best, each) => (cellsBy(each).length > cellsBy(best).length ? each : best));
}

/**
 * Returns what somebody can do whose file was not read as it is meant.
 * @param {CsvFormat} format
 */
export function adviceFor({ encoding, separator }) {
  const separators = SEPARATOR_NAMES[separator] ?? `the separator "${separator}"`;
  return `the file was read as ${ENCODING_NAMES[encoding]} with ${separators}: if it is written otherwise, save it as "CSV UTF-8", or name the separator in a first line such as sep=;`;
}

/**
 * Returns advice for a row with a letter that its encoding does not have, as in Windows-1252; otherwise undefined.
 * @param {readonly string[]} cells
 */
export function adviceForLetters(cells) {
  if (!cells.some((cell) => cell.includes('\ufffd'))) return undefined;
  return 'the row has letters that are not in UTF-8, as in Windows-1252: save the file as "CSV UTF-8"';
}

/**
 * Whether a row has no content, as spreadsheets write rows below and between the others.
 * @param {readonly string[]} cells
 */
export const isEmptyRow = (cells) => cells.every((cell) => cell.trim() === '');

/** @param {string} name */
const nameKey = (name) =>
  name
    .replace(/\p{Cf}/gu, '')
    .trim()
    .toLowerCase();

/**
 * Returns a fault for each column whose name an earlier column has, also in another case: nobody could say which of them counts.
 * Columns without a name are none.
 * @param {readonly string[]} names
 * @returns {string[]}
 */
export function repeatedColumns(names) {
  /** @type {Map<string, number>} */
  const places = new Map();
  return names.flatMap((name, index) => {
    const key = nameKey(name);
    const earlier = places.get(key);
    if (key === '' || earlier !== undefined) return key === '' ? [] : [faultOf(earlier ?? 0, index)];
    places.set(key, index);
    return [];
  });

  /**
   * @param {number} one
   * @param {number} other
   */
  function faultOf(one, other) {
    const both = [...new Set([names[one], names[other]].map((name) => name?.trim()))].join(' and ');
    return `the columns ${one + 1} and ${other + 1} have the same name, ${both}: delete or rename one`;
  }
}
