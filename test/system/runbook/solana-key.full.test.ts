import { afterAll, beforeAll, expect } from 'vitest';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { SOLANA_GATEKEEPER_KEYS, SOLANA_GATEKEEPERS } from '../../../tools/localnet/solana/gatekeepers.ts';
import { fundedKeyPair, isGatekeeperOnSolana } from '../ops/network-nodes.ts';
import { Rehearsal } from './rehearsal.ts';
import { rehearse } from './rehearse.ts';

const NETWORK = 'devnet';
const [OLD, NEW] = SOLANA_GATEKEEPERS;
const [OLD_KEY, NEW_KEY] = SOLANA_GATEKEEPER_KEYS;

let service: Rehearsal;
beforeAll(async () => {
  service = await Rehearsal.open({ variables: { MAINNETS: 'mainnet-beta' } });
});
afterAll(() => service?.close());

const statusOf = async () => (await fetch(`${service.baseUrl}/health`)).status;

rehearse(
  'One Solana key serves two networks',
  'each network gets a key of its own, and the passes are issued with the new one',
  async (page) => {
    const url = service.localnet.facts.rpc[NETWORK] ?? '';
    const { key, file } = await fundedKeyPair({ folder: service.folder, url: () => url }, 'authority');
    const values = { KEY: key, ADDRESS: NEW, OLD_ADDRESS: OLD, FILE: file };
    const create =
      'npm run network -- create KEY OLD_ADDRESS --name Acme --network devnet --env ENV --authority-key-file FILE';
    const created = await service.run(create, values);
    expect(created.code, created.printed).toBe(0);

    // No request of this test reaches a mainnet: nothing is issued there.
    const both = { ...JSON.parse(service.endpoints), 'mainnet-beta': [url] };
    service.edit({ RPC_ENDPOINTS: JSON.stringify(both), SOLANA_GATEKEEPER_KEY: OLD_KEY });
    await service.deploy();
    expect(await statusOf()).toBe(500);

    service.writeSecrets('endpoints.secrets', { RPC_ENDPOINTS: JSON.stringify({ ...both, [NETWORK]: undefined }) });
    await service.run(page.next('npm run wrangler -- secret bulk endpoints.secrets'));
    expect(await statusOf()).toBe(200);
    await expect(service.partner('acme').issue(NETWORK, freshWallet(NETWORK))).rejects.toMatchObject({
      problem: { code: 'network_not_enabled' },
    });

    service.writeSecrets('solana.secrets', {
      SOLANA_GATEKEEPER_KEY: JSON.stringify({ [NETWORK]: NEW_KEY, 'mainnet-beta': OLD_KEY }),
      RPC_ENDPOINTS: JSON.stringify(both),
    });
    const added = await service.run(page.next('npm run network -- add-gatekeeper'), values);
    expect(added.code, added.printed).toBe(0);
    const removed = await service.run(page.next('npm run network -- remove-gatekeeper'), values);
    expect(removed.code, removed.printed).toBe(0);
    expect(await isGatekeeperOnSolana(url, key, NEW)).toBe(true);
    expect(await isGatekeeperOnSolana(url, key, OLD)).toBe(false);
    const { printed } = await service.run(page.next('npm run doctor'));
    expect(printed).toMatch(new RegExp(`ok +${NETWORK}, gatekeeper ${NEW}`));
    await service.run(page.next('npm run wrangler -- secret bulk solana.secrets'));
    for (const rm of ['rm endpoints.secrets', 'rm solana.secrets'])
      expect(await service.run(page.next(rm))).toMatchObject({ code: 0 });
    const wallet = freshWallet(NETWORK);
    await service.partner('acme').issue(NETWORK, wallet);
    expect(await service.partner('acme').untilSettled(NETWORK, wallet)).toMatchObject({ state: 'ACTIVE' });
  },
);
