import { expect, it } from 'vitest';
import { freshWallet } from '../../../localnet/partner/fresh-wallet.ts';
import type { PassRecord } from '../../../localnet/partner/partner-client.ts';
import { ChainWitness } from '../../../localnet/witness/chain-witness.ts';
import { callNode } from '../../call-node.ts';
import { anActivePass } from './an-active-pass.ts';
import { endsOf, transactionsOf } from './pairs.ts';
import { runningGatepass } from './running-gatepass.ts';
import { until } from './until.ts';

/** What becomes of a wish while the one before it is still under way, or has to wait. */

const { facts, acme } = runningGatepass();
const chain = new ChainWitness(facts, () => acme().gatekeeperNetwork);
const IN_A_YEAR = Math.floor(Date.now() / 1000) + 365 * 24 * 3600;

const anActivePassOn = (network: string) => anActivePass(acme(), chain, network);

function untilToldOf(event: string, network: string, wallet: string): Promise<PassRecord> {
  return until(
    () => acme().fetch(network, wallet),
    ({ events }) => events.some(({ eventType }) => eventType === event),
  );
}

/** The chain holds what the pass tells, and no transaction but those the pass shows. */
async function expectTrue(network: string, wallet: string, pass: PassRecord): Promise<void> {
  const { state, expiryTimestamp: expiry } = pass;
  expect(await chain.token(network, wallet)).toEqual({ state, expiry });
  expect(await chain.accepts(network, wallet)).toBe(state === 'ACTIVE');
  expect(await chain.transactionsAbout(network, wallet)).toEqual(transactionsOf(pass));
}

const BOTH = ['sepolia', 'devnet'];

it.concurrent.each(BOTH)('on %s a pass is frozen that is about to be issued', async (network) => {
  const wallet = freshWallet(network);
  await acme().issue(network, wallet);
  const asked = await acme().update(network, wallet, { state: 'FROZEN' });
  expect(asked).toMatchObject({ state: 'FROZEN', onChainState: 'NONE', status: 'ok' });
  const pass = await acme().untilSettled(network, wallet);
  expect(endsOf(pass)).toEqual(['TOKEN_ISSUED', 'TOKEN_FROZEN']);
  await expectTrue(network, wallet, pass);
});

it.concurrent.each(BOTH)('on %s a pass that is about to be issued gets another expiry', async (network) => {
  const wallet = freshWallet(network);
  await acme().issue(network, wallet);
  await acme().update(network, wallet, { expiryTimestamp: IN_A_YEAR });
  await until(
    () => chain.token(network, wallet),
    (token) => token?.expiry === IN_A_YEAR,
  );
  const pass = await acme().untilSettled(network, wallet);
  // It came in time for the issuance, or a step later.
  expect([['TOKEN_ISSUED'], ['TOKEN_ISSUED', 'TOKEN_EXPIRY_CHANGED']]).toContainEqual(endsOf(pass));
  expect(pass).toMatchObject({ state: 'ACTIVE', expiryTimestamp: IN_A_YEAR });
  await expectTrue(network, wallet, pass);
});

it.concurrent.each(BOTH)('on %s a pass that is about to be issued is revoked', async (network) => {
  const wallet = freshWallet(network);
  await acme().issue(network, wallet);
  expect(await acme().revoke(network, wallet)).toMatchObject({ state: 'REVOKED', onChainState: 'NONE' });
  const pass = await acme().untilSettled(network, wallet);
  expect(await chain.accepts(network, wallet)).toBe(false);
  expect(await chain.transactionsAbout(network, wallet)).toEqual(transactionsOf(pass));
  if (pass.onChainState === 'NONE') {
    const ends = pass.events.map(({ eventType }) => eventType);
    expect(ends).toEqual(['TOKEN_ISSUED_INITIATED', 'TOKEN_ISSUED_FAILED', 'TOKEN_REVOKED']);
    expect(await chain.token(network, wallet)).toBeUndefined();
  } else {
    expect(endsOf(pass)).toEqual(['TOKEN_ISSUED', 'TOKEN_REVOKED']);
    expect(await chain.token(network, wallet)).toEqual({ state: 'REVOKED', expiry: undefined });
  }
});

it.concurrent.each(BOTH)('on %s what is unfrozen at once is frozen and unfrozen, or left alone', async (network) => {
  const wallet = await anActivePassOn(network);
  await acme().update(network, wallet, { state: 'FROZEN' });
  await acme().update(network, wallet, { state: 'ACTIVE' });
  const pass = await acme().untilSettled(network, wallet);
  expect([
    ['TOKEN_ISSUED'],
    ['TOKEN_ISSUED', 'TOKEN_FROZEN_FAILED: superseded'],
    ['TOKEN_ISSUED', 'TOKEN_FROZEN', 'TOKEN_UNFROZEN'],
  ]).toContainEqual(endsOf(pass));
  expect(pass).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE' });
  await expectTrue(network, wallet, pass);
});

it.concurrent.each(BOTH)('on %s a pass that is being frozen is revoked', async (network) => {
  const wallet = await anActivePassOn(network);
  await acme().update(network, wallet, { state: 'FROZEN' });
  await untilToldOf('TOKEN_FROZEN_INITIATED', network, wallet);
  await acme().revoke(network, wallet);
  const pass = await acme().untilSettled(network, wallet);
  expect([
    ['TOKEN_ISSUED', 'TOKEN_FROZEN_FAILED: superseded', 'TOKEN_REVOKED'],
    ['TOKEN_ISSUED', 'TOKEN_FROZEN', 'TOKEN_REVOKED'],
  ]).toContainEqual(endsOf(pass));
  expect(pass).toMatchObject({ state: 'REVOKED', onChainState: 'REVOKED' });
  await expectTrue(network, wallet, pass);
});

it.concurrent('a frozen pass gets its new expiry on Ethereum when it is unfrozen', async () => {
  const wallet = await anActivePassOn('sepolia');
  await acme().update('sepolia', wallet, { state: 'FROZEN' });
  const frozen = await acme().untilSettled('sepolia', wallet);
  const since = await acme().update('sepolia', wallet, { expiryTimestamp: IN_A_YEAR });
  expect(since).toEqual({ ...frozen, expiryTimestamp: IN_A_YEAR, status: 'ok' });
  expect(await acme().untilSettled('sepolia', wallet)).toMatchObject({ state: 'FROZEN', expiryTimestamp: IN_A_YEAR });
  expect(await chain.token('sepolia', wallet)).toEqual({ state: 'FROZEN', expiry: undefined });

  await acme().update('sepolia', wallet, { state: 'ACTIVE' });
  const pass = await acme().untilSettled('sepolia', wallet, { ended: { change: 'TOKEN_EXPIRY_CHANGED', since } });
  expect(endsOf(pass)).toEqual(['TOKEN_ISSUED', 'TOKEN_FROZEN', 'TOKEN_UNFROZEN', 'TOKEN_EXPIRY_CHANGED']);
  await expectTrue('sepolia', wallet, pass);
});

it.concurrent('a frozen pass gets its new expiry on Solana at once', async () => {
  const wallet = await anActivePassOn('devnet');
  await acme().update('devnet', wallet, { state: 'FROZEN' });
  await acme().untilSettled('devnet', wallet);
  const since = await acme().update('devnet', wallet, { expiryTimestamp: IN_A_YEAR });
  const pass = await acme().untilSettled('devnet', wallet, { ended: { change: 'TOKEN_EXPIRY_CHANGED', since } });
  expect(endsOf(pass)).toEqual(['TOKEN_ISSUED', 'TOKEN_FROZEN', 'TOKEN_EXPIRY_CHANGED']);
  expect(pass).toMatchObject({ state: 'FROZEN', onChainState: 'FROZEN' });
  await expectTrue('devnet', wallet, pass);
});

// Not beside the others, who need blocks.
it('a freeze that waits for its token to be final is withdrawn when something else is wanted', async () => {
  const wallets = { unfrozen: freshWallet('sepolia'), revoked: freshWallet('sepolia') };
  const both = <T>(ask: (wallet: string) => Promise<T>) => Promise.all([ask(wallets.unfrozen), ask(wallets.revoked)]);
  await both((wallet) => acme().issue('sepolia', wallet));
  await both((wallet) => acme().untilSettled('sepolia', wallet));
  await blocksEvery(0);
  await both((wallet) => acme().update('sepolia', wallet, { state: 'FROZEN' }));
  await both((wallet) => untilToldOf('TOKEN_FROZEN_INITIATED', 'sepolia', wallet));
  await acme().update('sepolia', wallets.unfrozen, { state: 'ACTIVE' });
  await acme().revoke('sepolia', wallets.revoked);
  await both((wallet) => untilToldOf('TOKEN_FROZEN_FAILED', 'sepolia', wallet));
  await blocksEvery(1);

  const [unfrozen, revoked] = await both((wallet) => acme().untilSettled('sepolia', wallet));
  expect(endsOf(unfrozen)).toEqual(['TOKEN_ISSUED', 'TOKEN_FROZEN_FAILED: superseded']);
  expect(endsOf(revoked)).toEqual(['TOKEN_ISSUED', 'TOKEN_FROZEN_FAILED: superseded', 'TOKEN_REVOKED']);
  await expectTrue('sepolia', wallets.unfrozen, unfrozen);
  await expectTrue('sepolia', wallets.revoked, revoked);
});

/** Seconds; 0: no blocks at all. */
function blocksEvery(seconds: number): Promise<unknown> {
  return callNode(facts().rpc.sepolia ?? '', 'evm_setIntervalMining', [seconds]);
}
