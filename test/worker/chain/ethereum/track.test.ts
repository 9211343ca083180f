import { describe, expect, it } from 'vitest';
import { identityOf } from '../../../../src/chain/ethereum/rpc.ts';
import { track } from '../../../../src/chain/ethereum/track.ts';
import { type JsonRpc, ReadAnswers } from '../../../../src/chain/json-rpc.ts';
import type { BlockReference, InFlightTransaction } from '../../../../src/chain/port.ts';
import type { RpcAnswer } from '../../../../src/chain/rpc-answer.ts';
import { aStep, contextOver, sepolia } from './node.ts';

/**
 * Nodes that disagree or fail in part, which a single real node cannot do on demand. adapter.test.ts tests a real node, and that
 * these answers have its form.
 */

interface Shown {
  head: number;
  /** Block hashes by number. The node does not know other numbers. */
  blocks?: Record<number, string>;
  /** The place of each transaction; an error means a failed call. */
  receipts?: Record<string, BlockReference | 'error'>;
  /** Wrong fields of its receipts. */
  odd?: object;
  /** The account's nonce now. */
  nonce?: number;
}

const FAILED: RpcAnswer = { error: { code: -32000, message: 'header not found' } };

function nodeThatShows({ head, blocks = {}, receipts = {}, odd, nonce = 0 }: Shown): JsonRpc {
  const answer = (method: string, [first]: readonly unknown[]): RpcAnswer => {
    if (method === 'eth_blockNumber') return { result: `0x${head.toString(16)}` };
    if (method === 'eth_getBlockByNumber') {
      const hash = blocks[Number(first)];
      return { result: hash === undefined ? null : { number: first, hash, timestamp: '0x1' } };
    }
    if (method === 'eth_getTransactionCount') return { result: `0x${nonce.toString(16)}` };
    if (method !== 'eth_getTransactionReceipt') throw new Error(`nobody expected ${method}`);
    const at = receipts[String(first)];
    if (at === 'error') return FAILED;
    if (at === undefined) return { result: null };
    const block = { blockNumber: `0x${at.block.toString(16)}`, blockHash: at.hash };
    return { result: { transactionHash: first, status: '0x1', logs: [], ...block, ...odd } };
  };
  const read = new ReadAnswers(identityOf(sepolia().network), { endpoint: 1, endpoints: 1 });
  return async (calls) => read.read(calls.map((call) => [call, answer(call.method, call.params)]));
}

const flight = (identifier: string, includedIn?: BlockReference): InFlightTransaction => ({
  step: aStep(),
  signedAtMs: Date.now(),
  identifiers: [identifier],
  includedIn,
});

async function sightings(shown: Shown, ...flights: InFlightTransaction[]) {
  const seen = await track({ ...contextOver(nodeThatShows(shown)), slot: () => 1n }, flights);
  return seen.map(([, sighting]) => sighting.type);
}

const at = (block: number, hash: string) => ({ block, hash });

describe('a transaction on Ethereum that may be final', () => {
  it('a transaction is final when its receipt names the same block at the finality depth', async () => {
    const shown = { head: 102, blocks: { 100: '0xa' }, receipts: { '0x1': at(100, '0xa') } };
    expect(await sightings(shown, flight('0x1', at(100, '0xa')))).toEqual(['final']);
  });

  it('a transaction without a receipt is not final, however deep its block was and even when a later one is final', async () => {
    const shown = { head: 110, blocks: { 100: '0xb', 101: '0xc' }, receipts: { '0x2': at(101, '0xc') } };
    const both = [flight('0x1', at(100, '0xa')), flight('0x2', at(101, '0xc'))];
    expect(await sightings(shown, ...both)).toEqual(['unconfirmed', 'final']);
  });

  it.each([
    ['knows neither the block nor the receipt', { head: 110 }],
    ['fails to answer for the receipt', { head: 110, receipts: { '0x1': 'error' as const } }],
    ['has the block and has lost the receipt', { head: 110, blocks: { 100: '0xa' } }],
    ['has the receipt and another block', { head: 110, blocks: { 100: '0xb' }, receipts: { '0x1': at(100, '0xa') } }],
    ['has the receipt and not the block', { head: 110, receipts: { '0x1': at(100, '0xa') } }],
  ])('a transaction is neither final nor unconfirmed on the word of a node that %s', async (_, shown) => {
    expect(await sightings(shown, flight('0x1', at(100, '0xa')))).toEqual(['unknown']);
  });

  it('a transaction is not final on the word of a node whose receipt names another block than it has', async () => {
    const shown = { head: 110, blocks: { 100: '0xb' }, receipts: { '0x1': at(100, '0xa') } };
    expect(await sightings(shown, flight('0x1', at(100, '0xb')))).toEqual(['unknown']);
  });
});

it.each`
  nonce | is               | why
  ${7}  | ${'unconfirmed'} | ${'an endpoint has lied about its receipt'}
  ${8}  | ${'unknown'}     | ${'the node has lost the receipt'}
`(
  'a transaction without a receipt in a final block is $is when $nonce nonces are used: $why',
  async ({ nonce, is }) => {
    const shown = { head: 110, blocks: { 100: '0xa' }, nonce };
    expect(await sightings(shown, { ...flight('0x1', at(100, '0xa')), nonce: 7 })).toEqual([is]);
  },
);

describe('a confirmed transaction before it is final', () => {
  it('transactions stay included while the highest of their blocks is in the chain', async () => {
    const shown = { head: 101, blocks: { 101: '0xc' } };
    const both = [flight('0x1', at(100, '0xa')), flight('0x2', at(101, '0xc'))];
    expect(await sightings(shown, ...both)).toEqual(['still-included', 'still-included']);
  });

  it('transactions are checked one by one when the highest of their blocks left the chain', async () => {
    const shown = { head: 101, blocks: { 100: '0xa', 101: '0xd' }, receipts: { '0x1': at(100, '0xa') } };
    const both = [flight('0x1', at(100, '0xa')), flight('0x2', at(101, '0xc'))];
    expect(await sightings(shown, ...both)).toEqual(['still-included', 'unconfirmed']);
  });
});

it('tracks the other transactions when one receipt cannot be read', async () => {
  const shown = { head: 110, receipts: { '0x1': 'error' as const, '0x2': at(100, '0xa') } };
  // The second has no event of the contract: its block is final, and it has no effect.
  expect(await sightings(shown, flight('0x1'), flight('0x2'))).toEqual(['unconfirmed', 'without-effect']);
});

describe('a receipt of a transaction that no block holds', () => {
  it.each`
    odd                                                     | what
    ${{ blockNumber: null, blockHash: null, status: null }} | ${'of a client that gives it with nulls'}
    ${{ blockNumber: null, blockHash: null }}               | ${'that has a status already'}
    ${{ blockNumber: 'pending' }}                           | ${'whose block has no number'}
    ${{ blockHash: undefined }}                             | ${'whose block has no hash'}
    ${{ status: undefined }}                                | ${'without a status'}
    ${{ status: '0x2' }}                                    | ${'with a status of its own'}
    ${{ logs: null }}                                       | ${'without logs'}
    ${{ logs: [null] }}                                     | ${'whose log is none'}
    ${{ logs: [{ address: '0x1', data: '0x' }] }}           | ${'whose log has no topics'}
  `('a receipt $what confirms nothing', async ({ odd }) => {
    const shown = { head: 110, receipts: { '0x1': at(100, '0xa') }, odd };
    expect(await sightings(shown, flight('0x1'))).toEqual(['unconfirmed']);
  });
});

describe('a transaction that was in no block yet', () => {
  const waiting: InFlightTransaction = { ...flight('0x1'), identifiers: ['0x1', '0x2'], nonce: 7 };

  it.each`
    shown                                                           | is                  | why
    ${{ head: 170, nonce: 7 }}                                      | ${'unconfirmed'}    | ${'nothing used its nonce'}
    ${{ head: 170, nonce: 8 }}                                      | ${'unknown'}        | ${'the node lacks the receipt, or another transaction used the nonce'}
    ${{ head: 170, nonce: 8, receipts: { '0x2': 'error' } }}        | ${'unknown'}        | ${'the node does not answer for the receipt'}
    ${{ head: 169, nonce: 8, receipts: { '0x2': at(170, '0xe') } }} | ${'unknown'}        | ${'the node is behind its own receipt'}
    ${{ head: 170, nonce: 8, receipts: { '0x2': at(170, '0xe') } }} | ${'unconfirmed'}    | ${'it failed in a block that is not final'}
    ${{ head: 180, nonce: 8, receipts: { '0x2': at(170, '0xe') } }} | ${'without-effect'} | ${'it failed in a final block'}
  `('is $is when $why', async ({ shown, is }) => {
    expect(await sightings(shown, waiting)).toEqual([is]);
  });
});
