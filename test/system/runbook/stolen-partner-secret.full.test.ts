import { afterAll, beforeAll, expect } from 'vitest';
import { GATEKEEPERS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { Rehearsal, wallet } from './rehearsal.ts';
import { rehearse } from './rehearse.ts';

const NETWORK = 'sepolia';
const [GATEKEEPER] = GATEKEEPERS;

let service: Rehearsal;
beforeAll(async () => {
  service = await Rehearsal.open();
});
afterAll(() => service?.close());

rehearse(
  "A partner's token or secret is stolen",
  'the commands suspend the client, end its unsigned steps, revoke the passes that it issued and let it continue',
  async (page) => {
    const issue = (address: string) => service.partner('acme').issue(NETWORK, address);
    const untilSettled = (address: string) => service.partner('acme').untilSettled(NETWORK, address);
    // From the report to the end.
    const FROM = new Date().toISOString();
    const before = wallet();
    await issue(before);
    await untilSettled(before);
    const CLIENT_ID = service.localnet.facts.partners.find(({ name }) => name === 'acme')?.clientId ?? '';
    await service.setBalance(NETWORK, GATEKEEPER, '0');
    const [signed, unsigned, later] = [wallet(), wallet(), wallet()];
    // The first transaction is signed, and the node refuses it. The signer then pauses.
    for (const ofThief of [signed, unsigned]) {
      await issue(ofThief);
      await service.untilStuck(ofThief);
    }
    expect(await service.run(page.next('npm run partner -- suspend'), { CLIENT_ID })).toMatchObject({ code: 0 });
    await expect(issue(wallet())).rejects.toMatchObject({ status: 403, problem: { code: 'partner_suspended' } });
    const withdraw = page.next('curl -X POST $GATEPASS_URL/admin/withdraw');
    expect(await service.answerOf(withdraw, { CLIENT_ID })).toEqual({ withdrawn: 1, signed: 1, more: false });
    await service.setBalance(NETWORK, GATEKEEPER, '100');
    const selected = { CLIENT_ID, FROM, TO: new Date().toISOString(), REASON: 'stolen' };
    const counted = await service.run(page.next('npm run revoke'), selected);
    expect(counted.printed).toContain('revoked 3, revoked before 0, left alone 0, failed 0');
    const revoked = await service.run(page.next('npm run revoke'), selected);
    expect(revoked.code, revoked.printed).toBe(0);
    expect(revoked.printed).toContain('revoked 3, revoked before 0, left alone 0, failed 0');
    expect(await service.run(page.next('npm run partner -- resume'), { CLIENT_ID })).toMatchObject({ code: 0 });
    for (const ofThief of [before, signed, unsigned])
      expect(await untilSettled(ofThief)).toMatchObject({ state: 'REVOKED' });
    await issue(later);
    expect(await untilSettled(later)).toMatchObject({ state: 'ACTIVE' });
    expect(await service.partner('acme').fetch(NETWORK, unsigned)).toMatchObject({
      state: 'REVOKED',
      onChainState: 'NONE',
    });
  },
);
