/**
 * Options of `csv-stringify` for every CSV file that the command writes. A spreadsheet would run a cell that begins like a formula,
 * and the service or a chain may have chosen its text. An apostrophe in front makes it a text.
 */
export const WITHOUT_FORMULAS = { escape_formulas: true } as const;

/** Returns the cell as it was before it was escaped. */
export const unescapeFormula = (cell: string): string => cell.replace(/^'(?=[=+\-@\t\r＝＋－＠])/, '');
