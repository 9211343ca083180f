import { expect, it } from 'vitest';
import { formatWorkerLine } from '../../../localnet/commands/worker-output.ts';

it.each([
  ['{"at":"request","status":202,"ms":7}', 'at=request status=202 ms=7'],
  ['✘ [ERROR] {"at":"send","fault":"RpcFault: no"}', 'at=send fault=RpcFault: no'],
  ['{"at":"request","route":"/health","status":200}', undefined],
  ['[wrangler:info] GET /pass 200 OK (3ms)', undefined],
  ['env.DB (gatepass)       D1 Database      local', undefined],
  ['[custom build] Running: node scripts/assets.ts', undefined],
  ['', undefined],
  ['✘ [ERROR] Build failed with 1 error:', '✘ [ERROR] Build failed with 1 error:'],
  ['{ not json', '{ not json'],
])('shows the line %j as %j', (line, shown) => {
  expect(formatWorkerLine(line)).toBe(shown);
});
