import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, expect } from 'vitest';
import { WITHOUT_LIMITS, workerWith } from '../http/api.ts';
import { TRUSTING } from '../http/issuer.ts';
import { anOperator } from '../http/operator.ts';
import { aWaitingPass } from '../http/waiting-pass.ts';
import { rehearse, send } from './rehearse.ts';

const { AUDITS } = env as Env;
const CONSOLE = 'console-admin';
const limited = workerWith({
  ...TRUSTING,
  ...WITHOUT_LIMITS,
  CONSOLE_ADMIN_CLIENT_ID: CONSOLE,
  SECOND_PERSON: '{"withdraw": 0}',
});

/** Forgets approvals and counts, because all tests share the trail of the operator. */
afterEach(() =>
  runInDurableObject(AUDITS.getByName('operator'), (_, { storage: { sql } }) => {
    sql.exec('DELETE FROM begun_action');
    sql.exec('DELETE FROM counted_action');
  }),
);

rehearse(
  'An action waits for a second person',
  'another person confirms it, and the request with its id then takes effect',
  async (page) => {
    const [asking, second] = [
      await anOperator({}, limited),
      await anOperator({ client_id: CONSOLE, sub: 'bob' }, limited),
    ];
    const { gatekeeperNetwork: KEY } = await aWaitingPass();
    const { status, text } = await asking.post('/admin/withdraw', { gatekeeperNetwork: KEY });
    expect(status, text).toBe(202);
    const ID = JSON.parse(text).approval.id;
    const listed = await send(asking, page.next('curl $GATEPASS_URL/admin/approvals'));
    expect(JSON.parse(listed.text).approvals).toMatchObject([{ id: ID, action: 'operator.withdraw' }]);
    const confirm = page.next('curl -X POST $GATEPASS_URL/admin/approvals');
    expect((await send(asking, confirm, { ID })).status).toBe(403);
    expect((await send(second, confirm, { ID })).status).toBe(200);
    const again = page.next('curl -X POST $GATEPASS_URL/admin/withdraw');
    const done = await send(asking, again, { ID, KEY });
    expect([done.status, JSON.parse(done.text)]).toEqual([202, { withdrawn: 1, signed: 0, more: false }]);
    expect(JSON.parse((await asking.call('GET', '/admin/approvals')).text).approvals).toEqual([]);
  },
);
