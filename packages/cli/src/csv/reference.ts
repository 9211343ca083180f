/** The rules of the service for a reference. A test compares both. */
const REFERENCE = /^(?!\s)[^\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]{1,128}(?<!\s)$/u;

export const REFERENCE_RULE =
  'must have 1 to 128 characters, without control characters, marks of the writing direction, and spaces at its ends';

export const isReference = (text: string): boolean => REFERENCE.test(text);

/** A text that `escape_formulas` of `csv-stringify` escapes, perhaps after apostrophes. */
const ESCAPED = /^'*[=+\-@＝＋－＠]/;

/** Returns the cell of a CSV file, which `escape_formulas` may escape further. So each reference has a cell of its own. */
export const referenceCell = (reference = ''): string =>
  reference.startsWith("'") && ESCAPED.test(reference) ? `'${reference}` : reference;

/** Returns the reference of a cell, which a spreadsheet or this command may have escaped. */
export const referenceIn = (cell: string): string =>
  cell.startsWith("'") && ESCAPED.test(cell) ? cell.slice(1) : cell;
