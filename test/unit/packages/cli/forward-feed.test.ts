import { type EventPage, type FeedEvent, GatepassProblem, GatepassUnreachable } from '@gatepass/client';
import { describe, expect, it } from 'vitest';
import type { Attempt } from '../../../../packages/cli/src/listen/forward-event.ts';
import { type ForwardParts, forwardFeed } from '../../../../packages/cli/src/listen/forward-feed.ts';

const event = (sequence: number) =>
  ({ id: `p.${sequence}`, sequence, type: 'pass.issued', timestamp: 't' }) as FeedEvent;
const page = (sequences: number[], next: number, more = false): EventPage => ({
  events: sequences.map(event),
  next,
  more,
});
const problem = (status: number, code: string, more: object = {}, headers: Record<string, string> = {}) =>
  new GatepassProblem(new Response(null, { status, headers }), { code, detail: 'd', requestId: 'r', ...more });
const TAKEN: Attempt = { isDelivered: true, status: 204, durationMs: 1 };
const BUSY: Attempt = { isDelivered: false, status: 500, durationMs: 1 };
const END = new Error('the end of the test');

/** Follows these pages and faults, with these answers of the receiver, and returns the story line by line. */
async function story(pages: readonly (EventPage | Error)[], answers: readonly Attempt[], after = 0): Promise<string[]> {
  const lines: string[] = [];
  const [left, replies] = [[...pages], [...answers]];
  const parts: ForwardParts = {
    async readEvents(from) {
      lines.push(`reads after ${from}`);
      const next = left.shift() ?? END;
      if (next instanceof Error) throw next;
      return next;
    },
    forward: async () => replies.shift() ?? TAKEN,
    show: ({ sequence }, { status }, nextMs) =>
      lines.push(`${sequence}: ${status}${nextMs ? `, again in ${nextMs}` : ''}`),
    note: (line) => lines.push(line),
    onPassed: () => undefined,
    pause: async (ms) => void lines.push(`waits ${ms}`),
  };
  await expect(forwardFeed(after, parts)).rejects.toBe(END);
  return lines.slice(0, -1);
}

describe('listen', () => {
  it('delivers the events in order, and asks for more at the end of the feed', async () => {
    expect(await story([page([1, 2], 2, true), page([3], 3)], [])).toEqual([
      ...['reads after 0', '1: 204', '2: 204', 'reads after 2', '3: 204', 'waits 2000'],
    ]);
  });

  it('tries a failed event three times again, and then the next ones once until one is delivered', async () => {
    expect(await story([page([1, 2, 3, 4], 4)], [BUSY, BUSY, BUSY, BUSY, BUSY, TAKEN, BUSY])).toEqual([
      'reads after 0',
      ...[
        '1: 500, again in 1000',
        'waits 1000',
        '1: 500, again in 3000',
        'waits 3000',
        '1: 500, again in 10000',
        'waits 10000',
      ],
      ...['1: 500', '2: 500', '3: 204', '4: 500, again in 1000', 'waits 1000', '4: 204', 'waits 2000'],
    ]);
  });

  it('does not repeat an event after 410', async () => {
    const gone: Attempt = { isDelivered: false, status: 410, durationMs: 1 };
    expect(await story([page([1], 1)], [gone])).toEqual(['reads after 0', '1: 410', 'waits 2000']);
  });

  it('waits visibly for a service that does not answer, as long as it asks for, but at most a minute', async () => {
    const away = new GatepassUnreachable('http://a.example/', undefined);
    const busy = problem(429, 'rate_limited', {}, { 'retry-after': '7' });
    const hostile = problem(503, 'temporarily_unavailable', {}, { 'retry-after': '99999999' });
    expect(await story([away, busy, hostile, page([], 5)], [], 5)).toEqual([
      'reads after 5',
      'no answer from a.example: check GATEPASS_URL and your network; asks again in 5 s',
      ...['waits 5000', 'reads after 5', '429 rate_limited: d; asks again in 7 s', 'waits 7000', 'reads after 5'],
      ...['503 temporarily_unavailable: d; asks again in 60 s', 'waits 60000', 'reads after 5', 'waits 2000'],
    ]);
  });

  it('continues with the oldest event that is left', async () => {
    expect(await story([problem(410, 'cursor_expired', { oldest: 9 }), page([9], 9)], [], 3)).toEqual([
      'reads after 3',
      'the feed has deleted the next events: continues with the oldest one that is left',
      ...['reads after 8', '9: 204', 'waits 2000'],
    ]);
  });

  it('ends with a refusal of the service', async () => {
    const refused = problem(403, 'insufficient_scope');
    const parts = { readEvents: () => Promise.reject(refused) } as unknown as ForwardParts;
    await expect(forwardFeed(0, parts)).rejects.toBe(refused);
  });

  it('ends if pages without events never end', async () => {
    let next = 0;
    const parts = { readEvents: async () => page([], ++next, true) } as unknown as ForwardParts;
    await expect(forwardFeed(0, parts)).rejects.toThrow('the answers do not end');
  });
});
