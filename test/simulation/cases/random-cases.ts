import { Chance } from '../platform/chance.ts';
import type { Case } from './case.ts';
import {
  type Call,
  MAX_RETRIES,
  type Message,
  type QueueName,
  type Step,
  THROWN,
  type ThrownName,
  VALUES,
  type ValueName,
  type Verdict,
} from './script.ts';

const KEYS = ['a', 'b', 'ab', 'abc', 'Z', 'ä'];
/** Values that every step takes. The named cases have the others. */
const VALUE_NAMES = (Object.keys(VALUES) as ValueName[]).filter(
  (name) => !['symbol', 'instance', 'nested-instance', 'bare', 'promise', 'weak'].includes(name),
);
const THROWN_NAMES = Object.keys(THROWN) as ThrownName[];
const TABLE_SQL = 'CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, text TEXT NOT NULL, n REAL)';

/** Statements of the tables of an object, and of D1. Some are refused. */
const STATEMENTS = [
  TABLE_SQL,
  "INSERT INTO t (text) VALUES ('one')",
  "INSERT INTO t (text, n) VALUES ('two', 2.5), ('three', NULL)",
  "INSERT OR IGNORE INTO t (id, text) VALUES (1, 'again')",
  "INSERT INTO t (id, text) VALUES (1, 'again')",
  "INSERT INTO t (id, text) VALUES (1, 'upsert') ON CONFLICT (id) DO UPDATE SET n = coalesce(n, 0) + 1 RETURNING *",
  'INSERT INTO t (text) VALUES (NULL)',
  'UPDATE t SET n = coalesce(n, 0) + 1',
  'UPDATE t SET n = n RETURNING id',
  'DELETE FROM t WHERE id % 2 = 0',
  'DELETE FROM t RETURNING text',
  "UPDATE t SET text = 'x' WHERE id = 99",
  'SELECT id, text, n FROM t ORDER BY id',
  'SELECT count(*) AS n FROM t',
  'SELECT x FROM t',
  "INSERT INTO t (text) VALUES ('returned') RETURNING id, text",
  "SELECT x'010203' AS bytes, 9007199254740991 AS big, 1.0 AS whole, NULL AS missing",
  'SELECT id AS id, text AS id FROM t LIMIT 1',
  'WITH two AS (SELECT 2 AS n) SELECT t.id, two.n FROM t, two ORDER BY t.id',
  'NO SQL',
];

/** Returns random cases: of objects, of D1, of calls that meet in one object, and of queues. The same numbers give the same cases. */
export const randomCases = (count: number): Case[] => Array.from({ length: count }, (_, number) => randomCase(number));

function randomCase(number: number): Case {
  const chance = new Chance(number + 1);
  const name = `random-${number}`;
  const kinds = [objectCase, objectCase, databaseCase, objectCase, meetingCase, databaseCase, queueCase, meetingCase];
  return (kinds[number % kinds.length] ?? objectCase)(chance, name);
}

function several<T>(chance: Chance, least: number, most: number, make: () => T): T[] {
  return Array.from({ length: least + chance.below(most - least + 1) }, make);
}

/** Calls of two objects, one at a time. */
function objectCase(chance: Chance, name: string): Case {
  const objects = [`${name}-1`, `${name}-2`];
  const call = (): Call => ({
    object: chance.oneOf(objects),
    steps: several(chance, 1, 5, () => randomStep(chance, objects, 0)),
  });
  const tables = chance.happens(0.9) ? objects.map((object): Call => ({ object, steps: [['sql', TABLE_SQL]] })) : [];
  return { title: name, lane: 'objects', script: [...tables, ...several(chance, 2, 6, call)].map((each) => [each]) };
}

/** Steps that a transaction may have. */
function randomWrite(chance: Chance): Step {
  const key = chance.oneOf(KEYS);
  const kinds: readonly (() => Step)[] = [
    () => ['put', key, chance.oneOf(VALUE_NAMES)],
    () => ['put', key, chance.oneOf(VALUE_NAMES)],
    () => ['get', key],
    () => ['delete', key],
    () => ['list', listOptions(chance)],
    () => ['sql', chance.oneOf(STATEMENTS)],
    () => ['sql', chance.oneOf(STATEMENTS)],
    () => ['sql', 'INSERT INTO t (text, n) VALUES (?, ?)', 'bound', chance.below(3)],
    () => ['cursor', chance.oneOf(STATEMENTS), chance.oneOf(STATEMENTS)],
    () => ['one', chance.oneOf(STATEMENTS)],
    () => ['set-alarm', 3_600_000],
    () => ['delete-alarm'],
    () => ['throw', chance.oneOf(THROWN_NAMES)],
  ];
  return chance.oneOf(kinds)();
}

function randomTransaction(chance: Chance, depth: number): Step {
  const steps = several(chance, 1, 4, (): Step => {
    if (depth >= 2 || chance.happens(0.7)) return randomWrite(chance);
    const inner = randomTransaction(chance, depth + 1);
    return chance.happens(0.5) ? ['catch', inner] : inner;
  });
  return ['transaction', steps];
}

function randomStep(chance: Chance, objects: readonly string[], depth: number): Step {
  const inner = () => several(chance, 1, 4, () => randomStep(chance, objects, depth + 1));
  const other = () => `${chance.oneOf(objects)}-other`;
  const kinds: readonly (() => Step)[] = [
    ...Array.from({ length: 5 }, () => () => randomWrite(chance)),
    () => ['get-alarm'],
    () => ['microtask'],
    () => ['count'],
    () => ['transaction', several(chance, 1, 3, () => randomWrite(chance))],
    () => randomTransaction(chance, 0),
    ...(depth > 1
      ? []
      : [
          (): Step => ['try', inner()],
          (): Step => ['try', inner()],
          (): Step => ['block', inner()],
          (): Step => ['ask', other(), inner()],
        ]),
    ...(depth > 0
      ? []
      : [
          (): Step => ['give', other(), chance.oneOf(VALUE_NAMES)],
          (): Step => ['return', chance.oneOf(VALUE_NAMES)],
          (): Step => ['wait', 2],
          (): Step => ['delete-all'],
          (): Step => ['abort'],
          (): Step => ['abort'],
        ]),
  ];
  return chance.oneOf(kinds)();
}

function listOptions(chance: Chance): object {
  const key = () => chance.oneOf(KEYS);
  return {
    ...(chance.happens(0.3) && { prefix: key() }),
    ...(chance.happens(0.3) && { start: key() }),
    ...(chance.happens(0.1) && { startAfter: key() }),
    ...(chance.happens(0.2) && { end: key() }),
    ...(chance.happens(0.3) && { limit: 1 + chance.below(3) }),
    ...(chance.happens(0.3) && { reverse: true }),
  };
}

/** Queries and sessions of a database with one table. */
function databaseCase(chance: Chance, name: string): Case {
  const query = (): Step => {
    if (chance.happens(0.3)) return ['batch', several(chance, 1, 3, () => [chance.oneOf(STATEMENTS)] as const)];
    return ['d1', chance.oneOf(['all', 'first', 'run'] as const), chance.oneOf(STATEMENTS)];
  };
  const isInSession = chance.happens(0.5);
  const step = (): Step => {
    if (!isInSession) return query();
    const constraint = chance.oneOf(['first-primary', 'bookmark', 'first-unconstrained'] as const);
    return ['session', constraint, several(chance, 1, 3, query)];
  };
  const table: Step[] = chance.happens(0.9) ? [['d1', 'run', TABLE_SQL]] : [];
  const steps: Step[] = [
    ['d1', 'run', 'DROP TABLE IF EXISTS child'],
    ['d1', 'run', 'DROP TABLE IF EXISTS t'],
    ...table,
    ...several(chance, 3, 7, step),
  ];
  return {
    title: name,
    lane: 'database',
    // One call for each step: a step that throws ends its call.
    script: steps.map((each) => [{ object: name, steps: [each] }]),
    ...(isInSession && { plays: 20 }),
  };
}

/** Two or three calls at once, most of one object. */
function meetingCase(chance: Chance, name: string): Case {
  let n = 0;
  const append = (): Step => {
    n += 1;
    return ['append', `${n}`];
  };
  const step = (): Step => {
    const kinds: readonly (() => Step)[] = [
      append,
      append,
      append,
      () => ['microtask'],
      () => ['get-alarm'],
      () => ['set-alarm', 3_600_000],
      () => ['ask', `${name}-2`, [append()]],
      () => ['ask', `${name}-2`, []],
      () => ['block', [append(), chance.happens(0.5) ? ['ask', `${name}-3`, []] : ['microtask'], append()]],
      () => ['tell', `${name}-2`, [append()]],
      () => ['transaction', [append(), append()]],
      () => ['try', [append(), ['throw', 'error']]],
    ];
    return chance.oneOf(kinds)();
  };
  const calls = several(
    chance,
    2,
    2,
    (): Call => ({ object: chance.happens(0.8) ? name : `${name}-2`, steps: several(chance, 2, 4, step) }),
  );
  const aborting: Call[] = chance.happens(0.3) ? [{ object: name, steps: [append(), ['abort']] }] : [];
  const read: Step[] = [['appended'], ['get-alarm']];
  return {
    title: name,
    lane: 'objects',
    script: [[...calls, ...aborting], [{ object: name, steps: read }], [{ object: `${name}-2`, steps: read }]],
    plays: 20,
  };
}

const ENDS: readonly Verdict[] = ['ack', 'nothing', 'ack-retry'];
const REPEATS: readonly Verdict[] = ['retry', 'retry-ack'];

/** Messages of one queue, each with a list of verdicts that says how often it comes. */
function queueCase(chance: Chance, name: string): Case {
  const queue = chance.oneOf<QueueName>(['ones', 'several']);
  // In a batch of several messages, these concern the others.
  const ends = [...ENDS, ...(queue === 'ones' ? (['ack-all'] as const) : [])];
  const repeats = [...REPEATS, ...(queue === 'ones' ? (['throw', 'retry-throw', 'retry-all'] as const) : [])];
  let deliveries = 0;
  const message = (label: string): Message => {
    const failures = chance.below(MAX_RETRIES + 2);
    // After its last failure, it goes to the dead letters.
    deliveries += failures + 1;
    const verdicts = [...several(chance, failures, failures, () => chance.oneOf(repeats)), chance.oneOf(ends)];
    return { to: `${name}-list`, label, value: chance.oneOf(['text', 'nested', 'date', 'null'] as const), verdicts };
  };
  const messages = ['a', 'b', 'c', 'd', 'e'].slice(0, 1 + chance.below(5)).map(message);
  return {
    title: name,
    lane: 'queues',
    script: [
      [{ object: name, steps: [['send', queue, messages]] }],
      [
        {
          object: name,
          steps: [
            ['await-list', `${name}-list`, deliveries, 'sorted'],
            ['wait', 10],
            ['await-list', `${name}-list`, deliveries, 'sorted'],
          ],
        },
      ],
    ],
  };
}
