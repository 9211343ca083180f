import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import { createPublicClient, type Hex, http, numberToHex, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { slimContract } from '../../../ops/network/slim-build.ts';
import { runNetworkCommand } from '../../../ops/network.ts';
import { runTakeoverCommand } from '../../../ops/takeover.ts';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';
import { slotOf } from '../../../src/network/slot.ts';
import { stopChildren } from '../../../terminal/child-process.ts';
import { type Gatepass, startGatepass } from '../../../tools/localnet/gatepass.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import type { PassRecord } from '../../../tools/localnet/partner/partner-client.ts';
import type { StateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { dAppAccepts, readToken } from '../../../tools/localnet/witness/on-chain-token.ts';
import { callNode } from '../../call-node.ts';
import { openPreparedState } from '../prepared-state.ts';
import { type ForeignToken, issueOnEthereum } from './foreign-tokens.ts';
import { deployGated } from './gated-contract.ts';
import { admittedBy, createNetworkKey, issueScanned, isValid, registerPartner, run } from './moving-partner.ts';

/** A partner moves from the protocol's contract to SlimGateway by a second issuance, with the commands of the take-over guide. */

/** Three of seven kinds of tokens are valid. */
const TOKENS = 2_332;
const VALID = 1_000;
const NETWORK = 'sepolia';
const PARTNER = 'globex';
/** The gas of an issuance with an expiry, at most. */
const GAS_MAX = 56_000;
const SLIM = slimContract();

let state: StateFolder;
let gatepass: Gatepass;
let partner: LocalnetPartner;
/** The gatekeeper network in the protocol's contract, and its tokens. */
const oldKey = Keypair.generate().publicKey.toBase58();
let tokens: readonly ForeignToken[];
/** The new gatekeeper network. */
let key: string;

const file = (name: string) => join(state.folder, name);
const url = () => gatepass.facts.rpc[NETWORK] ?? '';

beforeAll(async () => {
  state = openPreparedState(inject('preparedState'));
  key = await createNetworkKey(state.folder);
  gatepass = await startGatepass({ folder: state.folder, hasDatabase: true, config: inject('builtWorker') });
  writeFileSync(file('localnet.json'), JSON.stringify(gatepass.facts));
  await registerPartner(state.folder, PARTNER, key, { [NETWORK]: SLIM });
  partner = new LocalnetPartner(gatepass.facts, PARTNER);
  tokens = await issueOnEthereum(url(), OWNERLESS_CONTRACT, oldKey, TOKENS);
});

afterAll(async () => {
  await gatepass?.stop();
  await stopChildren();
  state.close();
});

const gasOf = async ({ events }: PassRecord) => {
  const hash = events.at(-1)?.transaction?.identifier as Hex;
  const receipt = await createPublicClient({ transport: http(url(), { batch: true }) }).getTransactionReceipt({ hash });
  return Number(receipt.gasUsed);
};

it(`${VALID} passes move to SlimGateway, exactly the valid wallets keep their access, and each costs a fifth of the gas`, async () => {
  const nodes = ['--network', NETWORK, '--local', '--localnet', file('localnet.json')];
  const authority = generatePrivateKey();
  writeFileSync(file('authority.hex'), authority, { mode: 0o600 });
  await callNode(url(), 'anvil_setBalance', [privateKeyToAddress(authority), numberToHex(parseEther('1'))]);
  const sending = [...nodes, '--state', file('transactions.json'), '--yes'];
  const byAuthority = ['--contract', SLIM, '--authority-key-file', file('authority.hex')];
  await run(runNetworkCommand, 'deploy', '--contract', 'slim', '--key-file', file('authority.hex'), ...sending);
  await run(runNetworkCommand, 'create', key, '--name', 'Globex', ...byAuthority, ...sending);
  const [shown] = JSON.parse(await run(runNetworkCommand, 'show', key, '--json', ...byAuthority, ...nodes));
  expect(shown).toMatchObject({ readFrom: SLIM, name: 'Globex', gatekeepers: [{ isAuthorized: true }] });

  const csv = file('tokens.csv');
  await run(runTakeoverCommand, 'scan', '--gatekeeper-network', oldKey, '--out', csv, ...nodes);
  const before = await deployGated(url(), OWNERLESS_CONTRACT, slotOf(oldKey) as bigint);
  const after = await deployGated(url(), SLIM, slotOf(key) as bigint);
  const admitted = (door: typeof before) => admittedBy(door, tokens);
  const valid = tokens.filter(isValid);
  const wallets = valid.map(({ wallet }) => wallet);
  expect(wallets).toHaveLength(VALID);
  expect(await admitted(before)).toEqual(wallets);
  expect(await admitted(after)).toEqual([]);

  await issueScanned(gatepass, PARTNER, csv);
  const passes = await partner.untilAllSettled(NETWORK, wallets, { withinMs: 240_000 });
  expect(passes.map((pass) => [pass.state, pass.onChainState, pass.expiryTimestamp])).toEqual(
    valid.map(({ expiry }) => ['ACTIVE', 'ACTIVE', expiry]),
  );
  // While the partner switches its dApps, both contracts admit the same wallets.
  expect(await admitted(before)).toEqual(wallets);
  expect(await admitted(after)).toEqual(wallets);
  for (const { wallet, expiry } of valid.slice(0, 20))
    expect(await readToken(url(), wallet, key, SLIM)).toEqual({ state: 'ACTIVE', expiry });
  const accepted = await Promise.all(tokens.map(({ wallet }) => dAppAccepts(url(), wallet, key, SLIM)));
  expect(tokens.filter((_, index) => accepted[index])).toEqual(valid);

  const gas = await Promise.all(passes.map(gasOf));
  expect(Math.max(...gas)).toBeLessThanOrEqual(GAS_MAX);

  // A scan of the new contract finds the same passes.
  await run(
    runTakeoverCommand,
    ...['scan', '--gatekeeper-network', key, '--contract', SLIM, '--out', file('new.csv'), ...nodes],
  );
  const rows = readFileSync(file('new.csv'), 'utf8').trim().split('\n').slice(1);
  expect(rows.map((row) => row.split(',')[2]).toSorted()).toEqual(wallets.toSorted());
});
