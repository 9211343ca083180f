import { Failure } from '../terminal/failure.ts';
import type { Row } from '../terminal/wrangler.ts';

/** SQL of the commands for tables of any number of rows: no statement and no reply grows with the table. */

/** D1 refuses a statement of more than 100,000 bytes. The text around the rows has less than 10,000. */
const ROWS_MAX_BYTES = 90_000;

/**
 * Returns statements for all rows, each within the limits of D1.
 * @param statementFor Returns the statement for some rows: a literal for `json_each`, in which each value is a row as an array.
 */
export function statementsFor(
  rows: readonly (readonly unknown[])[],
  statementFor: (literal: string) => string,
): string[] {
  const slices: string[][] = [];
  let left = 0;
  for (const row of rows) {
    const text = JSON.stringify(row);
    const bytes = Buffer.byteLength(quote(text)) + 1;
    if (bytes > ROWS_MAX_BYTES) throw new Failure(`a row is too long for the database: ${text.slice(0, 100)}…`);
    if (bytes > left) {
      slices.push([]);
      left = ROWS_MAX_BYTES;
    }
    slices.at(-1)?.push(text);
    left -= bytes;
  }
  return slices.map((slice) => statementFor(quote(`[${slice.join()}]`)));
}

/** Maximum number of rows in a reply of the database. */
const PAGE_MAX_ROWS = 10_000;

/**
 * Returns all rows of a SELECT, in the order of its key, read in pages.
 * @param key The columns of the SELECT that tell its rows apart.
 */
export async function readInPages(
  query: (sql: string) => Promise<readonly Row[]>,
  select: string,
  key: readonly string[],
  pageMax = PAGE_MAX_ROWS,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const last = rows.at(-1);
    const after = last && `WHERE (${key.join()}) > (${key.map((column) => quote(String(last[column]))).join()})`;
    const page = await query(`SELECT * FROM (${select}) ${after ?? ''} ORDER BY ${key.join()} LIMIT ${pageMax}`);
    rows.push(...page);
    if (page.length < pageMax) return rows;
  }
}

/** Returns an SQL string literal. Between single quotes, SQL needs no escape but a doubled quote. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
