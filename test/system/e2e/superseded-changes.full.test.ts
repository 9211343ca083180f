import { expect, it } from 'vitest';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import type { PassRecord } from '../../../tools/localnet/partner/partner-client.ts';
import { callNode } from '../../call-node.ts';
import { ChainWitness } from '../chain-witness.ts';
import { pollUntil } from '../poll-until.ts';
import { anActivePass } from './an-active-pass.ts';
import { outcomesOf, transactionsOf } from './pass-events.ts';
import { runGatepass } from './run-gatepass.ts';

/** Changes that a partner requests while an older change waits or is in flight. */

const { facts, acme } = runGatepass();
const chain = new ChainWitness(facts, () => acme().gatekeeperNetwork);
const IN_A_YEAR = Math.floor(Date.now() / 1000) + 365 * 24 * 3600;

const anActivePassOn = (network: string) => anActivePass(acme(), chain, network);

function awaitEvent(event: string, network: string, wallet: string): Promise<PassRecord> {
  return pollUntil(
    () => acme().fetch(network, wallet),
    ({ events }) => events.some(({ eventType }) => eventType === event),
  );
}

/** Checks that the chain has the token of the record, and exactly the transactions of the record. */
async function expectOnChain(network: string, wallet: string, pass: PassRecord): Promise<void> {
  const { state, expiryTimestamp: expiry } = pass;
  expect(await chain.token(network, wallet)).toEqual({ state, expiry });
  expect(await chain.accepts(network, wallet)).toBe(state === 'ACTIVE');
  expect(await chain.transactionsAbout(network, wallet)).toEqual(transactionsOf(pass));
}

/**
 * Issues a pass and requests a change. On a busy machine the issuance may end before the change, and then another wallet follows.
 * Resolves to the wallet and the answer to the change.
 */
async function changeWhilePending(network: string, change: (wallet: string) => Promise<PassRecord>) {
  const ask = async () => {
    const wallet = freshWallet(network);
    await acme().issue(network, wallet);
    return [wallet, await change(wallet)] as const;
  };
  return pollUntil(ask, ([, { onChainState }]) => onChainState === 'NONE');
}

const BOTH = ['sepolia', 'devnet'];

it.concurrent.each(BOTH)('on %s the partner can freeze a pass whose issuance is pending', async (network) => {
  const [wallet, asked] = await changeWhilePending(network, (each) =>
    acme().update(network, each, { state: 'FROZEN' }),
  );
  expect(asked).toMatchObject({ state: 'FROZEN', onChainState: 'NONE', status: 'ok' });
  const pass = await acme().untilSettled(network, wallet);
  expect(outcomesOf(pass)).toEqual(['TOKEN_ISSUED', 'TOKEN_FROZEN']);
  await expectOnChain(network, wallet, pass);
});

it.concurrent.each(BOTH)(
  'on %s the partner can change the expiry of a pass whose issuance is pending',
  async (network) => {
    const wallet = freshWallet(network);
    await acme().issue(network, wallet);
    await acme().update(network, wallet, { expiryTimestamp: IN_A_YEAR });
    await pollUntil(
      () => chain.token(network, wallet),
      (token) => token?.expiry === IN_A_YEAR,
    );
    const pass = await acme().untilSettled(network, wallet);
    // The change arrives before the issuance is signed, or it becomes the next step.
    expect([['TOKEN_ISSUED'], ['TOKEN_ISSUED', 'TOKEN_EXPIRY_CHANGED']]).toContainEqual(outcomesOf(pass));
    expect(pass).toMatchObject({ state: 'ACTIVE', expiryTimestamp: IN_A_YEAR });
    await expectOnChain(network, wallet, pass);
  },
);

it.concurrent.each(BOTH)('on %s the partner can revoke a pass whose issuance is pending', async (network) => {
  const [wallet, asked] = await changeWhilePending(network, (each) => acme().revoke(network, each));
  expect(asked).toMatchObject({ state: 'REVOKED', onChainState: 'NONE' });
  const pass = await acme().untilSettled(network, wallet);
  expect(await chain.accepts(network, wallet)).toBe(false);
  expect(await chain.transactionsAbout(network, wallet)).toEqual(transactionsOf(pass));
  if (pass.onChainState === 'NONE') {
    const ends = pass.events.map(({ eventType }) => eventType);
    expect(ends).toEqual(['TOKEN_ISSUED_INITIATED', 'TOKEN_ISSUED_FAILED', 'TOKEN_REVOKED_INITIATED', 'TOKEN_REVOKED']);
    expect(await chain.token(network, wallet)).toBeUndefined();
  } else {
    expect(outcomesOf(pass)).toEqual(['TOKEN_ISSUED', 'TOKEN_REVOKED']);
    expect(await chain.token(network, wallet)).toEqual({ state: 'REVOKED', expiry: undefined });
  }
});

it.concurrent.each(BOTH)('on %s an immediate unfreeze either supersedes the freeze or follows it', async (network) => {
  const wallet = await anActivePassOn(network);
  await acme().update(network, wallet, { state: 'FROZEN' });
  await acme().update(network, wallet, { state: 'ACTIVE' });
  const pass = await acme().untilSettled(network, wallet);
  expect([
    ['TOKEN_ISSUED'],
    ['TOKEN_ISSUED', 'TOKEN_FROZEN_FAILED: superseded'],
    ['TOKEN_ISSUED', 'TOKEN_FROZEN', 'TOKEN_UNFROZEN'],
  ]).toContainEqual(outcomesOf(pass));
  expect(pass).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE' });
  await expectOnChain(network, wallet, pass);
});

it.concurrent.each(BOTH)('on %s the partner can revoke a pass whose freeze is pending', async (network) => {
  const wallet = await anActivePassOn(network);
  await acme().update(network, wallet, { state: 'FROZEN' });
  await awaitEvent('TOKEN_FROZEN_INITIATED', network, wallet);
  await acme().revoke(network, wallet);
  const pass = await acme().untilSettled(network, wallet);
  expect([
    ['TOKEN_ISSUED', 'TOKEN_FROZEN_FAILED: superseded', 'TOKEN_REVOKED'],
    ['TOKEN_ISSUED', 'TOKEN_FROZEN', 'TOKEN_REVOKED'],
  ]).toContainEqual(outcomesOf(pass));
  expect(pass).toMatchObject({ state: 'REVOKED', onChainState: 'REVOKED' });
  await expectOnChain(network, wallet, pass);
});

it.concurrent('on Ethereum a frozen pass gets its new expiry when it is unfrozen', async () => {
  const wallet = await anActivePassOn('sepolia');
  await acme().update('sepolia', wallet, { state: 'FROZEN' });
  const frozen = await acme().untilSettled('sepolia', wallet);
  const since = await acme().update('sepolia', wallet, { expiryTimestamp: IN_A_YEAR });
  expect(since).toEqual({ ...frozen, expiryTimestamp: IN_A_YEAR, status: 'ok' });
  expect(await acme().untilSettled('sepolia', wallet)).toMatchObject({ state: 'FROZEN', expiryTimestamp: IN_A_YEAR });
  expect(await chain.token('sepolia', wallet)).toEqual({ state: 'FROZEN', expiry: undefined });

  await acme().update('sepolia', wallet, { state: 'ACTIVE' });
  const pass = await acme().untilSettled('sepolia', wallet, { ended: { change: 'TOKEN_EXPIRY_CHANGED', since } });
  expect(outcomesOf(pass)).toEqual(['TOKEN_ISSUED', 'TOKEN_FROZEN', 'TOKEN_UNFROZEN', 'TOKEN_EXPIRY_CHANGED']);
  await expectOnChain('sepolia', wallet, pass);
});

it.concurrent('on Solana a frozen pass gets its new expiry at once', async () => {
  const wallet = await anActivePassOn('devnet');
  await acme().update('devnet', wallet, { state: 'FROZEN' });
  await acme().untilSettled('devnet', wallet);
  const since = await acme().update('devnet', wallet, { expiryTimestamp: IN_A_YEAR });
  const pass = await acme().untilSettled('devnet', wallet, { ended: { change: 'TOKEN_EXPIRY_CHANGED', since } });
  expect(outcomesOf(pass)).toEqual(['TOKEN_ISSUED', 'TOKEN_FROZEN', 'TOKEN_EXPIRY_CHANGED']);
  expect(pass).toMatchObject({ state: 'FROZEN', onChainState: 'FROZEN' });
  await expectOnChain('devnet', wallet, pass);
});

// This test is not concurrent: it stops the blocks that the other tests need.
it('a newer change supersedes a freeze that waits until its token is final', async () => {
  const wallets = { unfrozen: freshWallet('sepolia'), revoked: freshWallet('sepolia') };
  const both = <T>(ask: (wallet: string) => Promise<T>) => Promise.all([ask(wallets.unfrozen), ask(wallets.revoked)]);
  // No block but the one of the issuances, so that their tokens cannot become final.
  await setBlockTime(0);
  await both((wallet) => acme().issue('sepolia', wallet));
  await both(async (wallet) => {
    const isSent = ({ events }: PassRecord) => events[0]?.transaction?.status === 'sent';
    await pollUntil(() => acme().fetch('sepolia', wallet), isSent);
  });
  await callNode(facts().rpc.sepolia ?? '', 'evm_mine', []);
  await both((wallet) => acme().untilSettled('sepolia', wallet));
  await both((wallet) => acme().update('sepolia', wallet, { state: 'FROZEN' }));
  await both((wallet) => awaitEvent('TOKEN_FROZEN_INITIATED', 'sepolia', wallet));
  await acme().update('sepolia', wallets.unfrozen, { state: 'ACTIVE' });
  await acme().revoke('sepolia', wallets.revoked);
  await both((wallet) => awaitEvent('TOKEN_FROZEN_FAILED', 'sepolia', wallet));
  await setBlockTime(1);

  const [unfrozen, revoked] = await both((wallet) => acme().untilSettled('sepolia', wallet));
  expect(outcomesOf(unfrozen)).toEqual(['TOKEN_ISSUED', 'TOKEN_FROZEN_FAILED: superseded']);
  expect(outcomesOf(revoked)).toEqual(['TOKEN_ISSUED', 'TOKEN_FROZEN_FAILED: superseded', 'TOKEN_REVOKED']);
  await expectOnChain('sepolia', wallets.unfrozen, unfrozen);
  await expectOnChain('sepolia', wallets.revoked, revoked);
});

/** Sets the block time in seconds. 0 stops the blocks. */
function setBlockTime(seconds: number): Promise<unknown> {
  return callNode(facts().rpc.sepolia ?? '', 'evm_setIntervalMining', [seconds]);
}
