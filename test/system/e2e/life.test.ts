import { expect, it } from 'vitest';
import { freshWallet } from '../../../localnet/partner/fresh-wallet.ts';
import { PartnerClient } from '../../../localnet/partner/partner-client.ts';
import { LIFE, live } from '../../../localnet/partner/pass-life.ts';
import { ChainWitness } from '../../../localnet/witness/chain-witness.ts';
import { runningGatepass } from './running-gatepass.ts';
import { until } from './until.ts';

/** The life of a pass on both chains, as its partner and a dApp see it. */

const { facts, acme } = runningGatepass();
const chain = new ChainWitness(facts, () => acme().gatekeeperNetwork);

it.concurrent.each(['sepolia', 'devnet'])(
  'every stage on %s is one transaction, and true on chain',
  async (network) => {
    const wallet = freshWallet(network);
    const sent: string[] = [];
    for (const stage of LIFE) {
      const pass = await live(stage, acme(), network, wallet);
      const identifier = pass.events.at(-1)?.transaction?.identifier ?? 'none';
      const transaction = { identifier, status: 'confirmed' };
      sent.push(identifier);

      expect(pass).toMatchObject({ state: stage.state, onChainState: stage.state });
      expect(pass.events).toHaveLength(2 * sent.length);
      expect(pass.events.slice(-2)).toMatchObject([
        { eventType: `${stage.change}_INITIATED`, transaction },
        { eventType: stage.change, transaction },
      ]);
      expect(await chain.transactionsAbout(network, wallet)).toEqual(sent);
      expect(await chain.succeeded(network, identifier)).toBe(true);
      expect(await chain.token(network, wallet)).toEqual({ state: stage.state, expiry: pass.expiryTimestamp });
      expect(await chain.accepts(network, wallet)).toBe(stage.accepted);
    }
    const end = await acme().fetch(network, wallet);
    expect(await acme().revoke(network, wallet)).toEqual(end);
    const isOver = { status: 409, problem: { code: 'pass_revoked' } };
    await expect(acme().issue(network, wallet)).rejects.toMatchObject(isOver);
    await expect(acme().update(network, wallet, { state: 'ACTIVE' })).rejects.toMatchObject(isOver);
  },
);

it.concurrent.each(['baseSepolia', 'devnet'])('on %s a pass that has expired is renewed', async (network) => {
  const fleeting = new PartnerClient(facts(), 'fleeting');
  const wallet = freshWallet(network);
  await fleeting.issue(network, wallet);
  const first = await fleeting.untilSettled(network, wallet);
  expect(first.expiryTimestamp).toBeTypeOf('number');
  expect(await chain.token(network, wallet)).toEqual({ state: 'ACTIVE', expiry: first.expiryTimestamp });
  expect(await chain.accepts(network, wallet)).toBe(true);

  await chain.makeFinal(network);
  await until(
    () => chain.accepts(network, wallet),
    (accepted) => !accepted,
  );
  // To the service it has expired when its clock has passed that second.
  const since = await until(
    () => fleeting.issue(network, wallet),
    ({ expiryTimestamp }) => expiryTimestamp !== first.expiryTimestamp,
  );
  const pass = await fleeting.untilSettled(network, wallet, { ended: { change: 'TOKEN_EXPIRY_CHANGED', since } });
  expect(await chain.accepts(network, wallet)).toBe(true);
  expect(await chain.token(network, wallet)).toEqual({ state: 'ACTIVE', expiry: pass.expiryTimestamp });
  expect(pass.expiryTimestamp).toBeGreaterThan(first.expiryTimestamp ?? 0);
  expect(pass.id).toBe(first.id);
  expect(pass.events.map(({ eventType }) => eventType)).toEqual([
    'TOKEN_ISSUED_INITIATED',
    'TOKEN_ISSUED',
    'TOKEN_EXPIRY_CHANGED_INITIATED',
    'TOKEN_EXPIRY_CHANGED',
  ]);
  expect(await chain.transactionsAbout(network, wallet)).toHaveLength(2);
});

it.concurrent('what costs unlike much gas is done at once, and nothing runs out of it', async () => {
  const network = 'baseSepolia';
  const wallets = Array.from({ length: 8 }, () => freshWallet(network));
  const half = wallets.slice(4);
  const all = <T>(of: readonly string[], ask: (wallet: string) => Promise<T>) => Promise.all(of.map(ask));
  const untilSettled = (of: readonly string[]) => all(of, (wallet) => acme().untilSettled(network, wallet));

  await all(wallets, (wallet) => acme().issue(network, wallet));
  await untilSettled(wallets);
  await all(half, (wallet) => acme().update(network, wallet, { state: 'FROZEN' }));
  await untilSettled(half);
  // A token that was frozen has less to change in the contract's storage than one that was active.
  await all(wallets, (wallet) => acme().revoke(network, wallet));
  await untilSettled(wallets);

  const transactions = (await all(wallets, (wallet) => chain.transactionsAbout(network, wallet))).flat();
  expect(transactions).toHaveLength(8 + 4 + 8);
  expect(await all(transactions, (each) => chain.succeeded(network, each))).not.toContain(false);
});
