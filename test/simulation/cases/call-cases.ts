import { attempt, type Case, callsOf, inTurn, onObject, withEachValue } from './case.ts';
import { type Step, THROWN, type ThrownName } from './script.ts';

/** Calls between objects, one at a time, and their background work. */
export const CALL_CASES: readonly Case[] = [
  {
    title: 'an argument and an answer are copies, or refused',
    lane: 'objects',
    script: callsOf(
      'copies',
      withEachValue((value) => [['give', 'copies-2', value]]),
    ),
  },
  {
    title: 'an answer is a copy, or refused',
    lane: 'objects',
    script: callsOf(
      'answers',
      withEachValue((value) => [['ask', 'answers-2', [['return', value]]]]),
    ),
  },
  {
    title: 'a thrown value arrives as an error, over one call and over two',
    lane: 'objects',
    script: inTurn(
      ...(Object.keys(THROWN) as ThrownName[]).flatMap((thrown) => [
        { object: 'throws', steps: [['throw', thrown]] as Step[] },
        { object: 'throws', steps: [attempt(['ask', 'throws-2', [['throw', thrown]]])] },
        { object: 'throws', steps: [['ask', 'throws-2', [['ask', 'throws-3', [['throw', thrown]]]]]] as Step[] },
      ]),
    ),
  },
  onObject('a method that does not exist is refused', [attempt(['call-missing', 'missing-2'])]),
  onObject('an object calls itself', [
    ['put', 'a', 'text'],
    ['ask', 'an object calls itself', [['get', 'a'], ['name'], ['put', 'b', 'text']]],
    ['get', 'b'],
  ]),
  {
    title: 'an object that aborts ends the calls of others',
    lane: 'objects',
    script: inTurn(
      {
        object: 'aborts-1',
        steps: [attempt(['ask', 'aborts-2', [['put', 'a', 'text'], ['abort']]]), ['put', 'b', 'text']],
      },
      { object: 'aborts-1', steps: [['list', {}]] },
      { object: 'aborts-2', steps: [['list', {}]] },
    ),
  },
  onObject(
    'blocking returns a value or throws, and a fault ends the object',
    [
      ['count'],
      [
        'block',
        [
          ['put', 'a', 'text'],
          ['return', 'map'],
        ],
      ],
      ['count'],
    ],
    [
      ['put', 'b', 'text'],
      [
        'block',
        [
          ['put', 'c', 'text'],
          ['throw', 'own'],
        ],
      ],
      ['put', 'd', 'text'],
    ],
    [['count'], ['list', {}]],
    [
      attempt(
        ['put', 'e', 'text'],
        [
          'block',
          [
            ['wait', 5],
            ['put', 'f', 'text'],
            ['throw', 'text'],
          ],
        ],
      ),
      ['put', 'g', 'text'],
    ],
    [['count'], ['list', {}]],
  ),
  onObject('work that outlives its block continues', [
    [
      'block',
      [
        [
          'wait-until',
          [
            ['wait', 5],
            ['append', 'b'],
          ],
        ],
        ['append', 'a'],
      ],
    ],
    ['wait', 100],
    ['appended'],
  ]),
  onObject('blocking inside of blocking', [
    [
      'block',
      [
        [
          'block',
          [
            ['put', 'a', 'text'],
            ['wait', 2],
          ],
        ],
        ['get', 'a'],
      ],
    ],
    ['list', {}],
  ]),
  {
    title: 'a message leaves only after the writes before it',
    lane: 'objects',
    script: inTurn(
      { object: 'gate-1', steps: [['put', 'a', 'text'], ['tell', 'gate-2', [['put', 'told', 'text']]], ['abort']] },
      {
        object: 'gate-1',
        steps: [
          ['list', {}],
          ['wait', 20],
        ],
      },
      { object: 'gate-2', steps: [['list', {}]] },
    ),
  },
  {
    title: 'a query leaves only after the writes before it',
    lane: 'database',
    script: inTurn(
      {
        object: 'gate-d1',
        steps: [
          ['d1', 'run', 'DROP TABLE IF EXISTS t'],
          ['d1', 'run', 'CREATE TABLE t (id INTEGER PRIMARY KEY)'],
        ],
      },
      {
        object: 'gate-d1',
        steps: [['put', 'a', 'text'], ['wait-until', [['d1', 'run', 'INSERT INTO t DEFAULT VALUES']]], ['abort']],
      },
      {
        object: 'gate-d1',
        steps: [
          ['list', {}],
          ['wait', 20],
          ['d1', 'first', 'SELECT count(*) AS n FROM t'],
        ],
      },
    ),
  },
  {
    title: 'background work continues after the answer, and its faults harm nobody',
    lane: 'objects',
    script: inTurn(
      {
        object: 'background',
        steps: [
          [
            'wait-until',
            [
              ['await-latch', 'a'],
              ['put', 'later', 'text'],
              ['ask', 'background-2', [['append', 'done']]],
            ],
          ],
        ],
      },
      {
        object: 'background',
        steps: [
          ['wait-until', [['throw', 'own']]],
          [
            'wait-until',
            [
              ['wait', 1],
              ['throw', 'own'],
            ],
          ],
        ],
      },
      {
        object: 'background',
        steps: [['list', {}], ['open-latch', 'a'], ['await-list', 'background-2', 1], ['list', {}], ['count']],
      },
    ),
  },
  {
    title: 'background work ends with the object',
    lane: 'objects',
    script: callsOf(
      'ended',
      [
        [
          'wait-until',
          [
            ['put', 'a', 'text'],
            ['await-latch', 'a'],
            ['put', 'b', 'text'],
          ],
        ],
      ],
      [['abort']],
      [['open-latch', 'a'], ['microtask'], ['list', {}]],
      [['list', {}]],
    ),
  },
];
