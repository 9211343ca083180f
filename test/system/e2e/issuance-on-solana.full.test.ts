import { Connection } from '@solana/web3.js';
import { afterEach, describe, expect, it } from 'vitest';
import type { Wallet } from '../../../src/network/wallet.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import type { PassRecord } from '../../../tools/localnet/partner/partner-client.ts';
import { dAppAccepts } from '../../../tools/localnet/witness/on-chain-token.ts';
import { callNode } from '../../call-node.ts';
import { pollUntil } from '../poll-until.ts';
import { expectCrowdOnSolana, tokensOnSolana } from './crowd.ts';
import { runGatepass } from './run-gatepass.ts';

/** Issuance on Solana from the view of a partner, which uses HTTP, and of a dApp, which reads the chain. */

const NETWORK = 'devnet';
const { facts, acme } = runGatepass();

afterEach(() => node('localnet_heal'));

const rpcUrl = () => facts().rpc[NETWORK] as string;
const wallets = (count: number) => Array.from({ length: count }, () => freshWallet(NETWORK));
const accepted = (wallet: string) => dAppAccepts(rpcUrl(), wallet, acme().gatekeeperNetwork);

/** Calls the node directly. */
const node = <T>(method: string, ...params: unknown[]): Promise<T> => callNode(rpcUrl(), method, params);

const tokens = () => tokensOnSolana(rpcUrl(), acme().gatekeeperNetwork);

const transactionOf = ({ events }: PassRecord) => events[0]?.transaction;

const awaitSent = (wallet: string): Promise<PassRecord> =>
  pollUntil(
    () => acme().fetch(NETWORK, wallet),
    (pass) => transactionOf(pass)?.status === 'sent',
  );

describe('issuance of one pass', () => {
  it('a pass is first requested, then sent, then active, a search finds it, and a dApp accepts it', async () => {
    const [wallet] = wallets(1) as [Wallet];
    expect(await accepted(wallet)).toBe(false);
    // The node drops the transaction until the test has seen that it was sent. The service sends it again.
    await node('localnet_fail', { method: 'sendTransaction', how: { drop: true } });
    const requested = await acme().issue(NETWORK, wallet);
    expect(requested).toMatchObject({ state: 'REQUESTED', onChainState: 'NONE', walletAddress: wallet });
    await awaitSent(wallet);
    await node('localnet_heal');
    const pass = await acme().untilSettled(NETWORK, wallet);
    expect(pass).toMatchObject({ id: requested.id, state: 'ACTIVE', onChainState: 'ACTIVE' });
    expect(pass.events.map(({ eventType }) => eventType)).toEqual(['TOKEN_ISSUED_INITIATED', 'TOKEN_ISSUED']);
    expect(await acme().search({ filter: { walletAddress: wallet, state: 'ACTIVE' } })).toEqual([pass]);
    expect(await accepted(wallet)).toBe(true);
    const status = await new Connection(rpcUrl()).getSignatureStatus(transactionOf(pass)?.identifier ?? '');
    expect(status.value).toMatchObject({ err: null });
  });
});

describe('issuance of two hundred passes', () => {
  it('two hundred simultaneous issuances create two hundred accounts with few requests, and repeating them creates no account', async () => {
    const requests = await expectCrowdOnSolana(acme(), rpcUrl(), 200);
    expect(requests / 200).toBeLessThanOrEqual(0.2);
  });
});

describe('lost transactions', () => {
  it('the service signs a transaction again if its blockhash expires before it lands, and creates one account', async () => {
    const [wallet] = wallets(1) as [Wallet];
    const before = (await tokens()).length;
    await node('localnet_fail', { method: 'sendTransaction', how: { drop: true } });
    await acme().issue(NETWORK, wallet);
    const lost = transactionOf(await awaitSent(wallet))?.identifier;
    await node('localnet_expireBlockhashes');
    await node('localnet_heal');

    const pass = await acme().untilSettled(NETWORK, wallet);
    expect(pass.events.map(({ eventType }) => eventType)).toEqual(['TOKEN_ISSUED_INITIATED', 'TOKEN_ISSUED']);
    expect(transactionOf(pass)).toMatchObject({ status: 'confirmed' });
    expect(transactionOf(pass)?.identifier).not.toBe(lost);
    expect(await tokens()).toHaveLength(before + 1);
    expect(await accepted(wallet)).toBe(true);
  });

  it('the service creates one account if the transaction lands and only the answers get lost', async () => {
    const [wallet] = wallets(1) as [Wallet];
    const before = (await tokens()).length;
    await node('localnet_fail', { method: 'sendTransaction', times: 2, how: { http: 502, carriedOut: true } });
    await acme().issue(NETWORK, wallet);
    const pass = await acme().untilSettled(NETWORK, wallet);
    expect(transactionOf(pass)).toMatchObject({ status: 'confirmed' });
    expect(await tokens()).toHaveLength(before + 1);
  });
});
