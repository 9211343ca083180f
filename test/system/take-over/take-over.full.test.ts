import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import { numberToHex, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { runNetworkCommand } from '../../../ops/network.ts';
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
import { openPreparedState } from '../prepared-state.ts';
import { type ForeignToken, issueOnEthereum, issueOnSolana } from './foreign-tokens.ts';
import { deployGated } from './gated-contract.ts';
import { admittedBy, createNetworkKey, issueScanned, isValid, registerPartner, run } from './moving-partner.ts';

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

beforeAll(async () => {
  state = openPreparedState(inject('preparedState'));
  key = await createNetworkKey(state.folder);
  gatepass = await startGatepass({ folder: state.folder, hasDatabase: true, config: inject('builtWorker') });
  writeFileSync(file('localnet.json'), JSON.stringify(gatepass.facts));
  await registerPartner(state.folder, PARTNER, key);
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
  const admitted = (door: typeof before) => admittedBy(door, onEthereum);
  const valid = onEthereum.filter(isValid).map(({ wallet }) => wallet);
  expect(await admitted(before)).toEqual(valid);
  expect(await admitted(after)).toEqual([]);

  await issueScanned(gatepass, PARTNER, csv);

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
