import { expect, it } from 'vitest';
import { formatWorkerLine } from '../../../localnet/commands/worker-output.ts';

it.each([
  ['{"event":"request.answered","status":202,"duration_ms":7}', 'event=request.answered status=202 duration_ms=7'],
  ['✘ [ERROR] {"event":"signer.run_failed","error":"RpcFault: no"}', 'event=signer.run_failed error=RpcFault: no'],
  ['{"event":"request.answered","route":"/health","status":200}', undefined],
  ['[wrangler:info] GET /pass 200 OK (3ms)', undefined],
  ['env.DB (gatepass)       D1 Database      local', undefined],
  ['[custom build] Running: node scripts/assets.ts', undefined],
  ['', undefined],
  ['✘ [ERROR] Build failed with 1 error:', '✘ [ERROR] Build failed with 1 error:'],
  ['{ not json', '{ not json'],
])('shows the line %j as %j', (line, shown) => {
  expect(formatWorkerLine(line)).toBe(shown);
});
