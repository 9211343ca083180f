import { attempt, type Case, HOUR_MS, onObject, TABLE, withEachValue } from './case.ts';
import type { Step } from './script.ts';

const ADD: Step = ['sql', "INSERT INTO t (text) VALUES ('added')"];
const COUNT: Step = ['one', 'SELECT count(*) AS n FROM t'];
const READ: readonly Step[] = [['list', {}], ['get-alarm'], COUNT];

const PAIRS: readonly Case[] = [
  onObject(
    'a pair has every value that it can store',
    withEachValue((value) => [
      ['put', 'a', value],
      ['get', 'a'],
    ]),
  ),
  onObject(
    'a list has the keys in their order, between bounds',
    ['a', 'b', 'ab', 'B', 'ä', 'é', '~', 'b1', 'b2', '\u{1f600}', '\uffff'].map((key): Step => ['put', key, 'number']),
    [
      ['list', {}],
      ['list', { prefix: 'b' }],
      ['list', { start: 'ab', end: 'b1' }],
      ['list', { startAfter: 'a', limit: 2 }],
      ['list', { reverse: true, limit: 3 }],
      ['list', { prefix: 'b', start: 'b1', reverse: true }],
      ['list', { prefix: 'b', startAfter: 'b1' }],
      attempt(['list', { limit: 0 }]),
      attempt(['list', { start: 'a', startAfter: 'a' }]),
      attempt(['list', { start: 'b', end: 'a' }]),
    ],
  ),
  onObject('a key may be empty or long', [
    attempt(['put', '', 'number'], ['get', '']),
    attempt(['put', 'k'.repeat(2_048), 'number'], ['get', 'k'.repeat(2_048)]),
    attempt(['put', 'k'.repeat(2_049), 'number'], ['get', 'k'.repeat(2_049)]),
    attempt(['get', 'k'.repeat(2_049)]),
  ]),
  onObject('deleting returns whether there was a pair', [
    ['put', 'a', 'null'],
    ['get', 'a'],
    ['delete', 'a'],
    ['delete', 'a'],
    ['get', 'a'],
  ]),
];

const TABLES: readonly Case[] = [
  onObject(
    'a binding takes the values that the platform takes',
    withEachValue((value) => [['bind', value]]),
  ),
  onObject(
    'a cursor is read once, beside other queries',
    [TABLE, ['sql', "INSERT INTO t (text) VALUES ('one'), ('two'), ('three')"]],
    [['cursor', 'SELECT id FROM t ORDER BY id', 'SELECT count(*) AS n FROM t']],
    [['cursor', 'SELECT id FROM t ORDER BY id', 'SELECT id FROM t ORDER BY id']],
    [['cursor', 'SELECT id FROM t WHERE id > 9', 'SELECT 1 AS one']],
    [['cursor', "INSERT INTO t (text) VALUES ('four'), ('five') RETURNING id", 'SELECT count(*) AS n FROM t']],
  ),
  onObject('one row is expected', [
    TABLE,
    ADD,
    attempt(['one', 'SELECT id FROM t']),
    ADD,
    attempt(['one', 'SELECT id FROM t']),
    attempt(['one', 'SELECT id FROM t WHERE id = 7']),
  ]),
  onObject('statements that fail say why', [
    [
      'sql',
      'CREATE TABLE t (id TEXT PRIMARY KEY, n INTEGER NOT NULL CHECK (n >= 0), other TEXT UNIQUE, CHECK (n < 100)) STRICT, WITHOUT ROWID',
    ],
    ['sql', 'CREATE TABLE child (id TEXT PRIMARY KEY, parent TEXT NOT NULL REFERENCES t (id)) STRICT'],
    ['sql', "INSERT INTO t VALUES ('a', 1, 'x')"],
    attempt(['sql', "INSERT INTO t VALUES ('a', 1, 'y')"]),
    attempt(['sql', "INSERT INTO t VALUES ('b', 1, 'x')"]),
    attempt(['sql', "INSERT INTO t VALUES ('b', -1, 'y')"]),
    attempt(['sql', "INSERT INTO t VALUES ('b', 100, 'y')"]),
    attempt(['sql', "INSERT INTO t VALUES ('b', NULL, 'y')"]),
    attempt(['sql', "INSERT INTO t VALUES ('b', 'text', 'y')"]),
    attempt(['sql', "INSERT INTO child VALUES ('c', 'nobody')"]),
    attempt(['sql', "DELETE FROM t WHERE id = 'a'"]),
    attempt(['sql', "INSERT INTO t VALUES ('b', 1, 'x') ON CONFLICT (id) DO NOTHING"]),
    attempt(['sql', "INSERT INTO t VALUES ('a', 7, 'z') ON CONFLICT (id) DO UPDATE SET n = excluded.n RETURNING n"]),
    attempt(['sql', 'SELECT nobody FROM t']),
    attempt(['sql', 'SELECT * FROM nowhere']),
    attempt(['sql', 'SELECT nofunction(1)']),
    attempt(['sql', 'SELECT (']),
    attempt(['sql', '']),
    attempt(['sql', "SELECT json_extract('{', '$.a')"]),
    attempt(['sql', 'SELECT ? AS a, ? AS b', 1]),
    attempt(['sql', 'SELECT ? AS a', 1, 2]),
    attempt(['sql', 'SELECT ?2 AS a', 1, 2]),
    ['sql', 'SELECT * FROM t'],
  ]),
  onObject('several statements run in their order', [
    attempt([
      'sql',
      "CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT NOT NULL); INSERT INTO t (text) VALUES ('one'); SELECT * FROM t",
    ]),
    attempt(['sql', "INSERT INTO t (text) VALUES ('two'); INSERT INTO t (text) VALUES (?)", 'bound']),
    attempt(['sql', "INSERT INTO t (text) VALUES ('kept'); INSERT INTO t (text) VALUES (NULL)"]),
    ['sql', 'SELECT * FROM t'],
    COUNT,
  ]),
  onObject('a statement that fails changes nothing', [
    TABLE,
    attempt(['sql', "INSERT INTO t (id, text) VALUES (1, 'one'), (1, 'one again')"]),
    COUNT,
    attempt(['sql', "INSERT OR REPLACE INTO t (id, text) VALUES (1, 'one'), (1, 'one again')"]),
    ['sql', 'SELECT * FROM t'],
    attempt(['sql', "UPDATE t SET text = 'two' WHERE id = 1 RETURNING id, text"]),
    attempt(['sql', 'DELETE FROM t RETURNING id']),
    attempt(['sql', 'WITH n (x) AS (VALUES (1), (2)) INSERT INTO t (text) SELECT x FROM n']),
    attempt(['sql', 'WITH n (x) AS (VALUES (1), (2)) SELECT x FROM n']),
    attempt(['sql', 'UPDATE t SET n = 1 WHERE 0']),
    COUNT,
  ]),
  onObject('transactions by SQL are refused', [
    TABLE,
    ...[
      'BEGIN',
      'COMMIT',
      'ROLLBACK',
      'SAVEPOINT x',
      'RELEASE x',
      "ATTACH ':memory:' AS other",
      'VACUUM',
      'PRAGMA journal_mode = DELETE',
    ].map((query) => attempt(['sql', query])),
    ADD,
    COUNT,
  ]),
  onObject('JSON, numbers and texts are what SQLite makes of them', [
    [
      'sql',
      `SELECT json_extract('{"a":[1,{"b":"c"}]}', '$.a[1].b') AS path, json('{"a": 1}') AS text, json_type('{}') AS type`,
    ],
    ['sql', `SELECT key, value FROM json_each('["a", 2, null, {"b": 3}]')`],
    ['sql', 'SELECT 9007199254740991 AS safe, -1.5e300 AS real, 1e999 AS infinite, 0.1 + 0.2 AS sum, 7 / 2 AS whole'],
    attempt(['sql', 'SELECT 9223372036854775807 AS large']),
    attempt(['sql', 'SELECT abs(-9223372036854775808) AS over']),
    ['sql', "SELECT upper('aß'), length('\u{1f600}'), 'b' > 'a', 'B' LIKE 'b', x'00ff' AS bytes, x'' AS none"],
    ['sql', 'SELECT 1 AS a, 2 AS a, 3 AS b'],
    ['sql', 'SELECT typeof(?) AS whole, typeof(?) AS half, typeof(?) AS text, typeof(?) AS missing', 1, 1.5, '1', null],
  ]),
];

const COMMITS: readonly Case[] = [
  onObject('a transaction that throws changes no pair, no row and no alarm', [
    TABLE,
    ['put', 'a', 'text'],
    attempt([
      'transaction',
      [['put', 'a', 'number'], ['put', 'b', 'number'], ['delete', 'a'], ADD, ['set-alarm', HOUR_MS], ['throw', 'own']],
    ]),
    ...READ,
  ]),
  onObject('a transaction inside one that throws is undone with it', [
    TABLE,
    attempt([
      'transaction',
      [
        ['put', 'a', 'text'],
        ['transaction', [['put', 'b', 'text'], ADD]],
        ['throw', 'error'],
      ],
    ]),
    ...READ,
  ]),
  onObject(
    'only the inner transaction is undone if the outer one catches its fault',
    [TABLE],
    [
      [
        'transaction',
        [
          ['put', 'a', 'text'],
          ADD,
          [
            'catch',
            [
              'transaction',
              [['put', 'b', 'text'], ['delete', 'a'], ADD, ADD, ['set-alarm', HOUR_MS], ['throw', 'error']],
            ],
          ],
          ADD,
        ],
      ],
    ],
    [...READ],
  ),
  onObject('a transaction after a fault commits', [
    TABLE,
    attempt(['transaction', [ADD, ['throw', 'error']]]),
    ['transaction', [ADD, ['put', 'a', 'text'], ['set-alarm', HOUR_MS]]],
    ...READ,
  ]),
  onObject('a transaction deletes an alarm, or leaves it', [
    TABLE,
    ['set-alarm', HOUR_MS],
    attempt(['transaction', [['delete-alarm'], ['throw', 'error']]]),
    ['get-alarm'],
    ['transaction', [['delete-alarm']]],
    ['get-alarm'],
  ]),
  onObject(
    'writes without an await between them are lost together',
    [TABLE],
    [['put', 'kept', 'text'], ADD],
    [['put', 'a', 'text'], ADD, ['set-alarm', HOUR_MS], ['abort']],
    [...READ, ['count']],
  ),
  onObject(
    'a microtask does not commit',
    [TABLE],
    [['put', 'a', 'text'], ADD, ['microtask'], ['put', 'b', 'text'], ['microtask'], ['abort']],
    READ,
  ),
  onObject(
    'writes before a wait are kept, those after it are lost',
    [TABLE],
    [['put', 'a', 'text'], ADD, ['wait', 5], ['put', 'b', 'text'], ADD, ['set-alarm', HOUR_MS], ['abort']],
    READ,
  ),
  onObject(
    'reading and setting an alarm does not commit',
    [TABLE],
    [['put', 'a', 'text'], ['get-alarm'], ['set-alarm', HOUR_MS], ['get-alarm'], ['delete-alarm'], ['abort']],
    READ,
  ),
  onObject(
    'a transaction does not commit by itself',
    [TABLE],
    [['transaction', [['put', 'a', 'text'], ADD]], ['abort']],
    READ,
  ),
  onObject('a fault does not undo writes', [TABLE], [['put', 'a', 'text'], ADD, ['throw', 'own']], READ),
  onObject(
    'deleting everything leaves no pair, table or alarm',
    [TABLE, ADD, ['put', 'a', 'text'], ['set-alarm', HOUR_MS]],
    [['delete-all'], ['list', {}], ['get-alarm'], attempt(COUNT)],
    [TABLE, COUNT, ['put', 'b', 'text'], ['set-alarm', HOUR_MS]],
    [['delete-all-and-alarm']],
    [['list', {}], ['get-alarm'], attempt(COUNT)],
  ),
  onObject(
    'deleting everything is not undone',
    [TABLE, ADD, ['put', 'a', 'text'], ['set-alarm', HOUR_MS]],
    [['put', 'b', 'text'], ['delete-all'], ['put', 'c', 'text'], ['abort']],
    [['list', {}], ['get-alarm'], attempt(COUNT)],
  ),
  onObject(
    'an object that aborts begins again',
    [['count'], ['count']],
    [['count'], ['put', 'a', 'text']],
    [['abort']],
    [['count'], ['get', 'a'], ['name']],
  ),
];

/** Pairs, tables and commits of one object. */
export const STORAGE_CASES: readonly Case[] = [...PAIRS, ...TABLES, ...COMMITS];
