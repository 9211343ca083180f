import { attempt, type Case, HOUR_MS } from './case.ts';

const both = (title: string, plays: number, outcomes: number | undefined, ...script: Case['script']): Case => ({
  title,
  lane: 'objects',
  script,
  plays,
  ...(outcomes && { outcomes }),
});

/** Calls that meet in one object. */
export const MEETING_CASES: readonly Case[] = [
  both(
    'two calls interleave at awaits, and only there',
    30,
    undefined,
    [
      {
        object: 'interleave',
        steps: [
          ['append', 'a1'],
          ['append', 'a2'],
          ['open-latch', 'a'],
          ['await-latch', 'b'],
          ['append', 'a3'],
        ],
      },
      {
        object: 'interleave',
        steps: [
          ['append', 'b1'],
          ['append', 'b2'],
          ['open-latch', 'b'],
          ['await-latch', 'a'],
          ['append', 'b3'],
        ],
      },
    ],
    [{ object: 'interleave', steps: [['appended']] }],
  ),
  both(
    'nobody interrupts calls without awaits',
    30,
    2,
    [
      { object: 'whole', steps: [['append', 'a'], ['microtask'], ['append', 'a'], ['get-alarm'], ['append', 'a']] },
      {
        object: 'whole',
        steps: [['append', 'b'], ['microtask'], ['append', 'b'], ['set-alarm', HOUR_MS], ['append', 'b']],
      },
    ],
    [{ object: 'whole', steps: [['appended']] }],
  ),
  both(
    'a block keeps other calls out, over awaits',
    30,
    2,
    [
      {
        object: 'block',
        steps: [
          [
            'block',
            [
              ['append', 'a'],
              ['wait', 5],
              ['append', 'a'],
              ['ask', 'block-2', []],
              ['append', 'a'],
            ],
          ],
        ],
      },
      { object: 'block', steps: [['append', 'b']] },
    ],
    [{ object: 'block', steps: [['appended']] }],
  ),
  both(
    'a block keeps out the rest of a call that waits',
    60,
    undefined,
    [
      {
        object: 'rest',
        steps: [
          ['append', 'a'],
          ['ask', 'rest-2', []],
          ['append', 'a'],
          ['wait', 1],
          ['append', 'a'],
        ],
      },
      {
        object: 'rest',
        steps: [
          [
            'block',
            [
              ['append', 'b'],
              ['ask', 'rest-3', []],
              ['append', 'b'],
              ['wait', 2],
              ['append', 'b'],
            ],
          ],
        ],
      },
    ],
    [{ object: 'rest', steps: [['appended']] }],
  ),
  both(
    'a call begins two blocks at once',
    30,
    1,
    [
      {
        object: 'twice',
        steps: [
          [
            'at-once',
            [
              [
                'block',
                [
                  ['append', 'a'],
                  ['wait', 1],
                  ['append', 'a'],
                ],
              ],
              [
                'block',
                [
                  ['append', 'b'],
                  ['append', 'b'],
                ],
              ],
            ],
          ],
          ['append', 'c'],
        ],
      },
    ],
    [{ object: 'twice', steps: [['appended']] }],
  ),
  both(
    'calls that waited for a block run one after the other',
    100,
    6,
    [
      {
        object: 'waited',
        steps: [
          [
            'block',
            [
              ['wait', 5],
              ['append', 'a'],
            ],
          ],
        ],
      },
      { object: 'waited', steps: [['append', 'b'], ['microtask'], ['append', 'b'], ['microtask'], ['append', 'b']] },
      { object: 'waited', steps: [['append', 'c'], ['microtask'], ['append', 'c'], ['microtask'], ['append', 'c']] },
    ],
    [{ object: 'waited', steps: [['appended']] }],
  ),
  both(
    'two blocks run one after the other',
    30,
    2,
    [
      {
        object: 'blocks',
        steps: [
          [
            'block',
            [
              ['append', 'a'],
              ['wait', 5],
              ['append', 'a'],
            ],
          ],
          ['count'],
        ],
      },
      {
        object: 'blocks',
        steps: [
          [
            'block',
            [
              ['append', 'b'],
              ['wait', 2],
              ['append', 'b'],
            ],
          ],
        ],
      },
    ],
    [{ object: 'blocks', steps: [['appended']] }],
  ),
  both(
    'a call waits for an answer, and others run meanwhile',
    30,
    undefined,
    [
      {
        object: 'busy',
        steps: [
          ['append', 'a'],
          ['ask', 'busy-2', [['await-list', 'busy', 2]]],
          ['append', 'a'],
        ],
      },
      { object: 'busy', steps: [['append', 'b']] },
    ],
    [{ object: 'busy', steps: [['appended']] }],
  ),
  both(
    'an abort ends the other calls of the object, and those that are not yet seen',
    30,
    undefined,
    [
      {
        object: 'doomed',
        steps: [
          ['append', 'a'],
          ['await-latch', 'never'],
        ],
      },
      {
        object: 'doomed-2',
        steps: [['await-list', 'doomed', 1], attempt(['ask', 'doomed', [['put', 'b', 'text'], ['abort']]])],
      },
    ],
    [{ object: 'doomed', steps: [['appended'], ['list', {}], ['count']] }],
  ),
  both(
    'an answer on its way is lost with its object',
    60,
    undefined,
    [
      {
        object: 'lost',
        steps: [
          [
            'block',
            [
              ['append', 'a'],
              ['ask', 'lost-2', []],
              ['append', 'a'],
            ],
          ],
        ],
      },
      { object: 'lost', steps: [['append', 'b'], ['abort']] },
    ],
    [{ object: 'lost', steps: [['appended']] }],
  ),
  both(
    'an answer is not seen if its writes are lost',
    30,
    undefined,
    [
      {
        object: 'unseen',
        steps: [
          ['open-latch', 'go'],
          ['append', 'a'],
        ],
      },
      { object: 'unseen', steps: [['await-latch', 'go'], ['abort']] },
    ],
    [{ object: 'unseen', steps: [['appended']] }],
  ),
  both(
    'an object commits what all its calls wrote, or nothing',
    30,
    undefined,
    [
      {
        object: 'together',
        steps: [['append', 'a'], ['open-latch', 'a'], ['await-latch', 'b'], ['append', 'a'], ['abort']],
      },
      {
        object: 'together',
        steps: [
          ['append', 'b'],
          ['open-latch', 'b'],
          ['await-latch', 'a'],
          ['append', 'b'],
        ],
      },
    ],
    [{ object: 'together', steps: [['appended']] }],
  ),
  both(
    'calls of several objects at once',
    60,
    undefined,
    [
      {
        object: 'many-1',
        steps: [
          [
            'ask-at-once',
            [
              { object: 'many-3', steps: [['append', 'a']] },
              { object: 'many-3', steps: [['append', 'b']] },
            ],
          ],
        ],
      },
      { object: 'many-2', steps: [['ask', 'many-3', [['append', 'c']]]] },
    ],
    [{ object: 'many-3', steps: [['appended']] }],
  ),
  both(
    'two read and write with an await between, and one loses the update',
    30,
    undefined,
    [
      {
        object: 'update',
        steps: [
          ['ask', 'update-2', []],
          ['append', 'a'],
        ],
      },
      {
        object: 'update',
        steps: [
          ['ask', 'update-2', []],
          ['append', 'b'],
        ],
      },
    ],
    [{ object: 'update', steps: [['appended']] }],
  ),
];
