import { attempt, type Case, callsOf, withEachValue } from './case.ts';
import type { Step } from './script.ts';

const TABLES_OF_D1: readonly Step[] = [
  ['d1', 'run', 'DROP VIEW IF EXISTS v'],
  ['d1', 'run', 'DROP TABLE IF EXISTS log'],
  ['d1', 'run', 'DROP TABLE IF EXISTS child'],
  ['d1', 'run', 'DROP TABLE IF EXISTS t'],
  ['d1', 'run', 'CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, n REAL CHECK (n <> 13))'],
  [
    'd1',
    'run',
    'CREATE TABLE child (id TEXT PRIMARY KEY, parent INTEGER NOT NULL REFERENCES t (id)) STRICT, WITHOUT ROWID',
  ],
  ['d1', 'run', 'CREATE TABLE log (at INTEGER PRIMARY KEY, text TEXT) STRICT'],
  ['d1', 'run', 'CREATE TRIGGER noted AFTER INSERT ON t BEGIN INSERT INTO log (text) VALUES (NEW.text); END'],
  [
    'd1',
    'run',
    "CREATE TRIGGER refused BEFORE DELETE ON t WHEN OLD.text = 'stays' BEGIN SELECT RAISE(ABORT, 'it stays'); END",
  ],
  [
    'd1',
    'run',
    "CREATE TRIGGER bad_path BEFORE UPDATE ON t WHEN NEW.text = 'bad' BEGIN SELECT json_extract('{}', 'moved'); END",
  ],
];
const add = (text: string): Step => ['d1', 'run', 'INSERT INTO t (text) VALUES (?)', text];
const COUNT_D1: Step = ['d1', 'first', 'SELECT count(*) AS n FROM t'];

const database = (title: string, ...calls: readonly (readonly Step[])[]): Case => ({
  title,
  lane: 'database',
  script: callsOf(title, TABLES_OF_D1, ...calls),
});

/** D1, with sessions. */
export const DATABASE_CASES: readonly Case[] = [
  database('D1 counts the rows that a query changes, with those of triggers', [
    add('one'),
    ['d1', 'run', "INSERT INTO t (text) VALUES ('two'), ('three')"],
    ['d1', 'all', "INSERT INTO t (text) VALUES ('four') ON CONFLICT (text) DO UPDATE SET n = 4 RETURNING id, text, n"],
    ['d1', 'all', "INSERT INTO t (text) VALUES ('four') ON CONFLICT (text) DO UPDATE SET n = 4 RETURNING id, text, n"],
    ['d1', 'run', "INSERT OR IGNORE INTO t (text) VALUES ('four')"],
    ['d1', 'run', 'UPDATE t SET n = 1'],
    ['d1', 'run', 'DELETE FROM t WHERE id > 2'],
    ['d1', 'run', 'DELETE FROM log'],
    ['d1', 'all', 'SELECT * FROM t'],
    ['d1', 'all', 'WITH two AS (SELECT 2 AS n) UPDATE t SET n = (SELECT n FROM two) RETURNING id'],
  ]),
  database('D1 says why it refuses', [
    add('one'),
    attempt(add('one')),
    attempt(['d1', 'run', "INSERT INTO t (id, text) VALUES (1, 'again')"]),
    attempt(['d1', 'run', 'INSERT INTO t (text) VALUES (NULL)']),
    attempt(['d1', 'run', "INSERT INTO t (text, n) VALUES ('two', 13)"]),
    attempt(['d1', 'run', "INSERT INTO child VALUES ('a', 99)"]),
    attempt(['d1', 'run', "INSERT INTO child VALUES ('a', 'text')"]),
    add('stays'),
    attempt(['d1', 'run', 'DELETE FROM t']),
    attempt(['d1', 'run', "UPDATE t SET text = 'bad' WHERE id = 1"]),
    attempt(['d1', 'first', 'SELECT x FROM t']),
    attempt(['d1', 'first', 'SELECT * FROM nowhere']),
    attempt(['d1', 'first', 'SELECT (']),
    attempt(['d1', 'first', 'NO SQL']),
    attempt(['d1', 'first', '']),
    attempt(['d1', 'first', 'SELECT ? AS a, ? AS b', 1]),
    attempt(['d1', 'first', 'SELECT 1 AS a', 1]),
    attempt(['d1', 'run', 'BEGIN']),
    attempt(['d1', 'run', 'SAVEPOINT x']),
    attempt(['d1', 'first', "SELECT json_extract('{}', 'moved:DB_1')"]),
    attempt(['d1', 'first', 'SELECT max(id) AS id FROM t GROUP BY id HAVING 0']),
    attempt(['batch', []]),
    attempt(['batch', [['']]]),
    COUNT_D1,
  ]),
  database(
    'D1 binds the values that it takes',
    withEachValue((value) => [['d1-bind', value]]),
  ),
  database('D1 returns the column of the first row', [
    add('one'),
    attempt(['d1-column', 'text', 'SELECT * FROM t']),
    attempt(['d1-column', 'nothing', 'SELECT * FROM t']),
    attempt(['d1-column', 'text', 'SELECT * FROM t WHERE 0']),
    ['d1', 'first', 'SELECT * FROM t WHERE 0'],
    [
      'd1',
      'first',
      "SELECT 1 AS a, 2 AS a, x'0102' AS bytes, 1e999 AS infinite, 9007199254740993 AS over, 2.0 AS whole",
    ],
    ['d1', 'all', "SELECT id, NULL AS missing, x'' AS none FROM t"],
  ]),
  database('a batch that fails changes nothing', [
    add('one'),
    attempt([
      'batch',
      [
        ["INSERT INTO t (text) VALUES ('two')"],
        ["INSERT INTO t (text) VALUES ('one')"],
        ["INSERT INTO t (text) VALUES ('three')"],
      ],
    ]),
    ['d1', 'all', 'SELECT * FROM t'],
    attempt(['batch', [['UPDATE t SET n = 5'], ['SELECT * FROM nowhere']]]),
    ['d1', 'all', 'SELECT * FROM t'],
    [
      'batch',
      [
        ['UPDATE t SET n = 6'],
        ['SELECT n FROM t'],
        ['INSERT INTO t (text) VALUES (?)', 'two'],
        ['SELECT count(*) AS n FROM t'],
      ],
    ],
    ['session', 'first-primary', [add('three'), COUNT_D1]],
    ['d1', 'all', 'SELECT * FROM log'],
  ]),
  database('a session sees what it wrote, and what the primary has', [
    ['session', 'first-primary', [COUNT_D1, add('one'), COUNT_D1]],
    ['session', 'bookmark', [COUNT_D1]],
    ['session', 'bookmark', [add('two')]],
    ['session', 'bookmark', [COUNT_D1, COUNT_D1]],
    add('three'),
    ['session', 'first-primary', [COUNT_D1]],
    ['session', 'bookmark', [['batch', [['SELECT count(*) AS n FROM t'], ['SELECT text FROM t ORDER BY id']]]]],
    ['session', 'unknown', [add('four'), COUNT_D1]],
    ['session', 'first-unconstrained', [add('five'), COUNT_D1]],
    ['session', 'first-primary', [attempt(COUNT_D1)].slice(1)],
  ]),
  {
    title: 'a session without constraint may read an older version',
    lane: 'database',
    script: callsOf('older', [
      ['d1', 'run', 'DROP TABLE IF EXISTS child'],
      ['d1', 'run', 'DROP TABLE IF EXISTS t'],
      ['d1', 'run', 'CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)'],
      ['d1', 'run', 'DELETE FROM t'],
      add('one'),
      add('two'),
      ['session', 'first-unconstrained', [COUNT_D1, COUNT_D1]],
      ['session', 'bookmark', [COUNT_D1]],
    ]),
    plays: 200,
    // The counts of three reads, each of which is at most 2 and none is less than the one before it.
    outcomes: 10,
  },
  database('a failing statement leaves a session usable', [
    attempt(['session', 'first-primary', [add('one'), add('one')]]),
    ['session', 'bookmark', [COUNT_D1]],
    attempt(['session', 'first-primary', [['batch', [["INSERT INTO t (text) VALUES ('two')"], ['NO SQL']]]]]),
    ['session', 'bookmark', [COUNT_D1]],
  ]),
];
