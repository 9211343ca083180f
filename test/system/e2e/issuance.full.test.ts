import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import type { PassRecord } from '../../../tools/localnet/partner/partner-client.ts';
import { dAppAccepts } from '../../../tools/localnet/witness/on-chain-token.ts';
import { callNode } from '../../call-node.ts';
import { LONG } from '../../form.ts';
import { pollUntil } from '../poll-until.ts';
import { expectCrowdOnEthereum } from './crowd.ts';
import { sendRawRequest } from './raw-request.ts';
import { runGatepass } from './run-gatepass.ts';

/** Issuance on Ethereum from the view of a partner, which uses HTTP, and of a dApp, which reads the chain. */

/** The number of simultaneous issuances. */
const CROWD = LONG ? 200 : 50;

const { facts, acme } = runGatepass();

const wallets = (count: number) => Array.from({ length: count }, () => privateKeyToAddress(generatePrivateKey()));

const transactionOf = ({ events }: PassRecord) => events[0]?.transaction;

/** Sets the block time in seconds. 0 stops the blocks. */
const setBlockTime = (network: string, seconds: number) =>
  callNode(facts().rpc[network] ?? '', 'evm_setIntervalMining', [seconds]);

describe('issuance of one pass', () => {
  it('a pass is first requested, then sent, then active, a search finds it, and a dApp accepts it', async () => {
    const [wallet] = wallets(1) as [Hex];
    expect(await dAppAccepts(facts().rpc.baseSepolia ?? '', wallet, acme().gatekeeperNetwork)).toBe(false);
    // Without blocks, the pass stays in its second state until the test has seen it.
    await setBlockTime('baseSepolia', 0);
    const requested = await acme().issue('baseSepolia', wallet.toLowerCase());
    expect(requested).toMatchObject({ state: 'REQUESTED', onChainState: 'NONE', walletAddress: wallet });
    await pollUntil(
      () => acme().fetch('baseSepolia', wallet),
      (each) => transactionOf(each)?.status === 'sent',
    );
    await setBlockTime('baseSepolia', 1);
    const pass = await acme().untilSettled('baseSepolia', wallet);
    expect(pass).toMatchObject({ id: requested.id, state: 'ACTIVE', onChainState: 'ACTIVE' });
    expect(pass.events.map(({ eventType }) => eventType)).toEqual(['TOKEN_ISSUED_INITIATED', 'TOKEN_ISSUED']);
    expect(await acme().search({ filter: { walletAddress: wallet, state: 'ACTIVE' } })).toEqual([pass]);
    expect(await dAppAccepts(facts().rpc.baseSepolia ?? '', wallet, acme().gatekeeperNetwork)).toBe(true);
  });

  it('a partner of another gatekeeper network does not see the pass, and issues its own pass to the same wallet', async () => {
    const [wallet] = wallets(1) as [Hex];
    const globex = new LocalnetPartner(facts(), 'globex');
    await acme().issue('sepolia', wallet);
    await acme().untilSettled('sepolia', wallet);
    await expect(globex.fetch('sepolia', wallet)).rejects.toMatchObject({ status: 404 });
    expect(await globex.search({ filter: { walletAddress: wallet } })).toEqual([]);
    await globex.issue('sepolia', wallet);
    await globex.untilSettled('sepolia', wallet);
    expect(await dAppAccepts(facts().rpc.sepolia ?? '', wallet, globex.gatekeeperNetwork)).toBe(true);
  });

  it('all clients of a gatekeeper network share its passes, and each client has its own scopes', async () => {
    const [wallet] = wallets(1) as [Hex];
    const viewer = new LocalnetPartner(facts(), 'viewer');
    const { id } = await acme().issue('sepolia', wallet);
    expect(await viewer.fetch('sepolia', wallet)).toMatchObject({ id });
    await expect(viewer.issue('sepolia', wallet)).rejects.toMatchObject({ status: 403 });
    await acme().untilSettled('sepolia', wallet);
  });
});

describe('issuance of a crowd', () => {
  it(`${CROWD} simultaneous issuances create ${CROWD} tokens with consecutive nonces, and repeating them creates no token`, async () => {
    await expectCrowdOnEthereum(acme(), facts(), CROWD);
  });
});

describe('bursts of requests', () => {
  it('the service accepts all issuances of two bursts that are five seconds apart', async () => {
    // Some versions of the local runtime fail on connections that have been idle for five seconds.
    const started = Date.now();
    for (const burst of [0, 1]) {
      await new Promise((resolve) => setTimeout(resolve, started + burst * 5_000 - Date.now()));
      const accepted = await Promise.all(wallets(60).map((wallet) => acme().issue('baseSepolia', wallet)));
      expect(accepted).toHaveLength(60);
    }
  });
});

describe('malformed requests', () => {
  const path = `/pass/ethereum/sepolia/${wallets(1)[0]}`;
  const ask = (lines: readonly string[], body?: string) => sendRawRequest(facts().baseUrl, lines, body);

  it('a HEAD request with a body gets the same answer as without one', async () => {
    expect(await ask(['HEAD /health HTTP/1.1'], '{}')).toEqual([200, '']);
    expect(await ask(['HEAD /nowhere HTTP/1.1'], '{}')).toEqual([404, '']);
    const authorization = `Authorization: Bearer ${await acme().token()}`;
    expect(await ask([`HEAD ${path} HTTP/1.1`, authorization], '{}')).toEqual([404, '']);
  });

  it('a request with two Authorization headers is refused in either order', async () => {
    const good = `Authorization: Bearer ${await acme().token()}`;
    expect((await ask([`GET ${path} HTTP/1.1`, good]))[0]).toBe(404);
    for (const other of [good, 'Authorization: Bearer rubbish', 'Authorization: Basic YTpi']) {
      expect((await ask([`GET ${path} HTTP/1.1`, good, other]))[0]).toBe(401);
      expect((await ask([`GET ${path} HTTP/1.1`, other, good]))[0]).toBe(401);
    }
  });
});
