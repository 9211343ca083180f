import { expect, it } from 'vitest';
import { formatEvent } from '../../../localnet/commands/event-line.ts';
import type { FeedEvent } from '../../../localnet/partner/feed.ts';

const ISSUED = {
  id: 'a.1',
  sequence: 1,
  type: 'pass.issued',
  timestamp: '2026-01-02T03:04:05.000Z',
  data: {
    event: {},
    pass: { walletAddress: '0xaa', chain: { type: 'ethereum', network: 'sepolia' }, state: 'ACTIVE' },
  },
} as unknown as FeedEvent;

it.each([
  [ISSUED, '03:04:05  pass.issued  0xaa  sepolia  ACTIVE'],
  [
    { id: 'restored.7', sequence: 7, type: 'feed.restored', timestamp: '2026-01-02T03:04:05Z' },
    '03:04:05  feed.restored',
  ],
] as const)('shows the event %j as %j', (event, line) => {
  expect(formatEvent(event)).toBe(line);
});
