import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { base58 } from '@scure/base';
import { Keypair } from '@solana/web3.js';
import { numberToHex, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { runNetworkCommand } from '../../../ops/network.ts';
import { runPartnerCommand } from '../../../ops/partner.ts';
import { runTakeoverCommand } from '../../../ops/takeover.ts';
import { slotOf } from '../../../src/network/slot.ts';
import { stopChildren } from '../../../terminal/child-process.ts';
import { CIVIC_CONTRACT, installCivicContract } from '../../../tools/localnet/ethereum/civic-contract.ts';
import { type Gatepass, startGatepass } from '../../../tools/localnet/gatepass.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import type { StateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { dAppAccepts, readToken } from '../../../tools/localnet/witness/on-chain-token.ts';
import { callNode } from '../../call-node.ts';
import { LONG } from '../../form.ts';
import { runCommand } from '../ops/run-command.ts';
import { openPreparedState } from '../prepared-state.ts';
import { runProgram } from '../run-program.ts';
import { type ForeignToken, issueOnEthereum, issueOnSolana } from './foreign-tokens.ts';
import { deployGated } from './gated-contract.ts';

/**
 * A partner's gatekeeper network in Civic's contract is replaced by one of its own in the ownerless contract, with the commands of the
 * take-over guide.
 */

const COUNT = LONG ? 300 : 70;
const PARTNER = 'globex';
/** The super admin of the imitation of Civic's contract: an account that is unlocked in the node. */
const CIVIC_ADMIN = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65';

let state: StateFolder;
let gatepass: Gatepass;
let partner: LocalnetPartner;
/** The gatekeeper network of somebody else, and its tokens. */
const old = Keypair.generate();
const oldKey = old.publicKey.toBase58();
let onEthereum: readonly ForeignToken[];
let onSolana: readonly ForeignToken[];
/** The new gatekeeper network. */
let key: string;

const file = (name: string) => join(state.folder, name);
const url = (network: string) => gatepass.facts.rpc[network] ?? '';
const isValid = ({ kind }: ForeignToken) => ['active', 'expiring', 'two'].includes(kind);

/** Runs an operator's command, and returns what it prints. */
async function run(command: (args: readonly string[]) => Promise<number>, ...args: string[]): Promise<string> {
  const { code, printed } = await runCommand(command, args);
  expect(code, printed).toBe(0);
  return printed;
}

/** Registers the partner with another gatekeeper network: its export is edited and imported. */
async function registerPartner(): Promise<void> {
  const service = ['--local', '--localnet', file('localnet.json')];
  await run(runPartnerCommand, 'export', file('partners.json'), ...service);
  const exported = JSON.parse(readFileSync(file('partners.json'), 'utf8'));
  exported.gatekeeper_networks.push({ key, shard: 'DB', public_verify: 0, contracts: '{}' });
  for (const row of exported.partners) if (row.client_id === PARTNER) row.gatekeeper_network = key;
  writeFileSync(file('edited.json'), JSON.stringify(exported));
  await run(runPartnerCommand, 'import', file('edited.json'), ...service);
}

beforeAll(async () => {
  state = openPreparedState(inject('preparedState'));
  await run(runNetworkCommand, 'keygen', '--out', file('network.json'));
  key = base58.encode(Uint8Array.from(JSON.parse(readFileSync(file('network.json'), 'utf8')).slice(32)));
  gatepass = await startGatepass({ folder: state.folder, hasDatabase: true, config: inject('builtWorker') });
  writeFileSync(file('localnet.json'), JSON.stringify(gatepass.facts));
  await registerPartner();
  partner = new LocalnetPartner(gatepass.facts, PARTNER);
  await installCivicContract(url('sepolia'), CIVIC_ADMIN);
  [onEthereum, onSolana] = await Promise.all([
    issueOnEthereum(url('sepolia'), CIVIC_CONTRACT, oldKey, COUNT),
    issueOnSolana(url('devnet'), old.secretKey, COUNT),
  ]);
});

afterAll(async () => {
  await gatepass?.stop();
  await stopChildren();
  state.close();
});

it('a partner moves to its own gatekeeper network, and exactly the valid wallets keep their access', async () => {
  const nodes = ['--network', 'sepolia', '--network', 'devnet', '--local', '--localnet', file('localnet.json')];
  const authority = generatePrivateKey();
  writeFileSync(file('authority.hex'), authority, { mode: 0o600 });
  const funds = [privateKeyToAddress(authority), numberToHex(parseEther('1'))];
  await callNode(url('sepolia'), 'anvil_setBalance', funds);
  await callNode(url('devnet'), 'localnet_setAccount', [key, { lamports: 1e9, owner: '1'.repeat(32) }]);
  const keyFiles = ['--authority-key-file', file('authority.hex'), '--authority-key-file', file('network.json')];
  const options = [...nodes, ...keyFiles, '--state', file('transactions.json'), '--yes'];
  await run(runNetworkCommand, 'create', key, '--name', 'Globex', ...options);
  const shown = JSON.parse(await run(runNetworkCommand, 'show', key, '--json', ...nodes, ...keyFiles));
  expect(shown).toMatchObject([
    { network: 'devnet', gatekeepers: [{ isAuthorized: true }] },
    { network: 'sepolia', name: 'Globex', authority: { isAuthority: true }, gatekeepers: [{ isAuthorized: true }] },
  ]);

  const csv = file('tokens.csv');
  await run(
    runTakeoverCommand,
    'scan',
    '--gatekeeper-network',
    oldKey,
    '--contract',
    CIVIC_CONTRACT,
    '--out',
    csv,
    ...nodes,
  );
  const rows = readFileSync(csv, 'utf8').trim().split('\n').length - 1;
  const held = [...onEthereum, ...onSolana].reduce(
    (sum, { kind }) => sum + ({ two: 2, burned: 0 }[kind as string] ?? 1),
    0,
  );
  expect(rows).toBe(held);

  const gatewayToken = gatepass.facts.gatewayToken.sepolia ?? '';
  const before = await deployGated(url('sepolia'), CIVIC_CONTRACT, slotOf(oldKey) as bigint);
  const after = await deployGated(url('sepolia'), gatewayToken, slotOf(key) as bigint);
  const admitted = async (door: typeof before) =>
    (await Promise.all(onEthereum.map(async (each) => ((await door.admits(each.wallet)) ? [each.wallet] : [])))).flat();
  const valid = onEthereum.filter(isValid).map(({ wallet }) => wallet);
  expect(await admitted(before)).toEqual(valid);
  expect(await admitted(after)).toEqual([]);

  const reissued = await runProgram([process.execPath, 'packages/cli/bin/gatepass.js', 'issue', '--csv', csv], {
    GATEPASS_URL: gatepass.facts.baseUrl,
    GATEPASS_TOKEN_URL: gatepass.facts.tokenUrl,
    GATEPASS_CLIENT_ID: PARTNER,
    GATEPASS_CLIENT_SECRET: `${PARTNER}-secret`,
  });
  expect(reissued.code, reissued.stdout + reissued.stderr).toBe(0);

  for (const [network, tokens] of [['sepolia', onEthereum] as const, ['devnet', onSolana] as const]) {
    const wallets = tokens.filter(isValid);
    const passes = await partner.untilAllSettled(
      network,
      wallets.map(({ wallet }) => wallet),
      { withinMs: 120_000 },
    );
    expect(
      passes.map(({ state: wanted, onChainState, expiryTimestamp }) => [wanted, onChainState, expiryTimestamp]),
    ).toEqual(wallets.map(({ expiry }) => ['ACTIVE', 'ACTIVE', expiry]));
    for (const { events } of passes)
      expect(new Set(events.map(({ transaction }) => transaction?.identifier)).size).toBe(1);
    for (const { wallet, expiry } of wallets.slice(0, 20))
      expect(await readToken(url(network), wallet, key)).toEqual({ state: 'ACTIVE', expiry });
    const accepted = await Promise.all(tokens.map(({ wallet }) => dAppAccepts(url(network), wallet, key)));
    expect(tokens.filter((_, index) => accepted[index])).toEqual(wallets);
  }
  expect(await admitted(after)).toEqual(valid);
});
