import { attempt, type Case, callsOf, HOUR_MS } from './case.ts';
import { alarmsOf, type Step } from './script.ts';

/** Longer than the time before the first retry of an alarm. */
const QUIET_MS = 3_000;

/** A case of an alarm whose handler does that at its runs. */
function alarm(
  title: string,
  runs: readonly (readonly Step[])[],
  texts: number,
  ...after: readonly (readonly Step[])[]
): Case {
  const list = alarmsOf(title);
  return {
    title,
    lane: undefined,
    script: [
      ...callsOf(title, [['on-alarm', runs], ['set-alarm', 10], ['get-alarm']]),
      ...callsOf(`${title}-watch`, [['await-list', list, texts]]),
      ...callsOf(title, ...after),
      // Nothing more happens, not even after the time of a first retry.
      ...callsOf(`${title}-watch`, [
        ['wait', QUIET_MS],
        ['await-list', list, texts],
      ]),
      ...callsOf(title, [['get-alarm'], ['list', {}]]),
    ],
  };
}

/** Alarms, for which a script waits. */
export const ALARM_CASES: readonly Case[] = [
  alarm('an alarm fires once, and is not set while it runs', [[['get-alarm'], ['count']]], 2, [['get-alarm']]),
  alarm(
    'an alarm sets the next one',
    [
      [['set-alarm', 10], ['get-alarm']],
      [['get-alarm'], ['set-alarm', HOUR_MS]],
    ],
    4,
    [['get-alarm']],
  ),
  alarm(
    'an alarm that threw fires again',
    [
      [
        ['put', 'a', 'text'],
        ['throw', 'own'],
      ],
      [['list', {}], ['get-alarm']],
    ],
    4,
    [['list', {}], ['get-alarm']],
  ),
  alarm(
    'an alarm that set a later one and threw fires then',
    [[['set-alarm', HOUR_MS], ['get-alarm'], ['throw', 'error']]],
    2,
    [['get-alarm']],
  ),
  alarm(
    'an alarm that set a near one and threw fires then',
    [
      [
        ['set-alarm', 10],
        ['throw', 'error'],
      ],
      [['get-alarm']],
    ],
    4,
    [['get-alarm']],
  ),
  alarm(
    'an alarm that deletes itself and threw is over',
    [[['set-alarm', HOUR_MS], ['delete-alarm'], ['get-alarm'], ['throw', 'error']]],
    2,
    [['get-alarm']],
  ),
  alarm(
    'an alarm whose object aborted fires again',
    [
      [['put', 'a', 'text'], ['wait', 5], ['put', 'b', 'text'], ['abort']],
      [['list', {}], ['count']],
    ],
    3,
    [['list', {}], ['get-alarm']],
  ),
  alarm(
    'an alarm that set the next one and whose object aborted has that one',
    [[['set-alarm', HOUR_MS], ['wait', 5], ['abort']]],
    1,
  ),
  alarm(
    'an alarm waits for the end of the one before it',
    [[['set-alarm', 5], ['get-alarm'], ['wait', 60], ['get-alarm']], [['get-alarm']]],
    4,
    [['get-alarm']],
  ),
  {
    title: 'a call sets the alarm while its handler runs',
    lane: undefined,
    script: [
      ...callsOf('meanwhile', [
        ['on-alarm', [[['open-latch', 'runs'], ['await-latch', 'set'], ['get-alarm']], [['count']]]],
        ['set-alarm', 10],
      ]),
      ...callsOf('meanwhile', [
        ['await-latch', 'runs'],
        ['get-alarm'],
        ['set-alarm', 30],
        ['get-alarm'],
        ['open-latch', 'set'],
      ]),
      ...callsOf('meanwhile-watch', [
        ['await-list', alarmsOf('meanwhile'), 4],
        ['ask', 'meanwhile', [['get-alarm']]],
      ]),
    ],
  },
  alarm('an alarm that deletes everything is over', [[['put', 'a', 'text'], ['delete-all-and-alarm']]], 2, [
    ['list', {}],
    ['get-alarm'],
  ]),
  {
    title: 'an alarm of the past fires at once',
    lane: undefined,
    script: [
      ...callsOf('past', [
        ['on-alarm', [[['get-alarm']]]],
        ['set-alarm', -10_000],
      ]),
      ...callsOf('past-watch', [['await-list', alarmsOf('past'), 2]]),
    ],
  },
  {
    title: 'only the newest time of an alarm counts',
    lane: undefined,
    script: [
      ...callsOf('newest', [['on-alarm', [[['count']]]], ['set-alarm', 50], ['set-alarm', HOUR_MS], ['get-alarm']]),
      ...callsOf('newest-watch', [
        ['wait', 200],
        ['await-list', alarmsOf('newest'), 0],
      ]),
      ...callsOf('newest', [['set-alarm', 20]]),
      ...callsOf('newest-watch', [['await-list', alarmsOf('newest'), 2]]),
      ...callsOf('newest', [['set-alarm', 1_500], ['wait', 1], ['delete-alarm'], ['get-alarm']]),
      ...callsOf('newest-watch', [
        ['wait', QUIET_MS],
        ['await-list', alarmsOf('newest'), 2],
      ]),
    ],
  },
  {
    title: 'an alarm that is not committed does not fire',
    lane: undefined,
    script: [
      ...callsOf('uncommitted', [['on-alarm', [[['count']]]]], [['set-alarm', 10], ['abort']]),
      ...callsOf('uncommitted-watch', [
        ['wait', 200],
        ['await-list', alarmsOf('uncommitted'), 0],
      ]),
      ...callsOf('uncommitted', [
        ['get-alarm'],
        [
          'transaction',
          [
            ['set-alarm', 10],
            ['put', 'a', 'text'],
          ],
        ],
      ]),
      ...callsOf('uncommitted-watch', [['await-list', alarmsOf('uncommitted'), 2]]),
    ],
  },
  {
    title: 'an alarm survives a life of its object',
    lane: undefined,
    script: [
      ...callsOf('survives', [
        ['on-alarm', [[['count'], ['list', {}]]]],
        ['put', 'a', 'text'],
        ['set-alarm', 60],
      ]),
      ...callsOf('survives', [['count'], ['abort']]),
      ...callsOf('survives-watch', [['await-list', alarmsOf('survives'), 2]]),
    ],
  },
  {
    title: 'a time far away or none is refused',
    lane: 'objects',
    script: callsOf(
      'times',
      [-1, 0, 1, 8.64e15, 8.64e15 + 1, 1e18, Number.NaN, 253_402_300_799_999].map((time) =>
        attempt(['set-alarm-at', time], ['delete-alarm']),
      ),
    ),
  },
  {
    title: 'an alarm waits for a block',
    lane: undefined,
    script: [
      ...callsOf('blocked-alarm', [
        ['on-alarm', [[['get', 'a']]]],
        ['set-alarm', 10],
        [
          'block',
          [
            ['wait', 100],
            ['put', 'a', 'text'],
          ],
        ],
      ]),
      ...callsOf('blocked-alarm-watch', [['await-list', alarmsOf('blocked-alarm'), 2]]),
    ],
  },
];

/** The cache, whose responses end with time. */
export const CACHE_CASES: readonly Case[] = [
  {
    title: 'a cache keeps a response for its time',
    lane: undefined,
    script: [
      ...callsOf('cache', [
        ['cached', 'https://cache.example/a'],
        ['cache', 'https://cache.example/a', 'one', 60],
        ['cached', 'https://cache.example/a'],
        ['cached', 'https://cache.example/a?b'],
      ]),
      ...callsOf('cache-2', [
        ['cached', 'https://cache.example/a'],
        ['cache', 'https://cache.example/a', 'two', 60],
        ['cache', 'https://cache.example/b', 'short', 1],
      ]),
      ...callsOf('cache', [
        ['cached', 'https://cache.example/a'],
        ['wait', QUIET_MS],
        ['cached', 'https://cache.example/a'],
        ['cached', 'https://cache.example/b'],
      ]),
    ],
  },
];

/** Alarms with a call in the two seconds before their retry, which a very busy machine misses. */
export const RETRY_CASES: readonly Case[] = [
  alarm(
    'an alarm that threw is set while it waits, and may be set again',
    [[['throw', 'error']]],
    2,
    [['wait', 300], ['get-alarm'], ['set-alarm', HOUR_MS]],
    [['get-alarm']],
  ),
  alarm(
    'an alarm that threw is set while it waits, and may be deleted',
    [[['throw', 'error']]],
    2,
    [['wait', 300], ['get-alarm'], ['delete-alarm']],
    [['get-alarm']],
  ),
  alarm('an alarm that threw twice waits longer', [[['throw', 'error']], [['throw', 'text']], [['count']]], 6),
];
