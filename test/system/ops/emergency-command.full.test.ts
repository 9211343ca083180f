import { numberToHex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EffectiveLists } from '../../../ops/emergency/unconfirmed.ts';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import { GATEKEEPER_KEYS, GATEKEEPERS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { SOLANA_GATEKEEPERS } from '../../../tools/localnet/solana/gatekeepers.ts';
import { readToken } from '../../../tools/localnet/witness/on-chain-token.ts';
import { pollUntil } from '../poll-until.ts';
import { Rehearsal, wallet } from '../runbook/rehearsal.ts';

/** `npm run emergency` on a local service. */

const NETWORK = 'sepolia';
const [LEAKED, OTHER] = GATEKEEPERS;
const SOLANA = SOLANA_GATEKEEPERS[1] ?? '';
/** A signer has few transactions without a block, so that most steps still wait when the key leaks. */
const UNMINED = 2;
const NETWORKS = { [NETWORK]: { confirmations: 1, final: { depth: 2 }, unmined: UNMINED, blockMs: 1000 } };

let service: Rehearsal;
beforeAll(async () => {
  service = await Rehearsal.open({
    variables: {
      ETHEREUM_GATEKEEPER_KEY: GATEKEEPER_KEYS.slice(0, 2).join(' '),
      NETWORKS: JSON.stringify(NETWORKS),
    },
  });
});
afterAll(() => service?.close());

const emergency = (args: string) => service.run(`npm run emergency -- ${args} --env ENV`);
const lists = () => service.admin<EffectiveLists>('/admin/signers');
interface Signer {
  readonly network: string;
  readonly address: string;
  readonly nextNonce: number;
  readonly waiting: number;
}
const signer = async (address: string) => {
  const { signers } = await service.admin<{ signers: Signer[] }>('/admin/signers');
  const found = signers.find((each) => each.network === NETWORK && each.address === address);
  if (found === undefined) throw new Error(`no signer of ${address}`);
  return found;
};

/** Runs a command that must succeed, and whose entry in the audit trail must not fail either. */
const stop = async (args: string) => {
  const { code, printed } = await emergency(args);
  expect([code, printed]).toEqual([0, expect.not.stringContaining('warning')]);
};
/** Returns the same wallets in every run. The keys share wallets by hashes, and each key has several of these. */
const walletsOf = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => privateKeyToAddress(numberToHex(first + at, { size: 32 })));
/** Waits until each key has as many transactions without a block as it may have, while the other steps wait. */
const untilFull = (before: readonly Signer[], steps: number) =>
  pollUntil(
    () => Promise.all(before.map(({ address }) => signer(address))),
    (signers) =>
      signers.every(({ nextNonce }, at) => nextNonce === (before[at]?.nextNonce ?? 0) + UNMINED) &&
      signers.reduce((sum, { waiting }) => sum + waiting, 0) === steps - before.length * UNMINED,
  );
const untilIssued = async (wallets: readonly string[], gatekeeperNetwork: GatekeeperNetwork) => {
  for (const each of wallets)
    await pollUntil(
      () => readToken(service.localnet.facts.rpc[NETWORK] ?? '', each, gatekeeperNetwork),
      (token) => token !== undefined,
    );
};

describe('the lists of an emergency', () => {
  it('keep the entries of the service, get the new ones, and lose an entry with --undo', async () => {
    expect((await emergency('list')).printed).toContain('COMPROMISED_GATEKEEPERS: none\nSUSPENDED_CLIENTS: none');
    const one = await emergency(`compromise ${SOLANA}`);
    expect(one.code, one.printed).toBe(0);
    expect(one.printed).toContain(
      'COMPROMISED_GATEKEEPERS: none\nCOMPROMISED_GATEKEEPERS is set\nthe service has it, ',
    );
    expect(one.printed).toMatch(/\nevery signer has confirmed it, \d+ s after the command/);
    const two = await emergency(`compromise ${GATEKEEPERS[3]?.toLowerCase()}`);
    expect(two.printed).toContain(`COMPROMISED_GATEKEEPERS: ${SOLANA}\n`);
    expect((await emergency('suspend acme globex')).code).toBe(0);
    // A release keeps the secrets.
    await service.deploy();
    const both = { compromisedGatekeepers: [GATEKEEPERS[3], SOLANA], suspendedClients: ['acme', 'globex'] };
    expect(await lists()).toMatchObject(both);
    await expect(service.partner('acme').issue(NETWORK, wallet())).rejects.toMatchObject({
      problem: { code: 'partner_suspended' },
    });
    for (const undo of [`compromise ${SOLANA} ${GATEKEEPERS[3]} --undo`, 'suspend acme globex --undo'])
      expect(await emergency(undo)).toMatchObject({ code: 0 });
    expect(await lists()).toMatchObject({ compromisedGatekeepers: [], suspendedClients: [] });
  });

  it('do not change without a valid entry', async () => {
    expect((await emergency('compromise 0x7099')).printed).toContain('It must be an address.');
    expect((await emergency(`compromise ${GATEKEEPER_KEYS[0]}`)).printed).toContain('a private key must be in a file');
    expect((await emergency('suspend ä')).printed).toContain('It must be the id of an OAuth client without a space.');
    expect((await emergency('compromise')).printed).toContain("missing required argument 'address'");
    expect(await lists()).toMatchObject({ compromisedGatekeepers: [], suspendedClients: [] });
  });
});

it('a full database stops neither a key nor a client from being stopped, and the other key takes over the steps', {
  timeout: 900_000,
}, async () => {
  const acme = service.partner('acme');
  const wallets = walletsOf(1, 12);
  await service.node(NETWORK, 'evm_setIntervalMining', 0);
  const before = [await signer(LEAKED), await signer(OTHER)];
  for (const each of wallets) await acme.issue(NETWORK, each);
  const [leaked, other] = (await untilFull(before, wallets.length)) as [Signer, Signer];
  await service.fillDatabase();
  // The suspension of a partner is a row.
  const ordinary = await service.run('npm run partner -- suspend acme --env ENV');
  expect([ordinary.code, ordinary.printed]).toEqual([1, expect.stringContaining(' answered 503: ')]);

  await stop(`compromise ${LEAKED}`);
  expect(await lists()).toMatchObject({ compromisedGatekeepers: [LEAKED], suspendedClients: [] });
  await service.node(NETWORK, 'evm_setIntervalMining', 1);
  await untilIssued(wallets, acme.gatekeeperNetwork);
  expect(await signer(LEAKED)).toMatchObject({ nextNonce: leaked.nextNonce, waiting: 0 });
  expect((await signer(OTHER)).nextNonce).toBe(other.nextNonce + wallets.length - 2 * UNMINED);

  await stop('suspend acme');
  expect(await lists()).toMatchObject({ compromisedGatekeepers: [LEAKED], suspendedClients: ['acme'] });
  await expect(acme.issue(NETWORK, wallet())).rejects.toMatchObject({ problem: { code: 'partner_suspended' } });
  for (const undo of [`compromise ${LEAKED} --undo`, 'suspend acme --undo']) await stop(undo);
  expect(await lists()).toMatchObject({ compromisedGatekeepers: [], suspendedClients: [] });
  await service.makeRoom();
  for (const each of wallets) expect(await acme.untilSettled(NETWORK, each)).toMatchObject({ state: 'ACTIVE' });
});

it('a leaked key signs nothing after the command while the database is lost, and the other key takes over its steps', async () => {
  const acme = service.partner('acme');
  const wallets = walletsOf(101, 40);
  await service.node(NETWORK, 'evm_setIntervalMining', 0);
  const atFirst = [await signer(LEAKED), await signer(OTHER)];
  for (const each of wallets) await acme.issue(NETWORK, each);
  const [before, other] = (await untilFull(atFirst, wallets.length)) as [Signer, Signer];
  expect(before.waiting).toBeGreaterThan(4);
  await service.loseDatabase();
  await expect(acme.issue(NETWORK, wallet())).rejects.toSatisfy(({ status }) => status >= 500);
  // The leaked key signs without the database: one block makes room for more transactions. Then it waits for another block.
  await service.node(NETWORK, 'evm_mine');
  await pollUntil(
    () => signer(LEAKED),
    ({ nextNonce }) => nextNonce > before.nextNonce + 1,
  );
  const stopped = await emergency(`compromise ${LEAKED}`);
  expect(stopped.code, stopped.printed).toBe(0);
  expect(stopped.printed).toMatch(/the service has it, [1-5]?\d s after the command/);
  const { nextNonce } = await signer(LEAKED);
  await service.node(NETWORK, 'evm_setIntervalMining', 1);
  await untilIssued(wallets, acme.gatekeeperNetwork);
  expect(await signer(LEAKED)).toMatchObject({ nextNonce, waiting: 0 });
  // The keys shared the wallets evenly, so the other key has taken over some.
  expect((await signer(OTHER)).nextNonce).toBeGreaterThan(other.nextNonce + wallets.length / 2);
});

describe('a service that does not answer', () => {
  it('keeps its list, unless the operator names the whole list', async () => {
    service.edit({ COMPROMISED_GATEKEEPERS: LEAKED });
    await service.deploy();
    await service.stopWorker();
    const refused = await emergency(`compromise ${OTHER}`);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.printed).toContain(
      'nothing was changed: COMPROMISED_GATEKEEPERS is set, and the service does not say',
    );
    expect(service.secret('COMPROMISED_GATEKEEPERS')).toBe(LEAKED);
  });
});
