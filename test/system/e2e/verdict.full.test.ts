import { findGatewayToken } from '@identity.com/solana-gateway-ts';
import { Connection, PublicKey } from '@solana/web3.js';
import { type Address, encodeFunctionData, parseAbi, toHex } from 'viem';
import { afterEach, expect, inject, it, vi } from 'vitest';
import { slotOf } from '../../../src/network/slot.ts';
import { type VerdictRecord, verdictOfRecord } from '../../../src/pass/verdict.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { callNode } from '../../call-node.ts';

/** The verdict agrees with those who decide: the contract, and on Solana the protocol's client. */

const facts = inject('gatepass');
const acme = new LocalnetPartner(facts, 'acme');
const VERIFY = parseAbi(['function verifyToken(address,uint256) view returns (bool)']);
const YES = toHex(1, { size: 32 });

afterEach(() => {
  vi.useRealTimers();
});

/** Whether the contract accepts the wallet in a block with that time. */
async function contractAccepts(wallet: string, time: number): Promise<boolean> {
  const args = [wallet as Address, slotOf(acme.gatekeeperNetwork) as bigint] as const;
  const call = { to: facts.gatewayToken.sepolia, data: encodeFunctionData({ abi: VERIFY, args }) };
  const answer = await callNode(facts.rpc.sepolia ?? '', 'eth_call', [call, 'latest', {}, { time: toHex(time) }]);
  return answer === YES;
}

/** Whether the protocol's client accepts the wallet while its clock shows that time. */
async function clientAccepts(wallet: string, time: number): Promise<boolean> {
  const connection = new Connection(facts.rpc.devnet ?? '', 'confirmed');
  const keys = [new PublicKey(wallet), new PublicKey(acme.gatekeeperNetwork)] as const;
  const token = await findGatewayToken(connection, ...keys, true);
  vi.useFakeTimers({ toFake: ['Date'], now: time * 1_000 });
  const isValid = token?.isValid() ?? false;
  vi.useRealTimers();
  return isValid;
}

it.each([
  ['sepolia', contractAccepts],
  ['devnet', clientAccepts],
] as const)('agrees on %s in every state, at the last valid second and at the next one', async (network, accepts) => {
  const wallet = freshWallet(network);
  const expiry = Math.floor(Date.now() / 1_000) + 3_600;
  const times = [expiry - 3_000, expiry, expiry + 1, expiry + 3_600];
  const compare = async () => {
    const record = (await acme.untilSettled(network, wallet)) as VerdictRecord;
    const ours = times.map((time) => verdictOfRecord(record, time).isAccepted);
    const theirs = [];
    for (const time of times) theirs.push(await accepts(wallet, time));
    expect(ours, `${record.state} ${record.onChainState}`).toEqual(theirs);
    return ours;
  };
  await acme.issue(network, wallet, { expiryTimestamp: expiry });
  expect(await compare()).toEqual([true, true, false, false]);
  await acme.update(network, wallet, { state: 'FROZEN' });
  expect(await compare()).toEqual([false, false, false, false]);
  await acme.update(network, wallet, { state: 'ACTIVE' });
  expect(await compare()).toEqual([true, true, false, false]);
  await acme.revoke(network, wallet);
  expect(await compare()).toEqual([false, false, false, false]);
  // A pass without an expiry is valid forever.
  const another = freshWallet(network);
  await acme.issue(network, another);
  const record = (await acme.untilSettled(network, another)) as VerdictRecord;
  expect(verdictOfRecord(record, expiry * 2)).toEqual({ isAccepted: true, until: undefined });
  expect(await accepts(another, expiry * 2)).toBe(true);
});
