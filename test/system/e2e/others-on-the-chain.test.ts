import { beforeAll, expect, it } from 'vitest';
import { freshWallet } from '../../../localnet/partner/fresh-wallet.ts';
import type { PassRecord } from '../../../localnet/partner/partner-client.ts';
import { LIFE, live } from '../../../localnet/partner/pass-life.ts';
import { ChainWitness } from '../../../localnet/witness/chain-witness.ts';
import { anActivePass } from './an-active-pass.ts';
import { anotherGatekeeper, type Outsider, withTheKeyOfSolana } from './outsider.ts';
import { transactionsOf } from './pairs.ts';
import { runningGatepass } from './running-gatepass.ts';
import { until } from './until.ts';

/** What others do on the chain, and what the service makes of it. */

const { facts, acme } = runningGatepass();
const chain = new ChainWitness(facts, () => acme().gatekeeperNetwork);
const BOTH = ['sepolia', 'devnet'];
const IN_A_YEAR = Math.floor(Date.now() / 1000) + 365 * 24 * 3600;

const others: Record<string, Outsider> = {};
const another = (network: string) => others[network] as Outsider;
/** On Solana only who has issued a token can freeze it. */
const whoCanFreeze = (network: string) =>
  network === 'devnet' ? withTheKeyOfSolana(facts(), network, acme().gatekeeperNetwork) : another(network);

beforeAll(async () => {
  for (const network of BOTH) others[network] = await anotherGatekeeper(facts(), network, acme().gatekeeperNetwork);
});

const anActivePassOn = (network: string) => anActivePass(acme(), chain, network);

/** What somebody did is taken over when all that the service did before is final. */
function synced(network: string, wallet: string, state: string) {
  return until(
    () => acme().sync(network, wallet),
    (pass) => pass.state === state,
  );
}

const eventsOf = ({ events }: PassRecord) => events.map(({ eventType }) => eventType);

it.concurrent.each(BOTH)(
  'a token that is on %s already is adopted as it is, without a transaction',
  async (network) => {
    const wallet = freshWallet(network);
    await another(network).issue(wallet, IN_A_YEAR);
    await chain.makeFinal(network);
    await acme().issue(network, wallet);
    const pass = await acme().untilSettled(network, wallet);
    expect(pass).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE', expiryTimestamp: IN_A_YEAR });
    expect(eventsOf(pass)).toEqual(['TOKEN_ISSUED_INITIATED', 'TOKEN_ISSUED']);
    expect(transactionsOf(pass)).toEqual([]);
    expect(await chain.transactionsAbout(network, wallet)).toEqual([]);
  },
);

it.concurrent.each(BOTH)('a token that is frozen on %s is adopted frozen', async (network) => {
  const wallet = freshWallet(network);
  await another(network).issue(wallet);
  await another(network).freeze(wallet);
  await chain.makeFinal(network);
  await acme().issue(network, wallet);
  const pass = await acme().untilSettled(network, wallet);
  expect(pass).toMatchObject({ state: 'FROZEN', onChainState: 'FROZEN' });
  expect(eventsOf(pass)).toEqual(['TOKEN_ISSUED_INITIATED', 'TOKEN_ISSUED', 'TOKEN_FROZEN']);
  expect(await chain.transactionsAbout(network, wallet)).toEqual([]);
});

it.concurrent('what another gatekeeper of Solana has issued is not ours to freeze, but to prolong and revoke', async () => {
  const wallet = freshWallet('devnet');
  await another('devnet').issue(wallet);
  await chain.makeFinal('devnet');
  await acme().issue('devnet', wallet);
  await acme().untilSettled('devnet', wallet);
  const isForeign = { status: 409, problem: { code: 'issued_by_another_gatekeeper' } };
  await expect(acme().update('devnet', wallet, { state: 'FROZEN' })).rejects.toMatchObject(isForeign);
  expect(await chain.accepts('devnet', wallet)).toBe(true);
  for (const stage of LIFE.filter(({ name }) => name === 'new expiry' || name === 'revoke')) {
    const { state, expiryTimestamp: expiry } = await live(stage, acme(), 'devnet', wallet);
    expect(await chain.token('devnet', wallet)).toEqual({ state, expiry });
  }
  expect(await chain.accepts('devnet', wallet)).toBe(false);
  expect(await chain.transactionsAbout('devnet', wallet)).toHaveLength(2);
});

it.concurrent.each(BOTH)(
  'what somebody else freezes on %s is frozen after a sync, and can be unfrozen',
  async (network) => {
    const wallet = await anActivePassOn(network);
    await whoCanFreeze(network).freeze(wallet);
    const frozen = await synced(network, wallet, 'FROZEN');
    expect(frozen.onChainState).toBe('FROZEN');
    expect(eventsOf(frozen)).toEqual(['TOKEN_ISSUED_INITIATED', 'TOKEN_ISSUED', 'TOKEN_FROZEN']);
    expect(frozen.events.at(-1)).not.toHaveProperty('transaction');
    expect(await acme().sync(network, wallet)).toEqual(frozen);

    await acme().update(network, wallet, { state: 'ACTIVE' });
    const pass = await acme().untilSettled(network, wallet);
    expect(eventsOf(pass).slice(3)).toEqual(['TOKEN_UNFROZEN_INITIATED', 'TOKEN_UNFROZEN']);
    expect(transactionsOf(pass)).toHaveLength(2);
    expect(await chain.accepts(network, wallet)).toBe(true);
  },
);

it.concurrent.each(BOTH)('what is burned on %s is revoked after a sync, and stays so', async (network) => {
  const wallet = await anActivePassOn(network);
  await another(network).burn(wallet);
  const pass = await synced(network, wallet, 'REVOKED');
  expect(pass.onChainState).toBe('NONE');
  expect(eventsOf(pass)).toEqual(['TOKEN_ISSUED_INITIATED', 'TOKEN_ISSUED', 'TOKEN_REVOKED']);
  expect(transactionsOf(pass)).toHaveLength(1);
  const isOver = { status: 409, problem: { code: 'pass_revoked' } };
  await expect(acme().issue(network, wallet)).rejects.toMatchObject(isOver);
  expect(await chain.token(network, wallet)).toBeUndefined();
});

it.concurrent.each(BOTH)('a wallet with two tokens on %s is kept out when its pass is revoked', async (network) => {
  const wallet = await anActivePassOn(network);
  await another(network).issue(wallet, undefined, 1);
  await chain.makeFinal(network);
  await acme().revoke(network, wallet);
  const pass = await acme().untilSettled(network, wallet);
  expect(await chain.accepts(network, wallet)).toBe(false);
  expect(eventsOf(pass).slice(2)).toEqual(['TOKEN_REVOKED_INITIATED', 'TOKEN_REVOKED_INITIATED', 'TOKEN_REVOKED']);
  expect(pass.onChainState).toBe('REVOKED');
  expect(await chain.transactionsAbout(network, wallet)).toEqual(transactionsOf(pass));
});

it.concurrent('a wallet with two tokens on Ethereum is kept out when its pass is frozen, and let in again', async () => {
  const wallet = await anActivePassOn('sepolia');
  await another('sepolia').issue(wallet);
  await acme().update('sepolia', wallet, { state: 'FROZEN' });
  const frozen = await acme().untilSettled('sepolia', wallet);
  expect(await chain.accepts('sepolia', wallet)).toBe(false);
  expect(eventsOf(frozen).slice(2)).toEqual(['TOKEN_FROZEN_INITIATED', 'TOKEN_FROZEN_INITIATED', 'TOKEN_FROZEN']);
  await acme().update('sepolia', wallet, { state: 'ACTIVE' });
  const pass = await acme().untilSettled('sepolia', wallet);
  expect(await chain.accepts('sepolia', wallet)).toBe(true);
  expect(await chain.transactionsAbout('sepolia', wallet)).toEqual(transactionsOf(pass));
});
