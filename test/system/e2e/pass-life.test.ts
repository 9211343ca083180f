import { expect, it } from 'vitest';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { ChainWitness } from '../chain-witness.ts';
import { pollUntil } from '../poll-until.ts';
import { runGatepass } from './run-gatepass.ts';
import { expectWholeLife } from './whole-life.ts';

/** The life of a pass on both chains from the view of its partner and of a dApp. */

const { facts, acme } = runGatepass();
const chain = new ChainWitness(facts, () => acme().gatekeeperNetwork);

it.concurrent.each(['sepolia', 'devnet'])(
  'on %s every stage of a pass takes one transaction, and the chain agrees with the record',
  (network) => expectWholeLife(acme(), chain, network),
);

it.concurrent.each(['baseSepolia', 'devnet'])('on %s an issuance renews an expired pass', async (network) => {
  const fleeting = new LocalnetPartner(facts(), 'fleeting');
  const wallet = freshWallet(network);
  await fleeting.issue(network, wallet);
  const first = await fleeting.untilSettled(network, wallet);
  expect(first.expiryTimestamp).toBeTypeOf('number');
  expect(await chain.token(network, wallet)).toEqual({ state: 'ACTIVE', expiry: first.expiryTimestamp });
  expect(await chain.accepts(network, wallet)).toBe(true);

  await chain.makeFinal(network);
  await pollUntil(
    () => chain.accepts(network, wallet),
    (accepted) => !accepted,
  );
  // The service renews the pass only after its own clock has passed the expiry.
  const since = await pollUntil(
    () => fleeting.issue(network, wallet),
    ({ expiryTimestamp }) => expiryTimestamp !== first.expiryTimestamp,
  );
  const pass = await fleeting.untilSettled(network, wallet, { ended: { change: 'TOKEN_EXPIRY_CHANGED', since } });
  expect(await chain.accepts(network, wallet)).toBe(true);
  expect(await chain.token(network, wallet)).toEqual({ state: 'ACTIVE', expiry: pass.expiryTimestamp });
  expect(pass.expiryTimestamp).toBeGreaterThan(first.expiryTimestamp ?? 0);
  expect(pass.id).toBe(first.id);
  // The announcement of the old expiry comes at a random second after it: before the renewal, during it, or not at all.
  const changes = pass.events.map(({ eventType }) => eventType).filter((type) => type !== 'TOKEN_EXPIRED');
  expect(changes).toEqual([
    'TOKEN_ISSUED_INITIATED',
    'TOKEN_ISSUED',
    'TOKEN_EXPIRY_CHANGED_INITIATED',
    'TOKEN_EXPIRY_CHANGED',
  ]);
  expect(await chain.transactionsAbout(network, wallet)).toHaveLength(2);
});

it.concurrent('simultaneous steps with different gas costs all succeed', async () => {
  const network = 'baseSepolia';
  const wallets = Array.from({ length: 8 }, () => freshWallet(network));
  const half = wallets.slice(4);
  const all = <T>(of: readonly string[], ask: (wallet: string) => Promise<T>) => Promise.all(of.map(ask));
  const untilSettled = (of: readonly string[]) => acme().untilAllSettled(network, of);

  await all(wallets, (wallet) => acme().issue(network, wallet));
  await untilSettled(wallets);
  await all(half, (wallet) => acme().update(network, wallet, { state: 'FROZEN' }));
  await untilSettled(half);
  // Revoking a frozen token changes less of the contract's storage than revoking an active token, so it costs less gas.
  await all(wallets, (wallet) => acme().revoke(network, wallet));
  await untilSettled(wallets);

  const transactions = (await all(wallets, (wallet) => chain.transactionsAbout(network, wallet))).flat();
  expect(transactions).toHaveLength(8 + 4 + 8);
  expect(await all(transactions, (each) => chain.succeeded(network, each))).not.toContain(false);
});
