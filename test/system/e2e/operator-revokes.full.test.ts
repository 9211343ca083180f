import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { openAdminApi } from '../../../ops/admin-api.ts';
import { listsIn } from '../../../ops/revoke/read-wallets.ts';
import { revoke } from '../../../ops/revoke/revoke.ts';
import { stopChildren } from '../../../terminal/child-process.ts';
import { type Gatepass, startGatepass } from '../../../tools/localnet/gatepass.ts';
import { chainOf } from '../../../tools/localnet/partner/chain-of.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import type { StateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { ChainWitness } from '../chain-witness.ts';
import { pollUntil } from '../poll-until.ts';
import { openPreparedState } from '../prepared-state.ts';
import { anActivePass } from './an-active-pass.ts';
import { addGatekeeper } from './other-gatekeeper.ts';
import { transactionsOf } from './pass-events.ts';

/** The operator revokes on the local nodes: the tokens of wallets without a pass, and passes. */

let state: StateFolder;
let gatepass: Gatepass;
const facts = () => gatepass.facts;
const acme = () => new LocalnetPartner(gatepass.facts, 'acme');

beforeAll(async () => {
  state = openPreparedState(inject('preparedState'));
  gatepass = await startGatepass({ folder: state.folder, hasDatabase: true, config: inject('builtWorker') });
});
afterAll(async () => {
  await gatepass?.stop();
  await stopChildren();
  state?.close();
});

const chain = new ChainWitness(facts, () => acme().gatekeeperNetwork);
const BOTH = ['sepolia', 'devnet'];

const admin = () => {
  const { baseUrl, tokenUrl, operator } = facts();
  return openAdminApi(baseUrl, { tokenUrl, ...operator });
};

/** Writes the file of a scan, and revokes what it lists. */
async function revokeWallets(network: string, wallets: readonly string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-revoke-'));
  const file = join(folder, 'tokens.csv');
  const rows = wallets.map((wallet) => [chainOf(network), network, wallet, 'ACTIVE', '', 'thief', '1', '1'].join());
  const header = 'chain,network,walletAddress,state,expiryTimestamp,issuedBy,token,block';
  writeFileSync(file, `${[header, ...rows].join('\n')}\n`);
  const said: string[] = [];
  const bodies = listsIn(file, acme().gatekeeperNetwork, ['thief']).map((list) => ({ wallets: list, reason: 'test' }));
  await revoke(admin(), bodies, (line) => said.push(line));
  rmSync(folder, { recursive: true });
  return said;
}

it.concurrent.each(BOTH)(
  'on %s the tokens of wallets without a pass are revoked, a wallet without a token needs no transaction, and passes stay',
  async (network) => {
    const thief = await addGatekeeper(facts(), network, acme().gatekeeperNetwork);
    const [stolen, empty] = [freshWallet(network), freshWallet(network)];
    const own = await anActivePass(acme(), chain, network);
    await thief.issue(stolen);
    await chain.makeFinal(network);
    const wallets = [stolen, empty, own];
    expect((await revokeWallets(network, wallets)).at(-1)).toBe('revoked 2, revoked before 0, left alone 1, failed 0');
    const revoked = await pollUntil(
      () => acme().fetch(network, stolen),
      ({ onChainState }) => onChainState === 'REVOKED',
    );
    expect(revoked).toMatchObject({ state: 'REVOKED', onChainState: 'REVOKED' });
    expect(revoked.events.map(({ eventType }) => eventType)).toEqual(['TOKEN_REVOKED_INITIATED', 'TOKEN_REVOKED']);
    expect(await chain.accepts(network, stolen)).toBe(false);
    const without = await acme().untilSettled(network, empty);
    expect(without).toMatchObject({ state: 'REVOKED', onChainState: 'NONE' });
    expect(transactionsOf(without)).toEqual([]);
    expect(await acme().fetch(network, own)).toMatchObject({ state: 'ACTIVE' });
    expect((await revokeWallets(network, wallets)).at(-1)).toBe('revoked 0, revoked before 2, left alone 1, failed 0');
  },
);
