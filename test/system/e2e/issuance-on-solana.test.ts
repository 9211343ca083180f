import { findGatewayTokens } from '@identity.com/solana-gateway-ts';
import { Connection, PublicKey } from '@solana/web3.js';
import { afterEach, describe, expect, it } from 'vitest';
import { freshWallet } from '../../../localnet/partner/fresh-wallet.ts';
import type { PassRecord } from '../../../localnet/partner/partner-client.ts';
import { dAppAccepts } from '../../../localnet/witness/on-chain-token.ts';
import type { Wallet } from '../../../src/network/wallet.ts';
import { callNode } from '../../call-node.ts';
import { pollUntil } from '../poll-until.ts';
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

/** Resolves to all tokens of acme's gatekeeper network, including revoked ones. The protocol's own client reads them. */
async function tokens() {
  const connection = new Connection(rpcUrl(), 'confirmed');
  return findGatewayTokens(connection, undefined, new PublicKey(acme().gatekeeperNetwork), true);
}

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
    const crowd = wallets(200);
    const before = (await tokens()).length;
    await node('localnet_resetRequests');
    const first = await Promise.all(crowd.map((wallet) => acme().issue(NETWORK, wallet)));
    const passes = await acme().untilAllSettled(NETWORK, crowd);
    const { http } = await node<{ http: number }>('localnet_requests');

    expect(passes.filter((pass) => pass.state === 'ACTIVE')).toHaveLength(200);
    expect(http / 200).toBeLessThanOrEqual(0.2);
    const after = await tokens();
    expect(after).toHaveLength(before + 200);
    const owners = new Set(after.map(({ owner }) => owner.toBase58()));
    expect(crowd.filter((wallet) => !owners.has(wallet))).toEqual([]);
    expect(new Set(passes.map((pass) => transactionOf(pass)?.identifier)).size).toBe(200);

    await node('localnet_resetRequests');
    const again = await Promise.all(crowd.map((wallet) => acme().issue(NETWORK, wallet)));
    expect(again.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    const { calls } = await node<{ calls: Record<string, number> }>('localnet_requests');
    expect(calls.sendTransaction ?? 0).toBe(0);
    expect(await tokens()).toHaveLength(before + 200);
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
