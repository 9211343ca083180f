import { type Address, createPublicClient, type Hex, http, parseAbi } from 'viem';
import { beforeAll, expect, it } from 'vitest';
import { viemReader } from '../../../packages/react/src/core.ts';
import { slotOf } from '../../../src/network/slot.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { LIFE_STAGES, runStage } from '../../../tools/localnet/partner/pass-life.ts';
import { ChainWitness } from '../chain-witness.ts';
import { pollUntil } from '../poll-until.ts';
import { deployGated } from '../take-over/gated-contract.ts';
import { anActivePass } from './an-active-pass.ts';
import { expectCrowdOnEthereum } from './crowd.ts';
import { expectDemoStages } from './demo-stages.ts';
import type { Gatekeeper } from './gatekeeper.ts';
import { addGatekeeper } from './other-gatekeeper.ts';
import { runGatepass } from './run-gatepass.ts';
import { expectRenewal, expectWholeLife } from './whole-life.ts';

/**
 * The life of a pass on SlimGateway, with the tests of the protocol's contract. `foreign-changes.full.test.ts` has the changes that
 * others make there, and `test/system/packages/contracts/` the contracts that ask it.
 */

const { facts, acme } = runGatepass({}, { contract: 'slim' });
const chain = new ChainWitness(facts, () => acme().gatekeeperNetwork);
const slot = () => slotOf(acme().gatekeeperNetwork) as bigint;
const TOKENS = parseAbi(['function getTokenIdsByOwnerAndNetwork(address, uint256, bool) view returns (uint256[])']);

let another: Gatekeeper;
beforeAll(async () => {
  another = await addGatekeeper(facts(), 'baseSepolia', acme().gatekeeperNetwork);
});

const readIds = (network: string, wallet: string) =>
  createPublicClient({ transport: http(facts().rpc[network]) }).readContract({
    address: facts().gatewayToken[network] as Address,
    abi: TOKENS,
    functionName: 'getTokenIdsByOwnerAndNetwork',
    args: [wallet as Hex, slot(), false],
  });

it('20 simultaneous issuances create 20 tokens with consecutive nonces', () =>
  expectCrowdOnEthereum(acme(), facts(), 20));

it('every stage of the demo has the expected result, and its event is delivered', () =>
  expectDemoStages(facts(), 'baseSepolia'));

it.concurrent('every stage of a pass takes one transaction, and the chain agrees with the record', () =>
  expectWholeLife(acme(), chain, 'baseSepolia'));

it.concurrent('an issuance renews an expired pass', () =>
  expectRenewal(new LocalnetPartner(facts(), 'fleeting'), chain, 'baseSepolia'));

it.concurrent('the reader of a page and a contract on `Gated` admit a wallet exactly while its pass is valid', async () => {
  const [network, wallet, url] = ['baseSepolia', freshWallet('baseSepolia'), facts().rpc.baseSepolia ?? ''];
  const contract = facts().gatewayToken[network] as Address;
  const door = await deployGated(url, contract, slot());
  const reader = viemReader(createPublicClient({ transport: http(url) }), { contract, slot: slot() });
  const question = { wallet, gatekeeperNetwork: acme().gatekeeperNetwork };
  expect(await reader.read(question, AbortSignal.timeout(10_000))).toMatchObject({ valid: false, state: 'NONE' });
  expect(await door.admits(wallet)).toBe(false);
  for (const stage of LIFE_STAGES) {
    const { state } = await runStage(stage, acme(), network, wallet);
    const seen = await reader.read(question, AbortSignal.timeout(10_000));
    expect(seen).toMatchObject({ valid: stage.accepted, state });
    expect(await door.admits(wallet)).toBe(stage.accepted);
  }
});

it.concurrent('after a burn, the same wallet gets the same token, which is a new one: revoked before, active after', async () => {
  const wallet = freshWallet('baseSepolia');
  const expiry = Math.floor(Date.now() / 1000) + 86_400;
  await another.issue(wallet, expiry);
  const ids = await readIds('baseSepolia', wallet);
  await another.revoke(wallet);
  // A revoked token blocks another one, until it is burned.
  await expect(another.issue(wallet)).rejects.toThrow();
  expect(await chain.token('baseSepolia', wallet)).toMatchObject({ state: 'REVOKED' });
  await another.burn(wallet);
  expect(await chain.token('baseSepolia', wallet)).toBeUndefined();
  await acme().issue('baseSepolia', wallet);
  const pass = await acme().untilSettled('baseSepolia', wallet);
  expect(pass).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE' });
  expect(await readIds('baseSepolia', wallet)).toEqual(ids);
  expect(await chain.token('baseSepolia', wallet)).toEqual({ state: 'ACTIVE', expiry: pass.expiryTimestamp });
});

it.concurrent('a freeze before the issuance is final changes the same token', async () => {
  const wallet = freshWallet('baseSepolia');
  await acme().issue('baseSepolia', wallet);
  await acme().update('baseSepolia', wallet, { state: 'FROZEN' });
  const pass = await acme().untilSettled('baseSepolia', wallet);
  expect(pass).toMatchObject({ state: 'FROZEN', onChainState: 'FROZEN' });
  expect(await chain.token('baseSepolia', wallet)).toMatchObject({ state: 'FROZEN' });
});

it.concurrent('the service sees a burn of others, and the issuance of the same token id that follows it', async () => {
  const wallet = await anActivePass(acme(), chain, 'baseSepolia');
  const ids = await readIds('baseSepolia', wallet);
  await another.burn(wallet);
  const ended = await pollUntil(
    () => acme().fetch('baseSepolia', wallet),
    ({ state }) => state === 'REVOKED',
  );
  expect(ended.onChainState).toBe('NONE');
  await another.issue(wallet);
  expect(await readIds('baseSepolia', wallet)).toEqual(ids);
  expect(await chain.accepts('baseSepolia', wallet)).toBe(true);
});
