import { afterAll, beforeAll, expect } from 'vitest';
import { networkSettings } from '../../../tools/localnet/nodes.ts';
import { fetchToken } from '../../../tools/localnet/partner/fetch-token.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { CLOSE } from '../fault-proxy.ts';
import { pollUntil } from '../poll-until.ts';
import { ScriptedProxy } from '../scripted-proxy.ts';
import { Rehearsal } from './rehearsal.ts';
import { rehearse } from './rehearse.ts';

const NETWORK = 'sepolia';
/** The service reads a changed partner within a minute. */
const HANGS_AFTER_MS = 240_000;

const settingsWith = (change: object) => networkSettings({ [NETWORK]: change });

let service: Rehearsal;
beforeAll(async () => {
  service = await Rehearsal.open();
});
afterAll(() => service?.close());

const clientIdOf = (name: string) =>
  service.localnet.facts.partners.find((partner) => partner.name === name)?.clientId ?? '';
const untilActive = async (name: string, wallet: string) =>
  expect(await service.partner(name).untilSettled(NETWORK, wallet)).toMatchObject({ state: 'ACTIVE' });

rehearse(
  'A partner spends too much',
  'its steps end or continue as the operator decides, and other partners are not affected',
  async (page) => {
    // Less than the cost of an issuance, so that the first one reaches the ceiling.
    service.edit({ NETWORKS: settingsWith({ dailyCeiling: 1, dailyLaneCeiling: 0.000000001 }) });
    await service.deploy();
    const unwanted = await service.issueStuck(NETWORK, 'the daily ceiling of the gatekeeper network');
    const values = { CLIENT_ID: clientIdOf('acme'), N: '1000' };
    expect(await service.run(page.next('npm run partner -- suspend'), values)).toMatchObject({ code: 0 });
    const withdraw = page.next('curl -X POST $GATEPASS_URL/admin/withdraw');
    expect(await service.answerOf(withdraw, values)).toMatchObject({ withdrawn: 1, more: false });
    expect(await service.run(page.next('npm run partner -- resume'), values)).toMatchObject({ code: 0 });
    expect(await service.partner('acme').untilSettled(NETWORK, unwanted)).toMatchObject({ state: 'REJECTED' });
    const wanted = await service.issueStuck(NETWORK, 'the daily ceiling of the gatekeeper network');
    service.edit({ NETWORKS: settingsWith({ dailyCeiling: 1, dailyLaneCeiling: 1 }) });
    await service.run(page.next('npm run deploy'));
    await untilActive('acme', wanted);
    const set = await service.run(page.next('npm run partner -- set'), values);
    expect(set.code, set.printed).toBe(0);
  },
);

rehearse(
  'A signer refuses to work',
  'the step continues when the operator has raised the cap that the network needs',
  async (page) => {
    service.edit({ NETWORKS: settingsWith({ maxGas: 100_000 }) });
    await service.deploy();
    const reason = 'the signing policy refuses the transaction: its gas limit is above maxGas';
    const wallet = await service.issueStuck(NETWORK, reason);
    service.writeSecrets('ENV.secrets', { RPC_ENDPOINTS: service.endpoints });
    const doctor = await service.run(page.next('npm run doctor'));
    expect(doctor.printed).toMatch(/ok +sepolia, endpoint 1 of 1/);
    service.edit({ NETWORKS: settingsWith({}) });
    await service.withoutBlocks(NETWORK, async () => {
      await service.run(page.next('npm run deploy'));
      const redrive = page.next('curl -X POST $GATEPASS_URL/admin/redrive');
      expect(await service.answerOf(redrive)).toMatchObject({ redriven: 1, more: false });
    });
    await untilActive('acme', wallet);
  },
);

rehearse(
  'A client sends too many requests',
  'a lower quota and a suspension stop it, and others are answered',
  async (page) => {
    const values = { CLIENT_ID: clientIdOf('acme'), N: '1' };
    const issue = () =>
      service
        .partner('acme')
        .issue(NETWORK, freshWallet(NETWORK))
        .then(
          () => 202,
          ({ status }) => status,
        );
    expect(await service.run(page.next('npm run partner -- set'), values)).toMatchObject({ code: 0 });
    await pollUntil(issue, (status) => status === 429, HANGS_AFTER_MS);
    const other = freshWallet(NETWORK);
    await service.partner('globex').issue(NETWORK, other);
    await untilActive('globex', other);
    expect(await service.run(page.next('npm run partner -- suspend'), values)).toMatchObject({ code: 0 });
    await pollUntil(issue, (status) => status === 403, HANGS_AFTER_MS);
    expect(await service.run(page.next('npm run partner -- resume'), values)).toMatchObject({ code: 0 });
    await service.run('npm run partner -- set CLIENT_ID --daily-issuances N --daily-changes N --env ENV', {
      ...values,
      N: '1000',
    });
    await pollUntil(issue, (status) => status === 202, HANGS_AFTER_MS);
  },
);

rehearse(
  'The token issuer is down',
  'requests get 503, and are accepted when the keys can be fetched',
  async (page) => {
    const { jwksUrl, tokenUrl } = service.localnet.facts;
    const { origin, pathname } = new URL(jwksUrl);
    const issuer = new ScriptedProxy(origin);
    const url = await issuer.start();
    try {
      const waiting = freshWallet(NETWORK);
      await service.node(NETWORK, 'evm_setIntervalMining', 0);
      await service.partner('acme').issue(NETWORK, waiting);
      issuer.outcomeOf = () => CLOSE;
      service.edit({ JWKS_URL: `${url}${pathname}` });
      await service.deploy();
      const acme = service.localnet.facts.partners.find(({ name }) => name === 'acme');
      if (acme === undefined) throw new Error('the localnet has no partner acme');
      const headers = { authorization: `Bearer ${await fetchToken(tokenUrl, acme)}` };
      const ask = () => fetch(`${service.baseUrl}/pass/ethereum/${NETWORK}/${waiting}`, { headers });
      const refused = await ask();
      expect(refused.status).toBe(503);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      const { printed } = await service.run(page.next('npm run doctor'));
      expect(printed).toMatch(/FAIL +issuer/);
      // The passes on their way continue without a token.
      await service.node(NETWORK, 'evm_setIntervalMining', 1);
      service.edit({ JWKS_URL: jwksUrl });
      await service.run(page.next('npm run deploy'));
      await untilActive('acme', waiting);
      expect((await ask()).status).toBe(200);
    } finally {
      issuer.stop();
    }
  },
);
