import { createSolanaRpc } from '@solana/kit';
import { createPublicClient, custom, http, type PublicClient } from 'viem';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type PassReader, verifyReader, viemReader } from '../../../../packages/react/src/core.ts';
import { kitReader } from '../../../../packages/react/src/solana.ts';
import { OWNERLESS_CONTRACT } from '../../../../src/network/networks.ts';
import { slotOf } from '../../../../src/network/slot.ts';
import { freshWallet } from '../../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../../tools/localnet/partner/localnet-partner.ts';
import { LIFE_STAGES, runStage } from '../../../../tools/localnet/partner/pass-life.ts';
import { dAppAccepts, readToken } from '../../../../tools/localnet/witness/on-chain-token.ts';
import { eventually } from '../../../eventually.ts';
import { startRecordingProxy } from '../../ops/recording-proxy.ts';
import { type OwnChain, startOwnChain } from '../../require-a-pass/own-chain.ts';
import { settingsOf } from '../cli/gatepass-command.ts';

/** The readers of a page, beside the protocol's own clients. */

const facts = inject('gatepass');
const partner = new LocalnetPartner(facts, 'acme');
const { gatekeeperNetwork } = partner;
const slot = slotOf(gatekeeperNetwork) as bigint;
const contract = OWNERLESS_CONTRACT as `0x${string}`;
const never = new AbortController().signal;
const baseUrl = settingsOf(facts).GATEPASS_URL;

const READERS = {
  sepolia: [
    viemReader(createPublicClient({ transport: http(facts.rpc.sepolia) }), { contract, slot }),
    verifyReader({ baseUrl, chain: { type: 'ethereum', network: 'sepolia' } }),
  ],
  devnet: [
    kitReader(createSolanaRpc(facts.rpc.devnet ?? '')),
    verifyReader({ baseUrl, chain: { type: 'solana', network: 'devnet' } }),
  ],
};

describe.each(['sepolia', 'devnet'] as const)('on %s', (network) => {
  it('every reader agrees with the protocol’s client in every stage of a pass', async () => {
    const wallet = freshWallet(network);
    const rpc = facts.rpc[network] ?? '';
    const expectAll = (accepted: boolean) =>
      eventually(async () => {
        const token = await readToken(rpc, wallet, gatekeeperNetwork);
        const readings = await Promise.all(
          READERS[network].map((reader) => reader.read({ wallet, gatekeeperNetwork }, never)),
        );
        const seen = readings.map(({ valid, state, expiry }) => ({ valid, state, expiry }));
        expect(await dAppAccepts(rpc, wallet, gatekeeperNetwork)).toBe(accepted);
        const state = token?.state ?? 'NONE';
        expect(seen).toEqual(readings.map(() => ({ valid: accepted, state, expiry: token?.expiry })));
      });
    await expectAll(false);
    for (const stage of LIFE_STAGES) {
      await runStage(stage, partner, network, wallet);
      await expectAll(stage.accepted);
    }
  });

  it('a node that does not answer is no "none"', async () => {
    const dead = 'http://127.0.0.1:9';
    const readers: PassReader[] = [
      viemReader(createPublicClient({ transport: http(dead, { retryCount: 0 }) }), { contract, slot }),
      kitReader(createSolanaRpc(dead)),
      verifyReader({ baseUrl: dead, chain: { type: 'solana', network: 'devnet' } }),
    ];
    for (const reader of readers)
      await expect(reader.read({ wallet: freshWallet(network), gatekeeperNetwork }, never)).rejects.toThrow();
  });
});

describe('on a chain of its own', () => {
  const NETWORK = 'wmP6LzWzdHwMZuQMFGFBE5GVfyoFrzmFM73CGwrRtAe';
  const own = slotOf(NETWORK) as bigint;
  let chain: OwnChain;
  let client: PublicClient;
  let reader: PassReader;
  const read = (wallet: string) => reader.read({ wallet, gatekeeperNetwork: NETWORK }, never);
  beforeAll(async () => {
    chain = await startOwnChain([NETWORK]);
    client = createPublicClient({ transport: http(chain.url) });
    reader = viemReader(client, { contract, slot: own });
  });
  afterAll(() => chain.stop());

  it('a pass is valid in its last second, and has expired in the next', async () => {
    const wallet = freshWallet('sepolia') as `0x${string}`;
    const { timestamp } = await chain.node.getBlock();
    const expiry = timestamp + 1_000n;
    await chain.mint(wallet, own, expiry);
    for (const [at, valid] of [
      [expiry - 1n, true],
      [expiry, true],
      [expiry + 1n, false],
    ] as const) {
      await chain.makeBlockAt(at);
      expect(await read(wallet)).toMatchObject({ valid, state: 'ACTIVE', expiry: Number(expiry), time: Number(at) });
    }
  });

  it('of two gateway tokens, the active one counts, and of two active ones the one that lives longer', async () => {
    const wallet = freshWallet('sepolia') as `0x${string}`;
    const { timestamp } = await chain.node.getBlock();
    await chain.mint(wallet, own, timestamp + 5_000n);
    await chain.mint(wallet, own, timestamp + 9_000n);
    expect(await read(wallet)).toMatchObject({ valid: true, expiry: Number(timestamp) + 9_000 });
    await chain.change('freeze', wallet, own, 1);
    expect(await read(wallet)).toMatchObject({ valid: true, state: 'ACTIVE', expiry: Number(timestamp) + 5_000 });
    await chain.change('revoke', wallet, own, 0);
    expect(await read(wallet)).toMatchObject({ valid: false, state: 'FROZEN' });
  });

  it('an address without a contract, a wrong contract, and a wrong answer are faults', async () => {
    const wallet = freshWallet('sepolia');
    for (const wrong of [
      '0x000000000000000000000000000000000000dEaD',
      '0x4e59b44847b379578588920cA78FbF26c0B4956C',
    ] as const)
      await expect(
        viemReader(client, { contract: wrong, slot: own }).read({ wallet, gatekeeperNetwork: NETWORK }, never),
      ).rejects.toThrow();
    const liar = createPublicClient({ transport: custom({ request: async () => '0x' }, { retryCount: 0 }) });
    await expect(
      viemReader(liar, { contract, slot: own }).read({ wallet, gatekeeperNetwork: NETWORK }, never),
    ).rejects.toThrow();
    await expect(read('no wallet')).rejects.toThrow();
  });

  it('a read of a wallet without a gateway token takes three requests', async () => {
    const proxy = await startRecordingProxy(chain.url);
    const through = viemReader(createPublicClient({ transport: http(proxy.url) }), { contract, slot: own });
    await through.read({ wallet: freshWallet('sepolia'), gatekeeperNetwork: NETWORK }, never);
    expect(
      proxy.requests
        .flat()
        .map(({ method }) => method)
        .toSorted(),
    ).toEqual(['eth_call', 'eth_call', 'eth_getBlockByNumber']);
    proxy.stop();
  });
});
