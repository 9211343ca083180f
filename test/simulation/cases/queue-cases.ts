import { attempt, type Case, callsOf, inTurn, withEachValue } from './case.ts';
import { type Message, type QueueName, type Step, VALUES, type ValueName, type Verdict } from './script.ts';

const message = (to: string, label: string, verdicts: readonly Verdict[], value?: ValueName): Message => ({
  to,
  label,
  verdicts,
  ...(value && { value }),
});

/** A case of messages, of which the list of an object has a text for each delivery. */
function queue(title: string, name: QueueName, messages: readonly (readonly Verdict[])[], deliveries: number): Case {
  const list = `${title}-list`;
  return {
    title,
    lane: 'queues',
    script: callsOf(
      title,
      [['send', name, messages.map((verdicts, n) => message(list, `m${n}`, verdicts))]],
      [
        ['await-list', list, deliveries, 'sorted'],
        ['wait', 30],
        ['await-list', list, deliveries, 'sorted'],
      ],
    ),
  };
}

/** Queues, with retries and dead letters. */
export const QUEUE_CASES: readonly Case[] = [
  queue(
    'a message is delivered until it is acknowledged',
    'ones',
    [['ack'], ['retry', 'ack'], ['retry', 'retry', 'ack']],
    6,
  ),
  queue('a message that nobody judges is acknowledged', 'ones', [['nothing']], 1),
  queue(
    'the consumer throws, and its messages come again',
    'ones',
    [
      ['throw', 'ack'],
      ['throw', 'throw', 'nothing'],
    ],
    5,
  ),
  queue(
    'a message goes to the dead letters after its retries',
    'ones',
    [
      ['retry', 'retry', 'retry'],
      ['throw', 'throw', 'throw'],
    ],
    8,
  ),
  queue('a message that is to come again comes again when the consumer throws', 'ones', [['retry-throw', 'ack']], 2),
  {
    title: 'an acknowledged message may come again when the consumer throws',
    lane: 'queues',
    script: callsOf(
      'acknowledged',
      [['send', 'ones', [message('acknowledged-list', 'a', ['ack-throw'])]]],
      [
        ['wait', 60],
        ['await-list', 'acknowledged-list', 1],
      ],
    ),
    plays: 20,
    outcomes: 2,
  },
  queue('the first word on a message counts', 'ones', [['ack-retry'], ['retry-ack', 'retry-ack', 'ack']], 4),
  queue('a consumer judges a whole batch', 'ones', [['ack-all'], ['retry-all', 'ack-all']], 3),
  queue(
    'a batch has messages of different fates',
    'several',
    [['ack'], ['retry', 'ack'], ['retry', 'retry', 'retry'], ['nothing'], ['ack'], ['retry']],
    11,
  ),
  {
    title: 'a batch whose consumer throws comes again, except acknowledged messages',
    lane: 'queues',
    script: callsOf(
      'thrown-batch',
      [
        [
          'send',
          'several',
          [message('thrown-list', 'b', ['nothing', 'ack']), message('thrown-list', 'c', ['throw', 'ack'])],
        ],
      ],
      [
        ['await-text', 'thrown-list', 'several c 2'],
        ['wait', 60],
        ['await-list', 'thrown-list', 3, 'sorted'],
      ],
    ),
    plays: 60,
  },
  {
    title: 'a message is JSON',
    lane: 'queues',
    script: callsOf(
      'json',
      ...(Object.keys(VALUES) as ValueName[]).map((value): Step[] => [
        ['ask', 'json', []],
        attempt(['send', 'ones', [message(`json-${value}`, value, [], value)]], ['await-list', `json-${value}`, 1]),
      ]),
      withEachValue((value) => [['send-one', 'ones', value]]),
    ),
  },
  {
    title: 'a message leaves only after the writes before it are stored',
    lane: 'queues',
    script: inTurn(
      {
        object: 'unsent',
        steps: [['put', 'a', 'text'], ['wait-until', [['send', 'ones', [message('unsent-list', 'a', [])]]]], ['abort']],
      },
      {
        object: 'unsent',
        steps: [
          ['list', {}],
          ['put', 'a', 'text'],
          ['send', 'ones', [message('unsent-list', 'b', [])]],
        ],
      },
      {
        object: 'unsent',
        steps: [
          ['await-list', 'unsent-list', 1],
          ['wait', 50],
          ['await-list', 'unsent-list', 1],
        ],
      },
    ),
  },
  { title: 'a rate limit lets a request through', lane: 'queues', script: callsOf('limited', [['limit', 'a']]) },
];
