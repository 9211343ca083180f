import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { CIVIC_CONTRACT, defaultContract } from '../../default-contract.ts';
import { expectProblem } from '../../problem.ts';
import { answering, commitsAndFails, failing, UnreliableDatabase } from '../store/unreliable.ts';
import { type Registration, workerWith } from './api.ts';
import { aPartner, TRUSTING } from './issuer.ts';
import { forget, recordedWorker } from './recorded-bindings.ts';
import { aWallet, SOLANA_WALLET } from './wallets.ts';

/** The first issuance on a network chooses the contract of a gatekeeper network, once and for all. */

const SEPOLIA = 'ethereum/sepolia';
const OURS = defaultContract({ network: 'sepolia' });

vi.spyOn(console, 'error').mockReturnValue();
const { send, uses } = recordedWorker();
beforeEach(() => forget(uses));
const choices = () => uses.statements.filter(({ sql }) => sql.includes('UPDATE gatekeeper_networks'));

/** Returns the contracts in the row of the gatekeeper network. */
async function chosenFor({ gatekeeperNetwork }: Pick<Registration, 'gatekeeperNetwork'>): Promise<unknown> {
  const query = 'SELECT contracts FROM gatekeeper_networks WHERE key = ?';
  return JSON.parse((await env.DB.prepare(query).bind(gatekeeperNetwork).first<string>('contracts')) as string);
}

const itemsFor = (wallets: readonly string[]) => ({
  items: wallets.map((walletAddress) => ({ chain: { type: 'ethereum', network: 'sepolia' }, walletAddress })),
});

describe('the contract of a gatekeeper network', () => {
  it('becomes the default contract of the network with the first issuance, in one statement', async () => {
    const ours = await aPartner({ send });
    expect((await ours.issue(SEPOLIA, aWallet())).record).toMatchObject({ contract: OURS });
    expect(await chosenFor(ours)).toEqual({ sepolia: OURS });
    expect(choices()).toHaveLength(1);
    for (let n = 0; n < 3; n += 1) await ours.issue(SEPOLIA, aWallet());
    expect(choices()).toHaveLength(1);
  });

  it('is chosen once for all items of a bulk request', async () => {
    const ours = await aPartner({ send });
    const { text } = await ours.post('/passes', itemsFor(Array.from({ length: 20 }, aWallet)));
    const { results } = JSON.parse(text) as { results: { record: { contract: string } }[] };
    expect(results.map(({ record }) => record.contract)).toEqual(Array(20).fill(OURS));
    expect(choices()).toHaveLength(1);
  });

  it('stays when the default contract of the network changes, for old and new passes', async () => {
    const ours = await aPartner();
    const wallet = aWallet();
    await ours.issue(SEPOLIA, wallet);
    const moved = ours.through(
      workerWith({ ...TRUSTING, NETWORKS: JSON.stringify({ sepolia: { gateway: CIVIC_CONTRACT } }) }),
    );
    for (const each of [wallet, aWallet()]) expect((await moved.issue(SEPOLIA, each)).record.contract).toBe(OURS);
    expect((await moved.fetch(SEPOLIA, wallet)).record.contract).toBe(OURS);
    expect(await chosenFor(ours)).toEqual({ sepolia: OURS });
  });

  it('is the one that the database has, although another isolate has chosen it meanwhile', async () => {
    const ours = await aPartner({ send });
    await ours.search({});
    const contracts = JSON.stringify({ sepolia: CIVIC_CONTRACT });
    await env.DB.prepare('UPDATE gatekeeper_networks SET contracts = ? WHERE key = ?')
      .bind(contracts, ours.gatekeeperNetwork)
      .run();
    expect((await ours.issue(SEPOLIA, aWallet())).record.contract).toBe(CIVIC_CONTRACT);
    expect(await chosenFor(ours)).toEqual({ sepolia: CIVIC_CONTRACT });
  });

  it('is the one that the operator chose, without a statement', async () => {
    const ours = await aPartner({ send, contracts: { sepolia: CIVIC_CONTRACT } });
    expect((await ours.issue(SEPOLIA, aWallet())).record.contract).toBe(CIVIC_CONTRACT);
    expect(choices()).toEqual([]);
  });

  it('is not chosen by a refused issuance, nor on Solana, where a pass is in the program of the network', async () => {
    const ours = await aPartner({ send });
    expectProblem(await ours.issue('ethereum/unichainSepolia', aWallet()), 'network_not_enabled');
    expectProblem(await ours.issue(SEPOLIA, '0x12'), 'invalid_wallet');
    const { record } = await ours.issue('solana/devnet', SOLANA_WALLET);
    expect(record.contract).toBe(defaultContract({ network: 'devnet' }));
    expect(await chosenFor(ours)).toEqual({});
    expect(choices()).toEqual([]);
  });
});

describe('while the database does not answer and the contract is not chosen', () => {
  async function aPartnerBefore() {
    const database = new UnreliableDatabase();
    const ours = await aPartner({ send: workerWith({ ...TRUSTING, DB: database }) });
    await ours.search({});
    return { ours, database };
  }

  it.each([
    ['fails', failing('D1_ERROR: away')],
    ['commits and reports an error', commitsAndFails],
  ])('refuses an issuance with 503 and stores no pass, if it %s', async (_, manner) => {
    const { ours, database } = await aPartnerBefore();
    database.manner = manner;
    const wallet = aWallet();
    expectProblem(await ours.issue(SEPOLIA, wallet), 'temporarily_unavailable');
    database.manner = answering;
    expectProblem(await ours.fetch(SEPOLIA, wallet), 'pass_not_found');
    expect((await ours.issue(SEPOLIA, wallet)).record).toMatchObject({ contract: OURS });
  });

  it('refuses each item of a bulk request with 503', async () => {
    const { ours, database } = await aPartnerBefore();
    database.manner = failing('D1_ERROR: away');
    const wallets = [aWallet(), aWallet()];
    const refused = await ours.post('/passes', itemsFor(wallets));
    database.manner = answering;
    for (const wallet of wallets) expectProblem(await ours.fetch(SEPOLIA, wallet), 'pass_not_found');
    const results =
      refused.status === 200 ? (JSON.parse(refused.text) as { results: { status: number }[] }).results : [refused];
    expect(results.map(({ status }) => status)).toEqual(results.map(() => 503));
  });
});
