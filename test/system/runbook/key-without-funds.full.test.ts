import { afterAll, beforeAll, expect, it } from 'vitest';
import { GATEKEEPERS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { pageIn } from '../../runbook-page.ts';
import { Rehearsal, wallet } from './rehearsal.ts';
import { rehearse, runbook } from './rehearse.ts';

const NETWORK = 'sepolia';
const [KEY_WITHOUT_FUNDS] = GATEKEEPERS;

let service: Rehearsal;
beforeAll(async () => {
  service = await Rehearsal.open();
});
afterAll(() => service?.close());

it('every request of the runbook that redrives all stuck passes also names passes that have just stopped', () => {
  const bodies = runbook.flatMap((page) => page.match(/\{"all": "stuck".*?\}/g) ?? []);
  expect(bodies.length).toBeGreaterThan(3);
  for (const body of bodies) expect(JSON.parse(body)).toEqual({ all: 'stuck', olderThan: 0 });
});

rehearse('A key has no funds', 'the redrive retries the passes at once when the key has funds again', async (page) => {
  const redrive = page.next('curl -X POST $GATEPASS_URL/admin/redrive');
  await service.setBalance(NETWORK, KEY_WITHOUT_FUNDS, '0');
  const [acme, waiting] = [service.partner('acme'), wallet()];
  await acme.issue(NETWORK, waiting);
  await service.untilStuck(waiting);
  // The request for a single pass, on the page that says when to send it.
  const [body = ''] = pageIn(runbook, 'A pass seems stuck').blocks('json');
  const single = body.trim().replace('KEY', acme.gatekeeperNetwork).replace('0x…', waiting);
  const [post] = redrive.split(' -d ');
  expect(await service.answerOf(`${post} -d '${single}'`)).toMatchObject({ redriven: 1, more: false });
  await service.withoutBlocks(NETWORK, async () => {
    await service.setBalance(NETWORK, KEY_WITHOUT_FUNDS, '100');
    expect(await service.answerOf(redrive)).toMatchObject({ redriven: 1, more: false });
  });
  expect(await acme.untilSettled(NETWORK, waiting)).toMatchObject({ state: 'ACTIVE' });
});
