import { describe, expect, it } from 'vitest';
import type { JsonRpc, RpcAnswer } from '../../../src/chain/json-rpc.ts';
import { solanaRpc } from '../../../src/chain/solana/calls.ts';
import { feeOf, readMoment } from '../../../src/chain/solana/terms.ts';
import { acting, aStep, devnet, rpc } from './node.ts';

/** Answers as the world's node does, but for what the test says of one method. */
async function nodeWith(method: string, answer: RpcAnswer): Promise<JsonRpc> {
  const { jsonRpc } = await import('../../../src/chain/json-rpc.ts');
  const real = jsonRpc(devnet().endpoints);
  return async (calls) => {
    const answers = await real(calls);
    return answers.map((each, index) => (calls[index]?.method === method ? answer : each));
  };
}

async function moment(send: JsonRpc, maxUnitPrice: number) {
  const { program, gatekeeper } = await acting(aStep());
  return readMoment({ rpc: solanaRpc(send), network: { ...devnet().network, maxUnitPrice }, program, gatekeeper });
}

const paid = (...prices: number[]): RpcAnswer => ({
  result: prices.map((prioritizationFee, slot) => ({ slot, prioritizationFee })),
});

describe('the price of a compute unit', () => {
  it.each`
    recent                  | cap          | price        | why
    ${[]}                   | ${1_000_000} | ${'0'}       | ${'nobody paid anything'}
    ${[0, 0, 0, 9000]}      | ${1_000_000} | ${'0'}       | ${'three blocks in four were content with nothing'}
    ${[0, 500, 700, 9000]}  | ${1_000_000} | ${'700'}     | ${'three blocks in four were content with it'}
    ${[700, 9000, 0, 500]}  | ${1_000_000} | ${'700'}     | ${'their order does not matter'}
    ${[100_000, 9, 80_000]} | ${1_000_000} | ${'100000'}  | ${'numbers are not sorted as texts'}
    ${[5_000_000]}          | ${1_000_000} | ${'1000000'} | ${'the cap holds'}
    ${[5_000_000]}          | ${0}         | ${'0'}       | ${'the operator pays no price'}
  `('is $price after $recent with a cap of $cap: $why', async ({ recent, cap, price }) => {
    const { terms } = await moment(await nodeWith('getRecentPrioritizationFees', paid(...recent)), cap);
    expect(terms.fees).toEqual({ unitPrice: price });
  });

  it('is rounded up to lamports in what a transaction costs', () => {
    expect(feeOf({ fees: { unitPrice: '0' } }, 200_000)).toBe(5_000n);
    expect(feeOf({ fees: { unitPrice: '1' } }, 200_000)).toBe(5_001n);
    expect(feeOf({ fees: { unitPrice: '1000000' } }, 200_000)).toBe(205_000n);
  });
});

describe('the moment', () => {
  it('is read in one request of the node, with the blockhash and its end', async () => {
    const sent: number[] = [];
    const real = await nodeWith('nothing', { result: null });
    const { terms, funds, tokenRent, time } = await moment(async (calls) => {
      sent.push(calls.length);
      return real(calls);
    }, 0);
    expect(sent).toEqual([6]);
    const height = Number(await rpc().getBlockHeight({ commitment: 'confirmed' }).send());
    expect(Math.abs((terms.lifetime?.lastValidBlockHeight ?? 0) - 150 - height)).toBeLessThan(10);
    expect(tokenRent).toBe(1_649_520n);
    expect(funds).toBeGreaterThan(0n);
    expect(Math.abs(Number(time) - Date.now() / 1000)).toBeLessThan(30);
  });

  it('is not known where a read fails', async () => {
    const broken = await nodeWith('getLatestBlockhash', { error: { code: -32603, message: 'Internal error' } });
    await expect(moment(broken, 0)).rejects.toThrow('getLatestBlockhash failed');
  });
});
