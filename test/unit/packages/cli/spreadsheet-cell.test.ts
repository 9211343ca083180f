import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NAME_RULES } from '../../../../packages/cli/src/csv/own-names.ts';
import { cellOf, spreadsheetFault, textOf } from '../../../../packages/cli/src/csv/spreadsheet-cell.ts';

/**
 * Texts in CSV files that a spreadsheet opens and saves. LibreOffice keeps an apostrophe at the beginning of a cell of a CSV file as a
 * letter of its text (`mbHandleApostrophe = false` in `sc/source/ui/docshell/impex.cxx`), and Excel does so too.
 * `libreoffice.full.test.ts` asks LibreOffice itself where it is installed.
 */

/** Each is a formula, a number, a date, a time, a truth value or an error for Excel or LibreOffice. */
const CHANGED = [
  ...['00123', '1E5', '1e5', '1.5E-3', '12345678901234567890', '123456789012', '1.50', '1,000', '1 000', "1'000"],
  ...['.5', '5.', '50%', '$5', '5 €', '(5)', '1/2', '1-2', '2026-01-02', '2026-1-2', '1.2.2026', '01/02/26', '12:30'],
  ...['1:2:3', '2026-01-02T03:04', '2026-01-02 03:04', '2-Jan', 'MARCH1', 'SEPT2', 'dec-1', '2 Jan 2026', '10 pm'],
  ...[
    '10:30 a.m.',
    '5a',
    'TRUE',
    'true',
    'False',
    '#N/A',
    '#REF!',
    '#DIV/0!',
    '###',
    '٣',
    '=1+2',
    '+1',
    '-1',
    '@SUM(A1)',
  ],
];

/** No spreadsheet changes these. */
const KEPT = [
  ...['order-4711', 'order4711', '4711-order', 'A1', '0x52908400098527886E0F7030069857D2E4169EE7', '0', '123'],
  ...['12345678901', '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV', '0192f3a4-5b6c-7d8e-9f01-23456789abcd', ''],
  ...['march', 'it’s', "it's", 'trueish', 'Jürgen', '山', '1E5x', 'https://passes.example', '2026-11-29T22:37:43.123Z'],
];

describe('the cell of a text', () => {
  it.each(CHANGED)('begins with an apostrophe if a spreadsheet would change the text: %j', (text) => {
    expect(cellOf(text)).toBe(`'${text}`);
    expect(textOf(`'${text}`)).toBe(text);
  });

  it.each(KEPT)('is the text itself otherwise: %j', (text) => {
    expect([cellOf(text), textOf(text)]).toEqual([text, text]);
  });

  it('gives every reference back, also one that begins with apostrophes, and protects its own cell', () => {
    const known = fc.constantFrom(...CHANGED, ...KEPT);
    const quoted = fc.tuple(fc.nat(3), known).map(([count, text]) => "'".repeat(count) + text);
    const reference = fc
      .oneof(quoted, fc.string({ unit: 'grapheme', maxLength: 20 }))
      .filter(NAME_RULES.reference.accepts);
    fc.assert(
      fc.property(reference, (text) => {
        const file = stringify([[text, 'x']], { cast: { string: cellOf } });
        const [[cell = ''] = []]: string[][] = parse(file, { trim: true });
        expect(textOf(cell)).toBe(text);
        // Nothing is left for a spreadsheet to change.
        expect(/^\d{1,11}$/.test(cell) || cellOf(cell) === cell || cell.startsWith("'")).toBe(true);
      }),
    );
  });

  it('takes time in proportion to a long text', () => {
    for (const text of [
      '1'.repeat(1_000_000),
      `${'1'.repeat(1_000_000)}x`,
      `${"'".repeat(1_000_000)}1`,
      ' 1'.repeat(500_000),
    ]) {
      const begun = performance.now();
      textOf(cellOf(text));
      expect(performance.now() - begun).toBeLessThan(2_000);
    }
  });
});

it.each(['1.23E+19', '1,23457E+19', '1E+05', '-1.2E-07', '#N/A', '#REF!', '#NAME?', '#DIV/0!', '########'])(
  'a cell that only a spreadsheet makes is a fault, unless an apostrophe is in front: %j',
  (cell) => {
    expect(spreadsheetFault(cell)).toMatch(/spreadsheet.*apostrophe in front$/);
    expect(spreadsheetFault(`'${cell}`)).toBeUndefined();
    expect(textOf(cellOf(cell))).toBe(cell);
  },
);

it.each(['1E5', '123', '#1', 'A1.2E+19', '12E+19', ''])('a cell of a person is none: %j', (cell) => {
  expect(spreadsheetFault(cell)).toBeUndefined();
});
