import { expect, it } from 'vitest';
import { formatEvent, formatWorkerLine } from '../../../../tools/localnet/commands/terminal-lines.ts';
import type { FeedEvent } from '../../../../tools/localnet/partner/feed.ts';

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

it.each([
  ['{"event":"request.answered","status":202,"duration_ms":7}', 'event=request.answered status=202 duration_ms=7'],
  ['✘ [ERROR] {"event":"signer.run_failed","error":"RpcFault: no"}', 'event=signer.run_failed error=RpcFault: no'],
  ['{"event":"request.answered","route":"/health","status":200}', undefined],
  ['[wrangler:info] GET /pass 200 OK (3ms)', undefined],
  ['env.DB (gatepass)       D1 Database      local', undefined],
  ['[custom build] Running: node tools/build.ts', undefined],
  ['', undefined],
  ['✘ [ERROR] Build failed with 1 error:', '✘ [ERROR] Build failed with 1 error:'],
  ['{ not json', '{ not json'],
])('shows the line %j as %j', (line, shown) => {
  expect(formatWorkerLine(line)).toBe(shown);
});
