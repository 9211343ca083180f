/**
 * Texts in CSV files that somebody opens in a spreadsheet and saves again. The command and the console share these rules: the console
 * serves this file without its types. So it imports nothing.
 */

const MONTHS = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';
/** The errors of a spreadsheet, and a column that is too narrow. */
const ERROR = /^#(?:N\/A|[A-Z/0]+[!?]|#+)$/;

/** Texts with letters that a spreadsheet runs, or takes for something else: a formula, a number, a date, a time, a truth value or an error. */
const LIKE_OTHERS = [
  /^[=+\-@\t\r＝＋－＠]/,
  /^\d[\d.,]*e[+-]?\d+$/i,
  new RegExp(`^(?=.*\\d)[\\d\\s.,/-]*(?:${MONTHS})[a-z]*[\\d\\s.,/-]*$`, 'i'),
  /^\d{4}-\d\d?-\d\d?T[\d:.,]+$/i,
  /^\d[\d:.,\s]*[ap]\.?m?\.?$/i,
  /^(?:true|false)$/i,
  ERROR,
];

/** A number that every spreadsheet returns as it is. Excel shortens twelve digits. */
const KEPT_NUMBER = /^(?:0|[1-9]\d{0,10})$/;

/** Whether a spreadsheet takes a text for something else. Apostrophes in front do not count. */
function isTakenForOther(text: string): boolean {
  const bare = text.replace(/^'+/, '');
  // Without a letter, digits are a number, a date, a time or an amount.
  return (/\p{Nd}/u.test(bare) && !/\p{L}/u.test(bare)) || LIKE_OTHERS.some((form) => form.test(bare));
}

/**
 * Returns the cell of a CSV file for a text. Excel and LibreOffice leave a cell of a CSV file that begins with an apostrophe as it is: it is a
 * text, and they save the apostrophe too. So each text that they would run or change gets one in front.
 */
export const cellOf = (text: string): string => (isTakenForOther(text) && !KEPT_NUMBER.test(text) ? `'${text}` : text);

/** Options of `csv-stringify` for every file. The expiry at the end of the year 9999 has twelve digits. */
export const AS_CELLS = { string: cellOf, number: (value: number) => cellOf(String(value)) } as const;

/** Returns the text of a cell, in which `cellOf` or a person wrote an apostrophe in front of a formula or a number. Every text has a cell of its own. */
export const textOf = (cell: string): string => (cell.startsWith("'") && isTakenForOther(cell) ? cell.slice(1) : cell);

/** A number as Excel and LibreOffice write it that they have shortened. */
const SHORTENED = /^-?\d(?:[.,]\d+)?E[+-]\d{2,}$/;

/** Returns why a cell is no text of a person but one that only a spreadsheet makes; otherwise undefined. */
export function spreadsheetFault(cell: string): string | undefined {
  if (SHORTENED.test(cell))
    return 'is a number that a spreadsheet has shortened. Write the whole text, with an apostrophe in front';
  if (ERROR.test(cell)) return 'is an error of a spreadsheet. Write the text, with an apostrophe in front';
  return undefined;
}
