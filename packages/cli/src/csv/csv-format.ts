/**
 * How spreadsheets and people write CSV files: encoding, separator, empty rows and repeated columns. The command and the console
 * share these rules: the console serves this file without its types. So it imports nothing.
 */

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

export interface CsvFormat {
  readonly encoding: Encoding;
  readonly separator: string;
  /** Whether the first line names the separator, as in `sep=;`. It is no row. */
  readonly isNamed: boolean;
}

/** The separators that are recognized without a line that names them. The first ones win a tie. */
const SEPARATORS = [',', ';', '\t', '|'] as const;
const SEPARATOR_NAMES: Readonly<Record<string, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'vertical bars',
};
const ENCODING_NAMES: Readonly<Record<Encoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
};

/** Excel reads and writes this line. */
const SEPARATOR_LINE = /^(?:sep=([^"\r\n])|"sep=([^"\r\n])") *(?:[\r\n]|$)/i;

/** Returns how a file is written that begins with these bytes. */
export function formatOf(start: Uint8Array): CsvFormat {
  const encoding = encodingOf(start);
  const text = new TextDecoder(encoding).decode(start);
  const [, plain, quoted] = SEPARATOR_LINE.exec(text) ?? [];
  const named = plain ?? quoted;
  return { encoding, separator: named ?? separatorOf(text), isNamed: named !== undefined };
}

/** Without a byte order mark, a text in UTF-16 shows in its first letter: one of the two bytes is 0. */
function encodingOf([first, second]: Uint8Array): Encoding {
  if ((first === 0xff && second === 0xfe) || second === 0) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || first === 0) return 'utf-16be';
  return 'utf-8';
}

/**
 * Returns the separator that makes `walletAddress` a cell of the header, otherwise the most frequent one. Rows may have other
 * separators in their texts.
 */
function separatorOf(text: string): string {
  const header = text.split(/[\r\n]+/).find((row) => /[^\s,;|"]/.test(row)) ?? '';
  const cellsBy = (separator: string) => header.split(separator).map((cell) => nameKey(cell.replaceAll('"', '')));
  const fitting = SEPARATORS.find((separator) => cellsBy(separator).includes('walletaddress'));
  return fitting ?? SEPARATORS.reduce((best, each) => (cellsBy(each).length > cellsBy(best).length ? each : best));
}

/** Returns what somebody can do whose file was not read as it is meant. */
export function adviceFor({ encoding, separator }: Pick<CsvFormat, 'encoding' | 'separator'>): string {
  const separators = SEPARATOR_NAMES[separator] ?? `the separator "${separator}"`;
  return `the file was read as ${ENCODING_NAMES[encoding]} with ${separators}: if it is written otherwise, save it as "CSV UTF-8", or name the separator in a first line such as sep=;`;
}

/** Returns advice for a row with a letter that its encoding does not have, as in Windows-1252; otherwise undefined. */
export function adviceForLetters(cells: readonly string[]): string | undefined {
  if (!cells.some((cell) => cell.includes('\ufffd'))) return undefined;
  return 'the row has letters that are not in UTF-8, as in Windows-1252: save the file as "CSV UTF-8"';
}

/** Whether a row has no content, as spreadsheets write rows below and between the others. */
export const isEmptyRow = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

const nameKey = (name: string) =>
  name
    .replace(/\p{Cf}/gu, '')
    .trim()
    .toLowerCase();

/**
 * Returns a fault for each column whose name an earlier column has, also in another case: nobody could say which of them counts.
 * Columns without a name are none.
 */
export function repeatedColumns(names: readonly string[]): string[] {
  const places = new Map<string, number>();
  return names.flatMap((name, index) => {
    const key = nameKey(name);
    const earlier = places.get(key);
    if (key !== '' && earlier !== undefined) return [faultOf(names, earlier, index)];
    if (key !== '') places.set(key, index);
    return [];
  });
}

function faultOf(names: readonly string[], one: number, other: number): string {
  const both = [...new Set([names[one], names[other]].map((name) => name?.trim()))].join(' and ');
  return `the columns ${one + 1} and ${other + 1} have the same name, ${both}: delete or rename one`;
}
