import { describe, expect, it } from 'vitest';
import { track } from '../../../src/chain/ethereum/track.ts';
import type { JsonRpc, RpcAnswer } from '../../../src/chain/json-rpc.ts';
import type { BlockReference, Flight } from '../../../src/chain/port.ts';
import { aStep, sepolia } from './node.ts';

/**
 * What nodes show that disagree, or fail in part: no single real node does so on demand. What one real node shows, and
 * that these answers have its form, is tested in adapter.test.ts.
 */

interface Shown {
  head: number;
  /** Block hashes by number; a number that is not here is not known to the node. */
  blocks?: Record<number, string>;
  /** Where each transaction is; an error stands for a call that failed. */
  receipts?: Record<string, BlockReference | 'error'>;
}

function nodeThatShows({ head, blocks = {}, receipts = {} }: Shown): JsonRpc {
  const answer = (method: string, first: unknown): RpcAnswer => {
    if (method === 'eth_blockNumber') return { result: `0x${head.toString(16)}` };
    if (method === 'eth_getBlockByNumber') {
      const hash = blocks[Number(first)];
      return { result: hash === undefined ? null : { number: first, hash } };
    }
    if (method !== 'eth_getTransactionReceipt') throw new Error(`nobody expected ${method}`);
    const at = receipts[String(first)];
    if (at === 'error') return { error: { code: -32000, message: 'header not found' } };
    if (at === undefined) return { result: null };
    const block = { blockNumber: `0x${at.block.toString(16)}`, blockHash: at.hash };
    return { result: { transactionHash: first, status: '0x1', logs: [], ...block } };
  };
  return async (calls) => calls.map(({ method, params }) => answer(method, params[0]));
}

const flight = (identifier: string, place?: BlockReference): Flight => ({
  step: aStep(),
  identifiers: [identifier],
  place,
});

async function sightings(shown: Shown, ...flights: Flight[]) {
  const { network } = sepolia();
  const chain = { rpc: nodeThatShows(shown), network, account: '0x', slot: () => 1n };
  return (await track(chain, flights)).map(({ is }) => is);
}

const at = (block: number, hash: string) => ({ block, hash });

describe('final', () => {
  it('is what a receipt proves to be in its block still', async () => {
    const shown = { head: 102, blocks: { 100: '0xa' }, receipts: { '0x1': at(100, '0xa') } };
    expect(await sightings(shown, flight('0x1', at(100, '0xa')))).toEqual(['final']);
  });

  it('is nothing without its receipt, however deep: not even while a higher block of ours stands', async () => {
    const shown = { head: 110, blocks: { 100: '0xb', 101: '0xc' }, receipts: { '0x2': at(101, '0xc') } };
    const both = [flight('0x1', at(100, '0xa')), flight('0x2', at(101, '0xc'))];
    expect(await sightings(shown, ...both)).toEqual(['unconfirmed', 'final']);
  });

  it.each([
    ['knows neither the block nor the receipt', { head: 110 }],
    ['fails to answer for the receipt', { head: 110, receipts: { '0x1': 'error' as const } }],
    ['has the block and has lost the receipt', { head: 110, blocks: { 100: '0xa' } }],
  ])('is nothing on the word of a node that %s; nor has it vanished', async (_, shown) => {
    expect(await sightings(shown, flight('0x1', at(100, '0xa')))).toEqual(['standing']);
  });
});

describe('before it is final', () => {
  it('stands while the highest block of ours is there', async () => {
    const shown = { head: 101, blocks: { 101: '0xc' } };
    const both = [flight('0x1', at(100, '0xa')), flight('0x2', at(101, '0xc'))];
    expect(await sightings(shown, ...both)).toEqual(['standing', 'standing']);
  });

  it('is looked at again, each by itself, when that block is gone', async () => {
    const shown = { head: 101, blocks: { 100: '0xa', 101: '0xd' }, receipts: { '0x1': at(100, '0xa') } };
    const both = [flight('0x1', at(100, '0xa')), flight('0x2', at(101, '0xc'))];
    expect(await sightings(shown, ...both)).toEqual(['standing', 'unconfirmed']);
  });
});

it('a receipt that cannot be had keeps no other from being seen', async () => {
  const shown = { head: 110, receipts: { '0x1': 'error' as const, '0x2': at(100, '0xa') } };
  // The second has no event of the contract: in a block for good, and without effect.
  expect(await sightings(shown, flight('0x1'), flight('0x2'))).toEqual(['unconfirmed', 'without-effect']);
});
