import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, expect } from 'vitest';
import { GATEKEEPERS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { SOLANA_GATEKEEPER_KEYS } from '../../../tools/localnet/solana/gatekeepers.ts';
import { contractOn } from '../ops/network-nodes.ts';
import { Rehearsal, wallet } from './rehearsal.ts';
import { rehearse } from './rehearse.ts';

const NETWORK = 'sepolia';
const [LEAKED] = GATEKEEPERS;

let service: Rehearsal;
beforeAll(async () => {
  service = await Rehearsal.open();
});
afterAll(() => service?.close());

rehearse(
  'A key has leaked',
  'the commands replace the key on chain and in the service, and the passes continue',
  async (page) => {
    const key = generatePrivateKey();
    const address = privateKeyToAddress(key);
    const authority = service.writeAuthority();
    const acme = service.partner('acme');
    const contract = contractOn(service.localnet.facts.rpc[NETWORK] ?? '', acme.gatekeeperNetwork);
    const held = wallet();
    await acme.issue(NETWORK, held);
    await acme.untilSettled(NETWORK, held);

    const compromise = page.next('npm run emergency -- compromise');
    const stopped = await service.run(compromise, { ADDRESS: LEAKED });
    expect(stopped.code, stopped.printed).toBe(0);
    const { signers } = await service.admin<{ signers: { network: string; compromised: boolean }[] }>('/admin/signers');
    expect(signers.find((each) => each.network === NETWORK)).toMatchObject({ address: LEAKED, compromised: true });
    await expect(acme.issue(NETWORK, wallet())).rejects.toMatchObject({
      status: 400,
      problem: { code: 'network_not_enabled' },
    });
    await acme.update(NETWORK, held, { state: 'FROZEN' });

    service.writeSecrets('endpoints.secrets', { RPC_ENDPOINTS: service.endpoints });
    const named = { KEY: acme.gatekeeperNetwork, NETWORK };
    const remove = page.next('npm run network -- remove-gatekeeper');
    const removed = await service.run(remove, { ...named, ADDRESS: LEAKED, FILE: authority });
    expect(removed.code, removed.printed).toBe(0);
    expect(await contract.isGatekeeper(LEAKED)).toBe(false);

    expect(await service.run(page.next('(umask 077; touch leak.secrets)'))).toMatchObject({ code: 0 });
    service.writeSecrets('leak.secrets', {
      ETHEREUM_GATEKEEPER_KEY: key,
      SOLANA_GATEKEEPER_KEY: SOLANA_GATEKEEPER_KEYS[0],
      RPC_ENDPOINTS: service.endpoints,
    });
    expect((await service.run(page.next('npm run doctor'))).printed).toMatch(new RegExp(`FAIL .*${address}`));
    await service.run(page.next('npm run wrangler -- secret bulk'));
    await service.untilStuck(held);
    const add = page.next('npm run network -- add-gatekeeper');
    const added = await service.run(add, { ...named, ADDRESS: address, FILE: authority });
    expect(added.code, added.printed).toBe(0);
    expect((await service.run(page.next('npm run doctor'))).printed).toContain(
      `${NETWORK}, gatekeeper ${address} in ${acme.gatekeeperNetwork}: it may issue`,
    );
    expect(await service.run(page.next('rm leak.secrets'))).toMatchObject({ code: 0 });
    const redrive = page.next('curl -X POST $GATEPASS_URL/admin/redrive');
    await service.withoutBlocks(NETWORK, async () => {
      await service.setBalance(NETWORK, address, '100');
      expect(await service.answerOf<{ redriven: number }>(redrive)).toMatchObject({ redriven: 1 });
    });
    expect(await acme.untilSettled(NETWORK, held)).toMatchObject({ state: 'FROZEN', onChainState: 'FROZEN' });
    expect((await service.run(page.next('npm run takeover -- scan'), named)).printed).toContain('tokens');
    // Each of these tokens has a pass, so nothing of the partner is revoked.
    const kept = await service.run(page.next('npm run revoke'), { ...named, LEAKED, REASON: 'leaked' });
    expect(kept.code, kept.printed).toBe(0);
    expect(kept.printed).toMatch(/revoked 0, revoked before \d+, left alone [1-9]\d*, failed 0/);
    const issued = wallet();
    await acme.issue(NETWORK, issued);
    expect(await acme.untilSettled(NETWORK, issued)).toMatchObject({ state: 'ACTIVE' });
  },
  { timeout: 400_000 },
);
