import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { readInPages, statementsFor } from '../../../ops/row-statements.ts';
import { Failure } from '../../../terminal/failure.ts';

/** D1 refuses longer statements. */
const STATEMENT_MAX_BYTES = 100_000;

function aTable(): DatabaseSync {
  const db = new DatabaseSync(':memory:');
  db.exec('CREATE TABLE t (a TEXT, b TEXT, n INTEGER, PRIMARY KEY (a, b)) STRICT');
  return db;
}
const insert = (literal: string) =>
  `INSERT INTO t SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(${literal}) WHERE true`;

it('statements for any number of rows, in any alphabet, stay within the limits of D1 and keep every value', () => {
  const db = aTable();
  const rows = Array.from({ length: 10_000 }, (_, n) => [
    `${n}'; -- "`,
    ['', "''''", '護照', '🛂'][n % 4],
    n % 7 ? n : null,
  ]);
  const statements = statementsFor(rows, insert);
  for (const statement of statements) {
    expect(Buffer.byteLength(statement)).toBeLessThan(STATEMENT_MAX_BYTES);
    db.exec(statement);
  }
  // Two statements could hold all rows only if a slice were longer than the limit.
  expect(statements.length).toBeGreaterThan(2);
  expect(
    db
      .prepare('SELECT a, b, n FROM t ORDER BY rowid')
      .all()
      .map((row) => Object.values(row)),
  ).toEqual(rows);
});

it('no rows need no statement', () => {
  expect(statementsFor([], insert)).toEqual([]);
});

it('a row that no statement can hold is refused before anything is written', () => {
  const rows = [['a'], ['護'.repeat(40_000)]];
  expect(() => statementsFor(rows, insert)).toThrow(Failure);
});

it.each([0, 1, 3, 4, 6, 7, 25])('a table of %i rows is read in pages, each row once', async (count) => {
  const db = aTable();
  const rows = Array.from({ length: count }, (_, n) => [`it's ${n % 5}`, String(n), n]);
  for (const statement of statementsFor(rows, insert)) db.exec(statement);
  const replies: number[] = [];
  const query = async (sql: string) => {
    const page = db.prepare(sql).all();
    replies.push(page.length);
    return page;
  };
  const read = await readInPages(query, 'SELECT n, b, a FROM t ORDER BY n', ['a', 'b'], 3);
  expect(read.map(({ n }) => n)).toEqual(
    db
      .prepare('SELECT n FROM t ORDER BY a, b')
      .all()
      .map(({ n }) => n),
  );
  expect(Math.max(...replies)).toBeLessThanOrEqual(3);
});
