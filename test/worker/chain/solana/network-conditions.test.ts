import type { Address } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import type { JsonRpc } from '../../../../src/chain/json-rpc.ts';
import { RpcFault } from '../../../../src/chain/port.ts';
import type { RpcAnswer } from '../../../../src/chain/rpc-answer.ts';
import { feeOf, raisePrice, readConditions, readLastHeight } from '../../../../src/chain/solana/network-conditions.ts';
import { prepare } from '../../../../src/chain/solana/prepare.ts';
import { solanaRpc } from '../../../../src/chain/solana/rpc.ts';
import type { Step } from '../../../../src/pass/step.ts';
import { flown } from './issuing.ts';
import { advance, aStep, chainOf, devnet, freshWallet, makeSlotsByHand, rpc } from './node.ts';

// The test makes the blocks: others would come between two readings of the height.
makeSlotsByHand();

/** Answers like the localnet's node, except one method. */
function nodeWith(method: string, answer: RpcAnswer, real = chainOf(devnet()).send): JsonRpc {
  return async (calls) => {
    const answers = await real(calls);
    return answers.map((each, index) => (calls[index]?.method === method ? answer : each));
  };
}

const moment = (
  send: JsonRpc,
  bounds: { minUnitPrice?: number; maxUnitPrice?: number } = {},
  written: Address[] = [],
) =>
  readConditions({ ...chainOf(devnet()), rpc: solanaRpc(send), network: { ...devnet().network, ...bounds } }, written);

/** How a node answers a call that it does not offer. */
const REFUSALS = [
  { code: -32601, message: 'Method not found' },
  { code: -32602, message: 'Unsupported method. See the list of available methods' },
  { code: -32603, message: 'Internal error' },
  { code: -1, message: 'the field "result" cannot be read' },
] as const;

const paid = (...prices: number[]): RpcAnswer => ({
  result: prices.map((prioritizationFee, slot) => ({ slot, prioritizationFee })),
});

describe('the price of a compute unit', () => {
  it.each`
    recent                  | bounds           | price        | why
    ${[]}                   | ${[0, 1e6]}      | ${'0'}       | ${'nobody paid anything'}
    ${[0, 0, 0, 9000]}      | ${[0, 1e6]}      | ${'0'}       | ${'three blocks in four took nothing'}
    ${[0, 500, 700, 9000]}  | ${[0, 1e6]}      | ${'700'}     | ${'three blocks in four took it'}
    ${[700, 9000, 0, 500]}  | ${[0, 1e6]}      | ${'700'}     | ${'their order does not matter'}
    ${[100_000, 9, 80_000]} | ${[0, 1e6]}      | ${'100000'}  | ${'numbers are not sorted as texts'}
    ${[0, 0, 0]}            | ${[10_000, 1e6]} | ${'10000'}   | ${'a busy block takes nothing too, and many wait outside'}
    ${[20_000]}             | ${[10_000, 1e6]} | ${'20000'}   | ${'it is between the bounds'}
    ${[5_000_000]}          | ${[0, 1e6]}      | ${'1000000'} | ${'the cap holds'}
    ${[5_000_000]}          | ${[0, 0]}        | ${'0'}       | ${'the operator pays no price'}
  `('a compute unit costs $price after $recent within $bounds: $why', async ({ recent, bounds, price }) => {
    const [minUnitPrice, maxUnitPrice] = bounds;
    const node = nodeWith('getRecentPrioritizationFees', paid(...recent));
    expect((await moment(node, { minUnitPrice, maxUnitPrice })).unitPrice).toBe(BigInt(price));
  });

  it('a node is asked for the price of the accounts that the transactions write, at most 128', async () => {
    const asked: unknown[] = [];
    const real = chainOf(devnet()).send;
    const written = Array.from({ length: 200 }, freshWallet);
    await moment(
      (calls) => {
        asked.push(...calls.flatMap(({ method, params }) => (method === 'getRecentPrioritizationFees' ? params : [])));
        return real(calls);
      },
      {},
      written,
    );
    expect(asked).toEqual([[chainOf(devnet()).gatekeeper, ...written.slice(0, 127)]]);
  });

  it.each(REFUSALS)('a node that answers the call for prices with $code is paid the lowest price', async (error) => {
    const node = nodeWith('getRecentPrioritizationFees', { error });
    expect((await moment(node, { minUnitPrice: 7_000, maxUnitPrice: 1e6 })).unitPrice).toBe(7_000n);
  });

  it.each`
    price        | givenUp  | raised       | why
    ${10_000}    | ${0}     | ${10_000}    | ${'its first transaction may still land'}
    ${10_000}    | ${1}     | ${100_000}   | ${'a transaction expired'}
    ${10_000}    | ${2}     | ${1_000_000} | ${'two expired'}
    ${10_000}    | ${1_000} | ${1_000_000} | ${'the cap holds'}
    ${300_000}   | ${1}     | ${1_000_000} | ${'the cap holds'}
    ${0}         | ${1}     | ${10_000}    | ${'ten times nothing is nothing'}
    ${1_000_000} | ${0}     | ${1_000_000} | ${'the cap is the price'}
  `('a compute unit costs $raised after $price and $givenUp expired ones: $why', ({ price, givenUp, raised }) => {
    expect(raisePrice(BigInt(price), givenUp, { maxUnitPrice: 1e6 })).toBe(BigInt(raised));
  });

  it('the fee of a transaction is rounded up to whole lamports', () => {
    expect(feeOf(0n, 200_000)).toBe(5_000n);
    expect(feeOf(1n, 200_000)).toBe(5_001n);
    expect(feeOf(1_000_000n, 200_000)).toBe(205_000n);
  });
});

describe('the network conditions', () => {
  it('reads the network conditions in one request, with the blockhash and its last valid block height', async () => {
    await advance(2);
    const sent: number[] = [];
    const real = chainOf(devnet()).send;
    const { lifetime, funds, tokenRent, newest } = await moment((calls) => {
      sent.push(calls.length);
      return real(calls);
    });
    expect(sent).toEqual([6]);
    const { blockHeight: height, absoluteSlot } = await rpc().getEpochInfo({ commitment: 'confirmed' }).send();
    expect(Math.abs(Number(lifetime.lastValidBlockHeight - 150n - height))).toBeLessThan(10);
    expect(tokenRent).toBe(1_649_520n);
    expect(funds).toBeGreaterThan(0n);
    expect(Math.abs(newest.time - Date.now() / 1000)).toBeLessThan(30);
    expect(Math.abs(newest.height - Number(absoluteSlot))).toBeLessThan(10);
  });

  it.each`
    end           | is             | why
    ${0}          | ${'not known'} | ${'its transactions would count as expired at once'}
    ${999}        | ${'not known'} | ${'its transactions would count as expired at once'}
    ${1_150}      | ${'known'}     | ${'a blockhash lives for 150 blocks'}
    ${1_300}      | ${'known'}     | ${'with a margin'}
    ${1_301}      | ${'not known'} | ${'transactions would live too long'}
    ${2 ** 53}    | ${'not known'} | ${'transactions would never be known to have expired'}
    ${'whenever'} | ${'not known'} | ${'it is no height'}
  `(
    'the blockhash is $is at block height 1,000 when its last valid block height is $end: $why',
    async ({ end, is }) => {
      const value = { blockhash: freshWallet(), lastValidBlockHeight: end };
      // On mainnet, the slot is millions above the block height.
      const latest = nodeWith('getLatestBlockhash', { result: { context: { slot: 20_000_000 }, value } });
      const epoch = { result: { absoluteSlot: 20_000_000, blockHeight: 1_000 } };
      const told = moment(nodeWith('getEpochInfo', epoch, latest));
      if (is === 'known') expect((await told).lifetime).toEqual({ ...value, lastValidBlockHeight: BigInt(end) });
      else await expect(told).rejects.toThrow(RpcFault);
    },
  );

  it.each`
    rent          | counts       | why
    ${1}          | ${'1649520'} | ${'an endpoint cannot hide what the program takes'}
    ${1_649_520}  | ${'1649520'} | ${'that is the rent'}
    ${2_000_000}  | ${'2000000'} | ${'the rent may rise'}
    ${0}          | ${'1649520'} | ${'it is no rent'}
    ${-1_649_520} | ${'1649520'} | ${'it is no rent'}
    ${1e12}       | ${'1649520'} | ${'it is no rent'}
  `('a rent of $rent lamports counts as $counts: $why', async ({ rent, counts }) => {
    const { tokenRent, funds } = await moment(nodeWith('getMinimumBalanceForRentExemption', { result: rent }));
    expect(tokenRent).toBe(BigInt(counts));
    expect(funds).toBeGreaterThan(0n);
  });

  it.each(REFUSALS)('a node that answers the call for rent with $code has the highest rent', async (error) => {
    expect(await moment(nodeWith('getMinimumBalanceForRentExemption', { error }))).toMatchObject({
      tokenRent: 1_649_520n,
    });
  });

  it('the height of the blockhash counts if the node shows no other', async () => {
    const value = { blockhash: freshWallet(), lastValidBlockHeight: 5_000 };
    const latest = nodeWith('getLatestBlockhash', { result: { context: { slot: 20_000_000 }, value } });
    const told = await moment(nodeWith('getEpochInfo', { error: REFUSALS[0] }, latest));
    expect(told.lifetime.lastValidBlockHeight).toBe(5_000n);
  });

  it.each([-1_000_000_000, 0, 1e9])('%d units of a simulation count as the limit', async (unitsConsumed) => {
    const simulated = { context: { slot: 1e9 }, value: { err: null, logs: [], unitsConsumed } };
    const send = nodeWith('simulateTransaction', { result: simulated });
    const chain = { ...chainOf(devnet()), send, rpc: solanaRpc(send) };
    const { results } = await prepare(chain, [{ step: aStep() }], 0);
    const { maxUnits } = devnet().network;
    const [[, result] = []] = results;
    const { unitPrice } = await readConditions(chain);
    const most = feeOf(unitPrice, maxUnits) + 1_649_520n;
    expect(result).toMatchObject({ type: 'ready' });
    const { maxCost } = result as { maxCost: number };
    expect(BigInt(maxCost)).toBeGreaterThanOrEqual(1_649_520n + 5_000n);
    expect(BigInt(maxCost)).toBeLessThanOrEqual(most);
  });

  it('fails to read the network conditions when the node returns no blockhash', async () => {
    const failing = nodeWith('getLatestBlockhash', { error: { code: -32603, message: 'Internal error' } });
    await expect(moment(failing)).rejects.toThrow('getLatestBlockhash failed');
  });
});

it('reads for how long a blockhash is valid: a node knows its newest ones, and neither unknown nor expired ones', async () => {
  const lastHeightOf = (blockhash: string) => readLastHeight(chainOf(devnet()), blockhash);
  const { value } = await rpc().getLatestBlockhash({ commitment: 'processed' }).send();
  expect(await lastHeightOf(value.blockhash)).toBe(Number(value.lastValidBlockHeight));
  await advance(150);
  // The node knows it until its last block, and a later height is no harm: the step would only count as expired later.
  expect(await lastHeightOf(value.blockhash)).toBe(Number(value.lastValidBlockHeight) + 150);
  await advance(1);
  expect(await lastHeightOf(value.blockhash)).toBeUndefined();
  expect(await lastHeightOf(freshWallet())).toBeUndefined();
});

it('signs nothing with a blockhash older than the slot that the pass knows', async () => {
  const wallet = aStep();
  await flown(wallet);
  const head = Number(await rpc().getSlot({ commitment: 'confirmed' }).send());
  const step: Step = { ...wallet, kind: 'freeze', known: { state: 'ACTIVE', asOf: head } };
  const { value } = await rpc().getLatestBlockhash().send();
  const lifetime = { blockhash: value.blockhash, lastValidBlockHeight: Number(value.lastValidBlockHeight) };
  const findingAt = async (slot: number) => {
    const send = nodeWith('getLatestBlockhash', { result: { context: { slot }, value: lifetime } });
    const { results } = await prepare({ ...chainOf(devnet()), send, rpc: solanaRpc(send) }, [{ step }], 0);
    return results[0]?.[1];
  };
  expect(await findingAt(head - 1)).toMatchObject({ type: 'not-now', blocks: 'step' });
  expect(await findingAt(head)).toMatchObject({ type: 'ready' });
});
