import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, expect } from 'vitest';
import { GATEKEEPER_KEYS, GATEKEEPERS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { SOLANA_GATEKEEPER_KEYS } from '../../../tools/localnet/solana/gatekeepers.ts';
import { Rehearsal, wallet } from './rehearsal.ts';
import { rehearse } from './rehearse.ts';

const NETWORK = 'sepolia';
const [OLD] = GATEKEEPERS;

let service: Rehearsal;
beforeAll(async () => {
  service = await Rehearsal.open();
});
afterAll(() => service?.close());

interface Signer {
  readonly network: string;
  readonly address: string;
  readonly retired: boolean;
  readonly balance: string | null;
  readonly nextNonce: number | null;
}
async function signerOf(address: string): Promise<Signer | undefined> {
  const { signers } = await service.admin<{ signers: Signer[] }>('/admin/signers');
  return signers.find((each) => each.network === NETWORK && each.address === address);
}

rehearse('Rotate a key', 'new passes go to the new key, and the old key serves its passes', async (page) => {
  const key = generatePrivateKey();
  const address = privateKeyToAddress(key);
  const acme = service.partner('acme');
  const ofOld = wallet();
  await acme.issue(NETWORK, ofOld);
  await acme.untilSettled(NETWORK, ofOld);

  expect(await service.run(page.next('(umask 077; touch rotation.secrets)'))).toMatchObject({ code: 0 });
  service.writeSecrets('rotation.secrets', {
    ETHEREUM_GATEKEEPER_KEY: `${GATEKEEPER_KEYS[0]} ${key}`,
    SOLANA_GATEKEEPER_KEY: SOLANA_GATEKEEPER_KEYS[0],
    RPC_ENDPOINTS: service.endpoints,
  });
  expect((await service.run(page.next('npm run doctor'))).printed).toMatch(new RegExp(`FAIL .*${address}`));
  service.edit({ RETIRED_GATEKEEPERS: address });
  expect(await service.run(page.next('npm run deploy'))).toMatchObject({ code: 0 });
  expect(await service.run(page.next('npm run wrangler -- secret bulk'))).toMatchObject({ code: 0 });
  const added = await service.run(page.next('npm run network -- add-gatekeeper'), {
    KEY: acme.gatekeeperNetwork,
    ADDRESS: address,
    NETWORK,
    FILE: service.writeAuthority(),
  });
  expect(added.code, added.printed).toBe(0);
  await service.setBalance(NETWORK, address, '100');
  expect(await signerOf(address)).toMatchObject({ retired: true, balance: String(100n * 10n ** 18n) });

  // Step 7.
  service.edit({ RETIRED_GATEKEEPERS: OLD });
  await service.deploy();
  const checked = await service.run(page.next('npm run doctor'));
  expect(checked.printed).toContain(`${NETWORK}, gatekeeper ${address} in ${acme.gatekeeperNetwork}: it may issue`);
  expect(await service.run(page.next('rm rotation.secrets'))).toMatchObject({ code: 0 });

  const [ofNew, before] = [wallet(), await signerOf(OLD)];
  await acme.issue(NETWORK, ofNew);
  expect(await acme.untilSettled(NETWORK, ofNew)).toMatchObject({ state: 'ACTIVE' });
  expect((await signerOf(OLD))?.nextNonce).toBe(before?.nextNonce);
  expect(await signerOf(address)).toMatchObject({ retired: false, nextNonce: 1 });
  await acme.update(NETWORK, ofOld, { state: 'FROZEN' });
  expect(await acme.untilSettled(NETWORK, ofOld)).toMatchObject({ onChainState: 'FROZEN' });
  expect((await signerOf(address))?.nextNonce).toBe(1);
});
