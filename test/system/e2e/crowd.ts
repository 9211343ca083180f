import { findGatewayTokens } from '@identity.com/solana-gateway-ts';
import { Connection, PublicKey } from '@solana/web3.js';
import { createPublicClient, type Hex, http, parseAbi } from 'viem';
import { expect } from 'vitest';
import { slotOf } from '../../../src/network/slot.ts';
import type { Gatepass } from '../../../tools/localnet/gatepass.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import type { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import type { PassRecord } from '../../../tools/localnet/partner/partner-client.ts';
import { callNode } from '../../call-node.ts';

/** Many simultaneous issuances. None may be lost, and none may create two tokens. */

const TOKENS_ABI = parseAbi(['function getTokenIdsByOwnerAndNetwork(address, uint256, bool) view returns (uint256[])']);
const WITHIN_MS = 240_000;
/** The service would send a second transaction sooner. */
const QUIET_MS = 2_500;

const transactionOf = ({ events }: PassRecord) => events[0]?.transaction;
const waitQuietly = () => new Promise((resolve) => setTimeout(resolve, QUIET_MS));

/** On sepolia, with consecutive nonces. No other issuance may run there. */
export async function expectCrowdOnEthereum(
  partner: LocalnetPartner,
  { rpc, gatekeeper, gatewayToken }: Gatepass['facts'],
  count: number,
): Promise<void> {
  const client = createPublicClient({ transport: http(rpc.sepolia) });
  const mined = () => client.getTransactionCount({ address: gatekeeper.ethereum as Hex, blockTag: 'latest' });
  const crowd = Array.from({ length: count }, () => freshWallet('sepolia'));
  const before = await mined();
  const accepted = await Promise.all(crowd.map((wallet) => partner.issue('sepolia', wallet)));
  expect(accepted.every(({ state }) => state === 'REQUESTED')).toBe(true);
  const passes = await partner.untilAllSettled('sepolia', crowd, { withinMs: WITHIN_MS });

  expect(passes.filter(({ state }) => state === 'ACTIVE')).toHaveLength(count);
  const hashes = passes.map((pass) => (transactionOf(pass)?.identifier ?? '0x') as Hex);
  const nonces = await Promise.all(hashes.map(async (hash) => (await client.getTransaction({ hash })).nonce));
  expect(nonces.toSorted((a, b) => a - b)).toEqual(crowd.map((_, index) => before + index));
  const slot = slotOf(partner.gatekeeperNetwork) as bigint;
  const tokensOf = (wallet: string) =>
    client.readContract({
      abi: TOKENS_ABI,
      address: gatewayToken.sepolia as Hex,
      functionName: 'getTokenIdsByOwnerAndNetwork',
      args: [wallet as Hex, slot, false],
    });
  const tokens = await Promise.all(crowd.map(tokensOf));
  expect(tokens.map(({ length }) => length)).toEqual(crowd.map(() => 1));
  expect(new Set(tokens.flat()).size).toBe(count);

  const again = await Promise.all(crowd.map((wallet) => partner.issue('sepolia', wallet)));
  expect(again.map(({ id }) => id)).toEqual(accepted.map(({ id }) => id));
  await waitQuietly();
  expect(await mined()).toBe(before + count);
}

/** Resolves to all tokens of a gatekeeper network, including revoked ones. The protocol's own client reads them. */
export function tokensOnSolana(rpcUrl: string, gatekeeperNetwork: string) {
  const connection = new Connection(rpcUrl, 'confirmed');
  return findGatewayTokens(connection, undefined, new PublicKey(gatekeeperNetwork), true);
}

/** On devnet. No other issuance may run there. Resolves to the number of requests to the node. */
export async function expectCrowdOnSolana(partner: LocalnetPartner, rpcUrl: string, count: number): Promise<number> {
  const node = <T>(method: string): Promise<T> => callNode(rpcUrl, method, []);
  const tokens = () => tokensOnSolana(rpcUrl, partner.gatekeeperNetwork);
  const crowd = Array.from({ length: count }, () => freshWallet('devnet'));
  const before = (await tokens()).length;
  await node('localnet_resetRequests');
  const first = await Promise.all(crowd.map((wallet) => partner.issue('devnet', wallet)));
  const passes = await partner.untilAllSettled('devnet', crowd);
  const { http: requests } = await node<{ http: number }>('localnet_requests');

  expect(passes.filter((pass) => pass.state === 'ACTIVE')).toHaveLength(count);
  const after = await tokens();
  expect(after).toHaveLength(before + count);
  const owners = new Set(after.map(({ owner }) => owner.toBase58()));
  expect(crowd.filter((wallet) => !owners.has(wallet))).toEqual([]);
  expect(new Set(passes.map((pass) => transactionOf(pass)?.identifier)).size).toBe(count);

  await node('localnet_resetRequests');
  const again = await Promise.all(crowd.map((wallet) => partner.issue('devnet', wallet)));
  expect(again.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
  await waitQuietly();
  const { calls } = await node<{ calls: Record<string, number> }>('localnet_requests');
  expect(calls.sendTransaction ?? 0).toBe(0);
  expect(await tokens()).toHaveLength(before + count);
  return requests;
}
