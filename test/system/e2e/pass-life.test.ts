import { expect, it } from 'vitest';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { ChainWitness } from '../chain-witness.ts';
import { runGatepass } from './run-gatepass.ts';
import { expectRenewal, expectWholeLife } from './whole-life.ts';

/** The life of a pass on both chains from the view of its partner and of a dApp. */

const { facts, acme } = runGatepass();
const chain = new ChainWitness(facts, () => acme().gatekeeperNetwork);

it.concurrent.each(['sepolia', 'devnet'])(
  'on %s every stage of a pass takes one transaction, and the chain agrees with the record',
  (network) => expectWholeLife(acme(), chain, network),
);

it.concurrent.each(['baseSepolia', 'devnet'])('on %s an issuance renews an expired pass', (network) =>
  expectRenewal(new LocalnetPartner(facts(), 'fleeting'), chain, network),
);

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
