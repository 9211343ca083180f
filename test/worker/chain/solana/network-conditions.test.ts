import type { Address } from '@solana/kit';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { JsonRpc } from '../../../../src/chain/json-rpc.ts';
import { passCostOf, passesFor } from '../../../../src/chain/pass-cost.ts';
import { RpcFault, type Signed } from '../../../../src/chain/port.ts';
import type { RpcAnswer } from '../../../../src/chain/rpc-answer.ts';
import { feeOf, raisePrice, readConditions, readLastHeight } from '../../../../src/chain/solana/network-conditions.ts';
import { prepare } from '../../../../src/chain/solana/prepare.ts';
import { solanaRpc } from '../../../../src/chain/solana/rpc.ts';
import type { Step } from '../../../../src/pass/step.ts';
import { type Alteration, alteredNodes, altering, HONEST } from '../altered-nodes.ts';
import { broadcastAll, prepareAll } from '../ask.ts';
import { flown, open } from './issuing.ts';
import {
  advance,
  anotherGatekeeper,
  aStep,
  callDevnet,
  chainOf,
  devnet,
  freshWallet,
  makeSlotsByHand,
  rpc,
  untilConfirmed,
} from './node.ts';

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
    expect(tokenRent).toEqual({ shown: 1_649_520, highest: 1_649_520 });
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
    rent          | shown        | counts       | why
    ${1}          | ${41_238}    | ${1_649_520} | ${'one endpoint cannot hide what the program takes'}
    ${164_952}    | ${164_952}   | ${1_649_520} | ${'no other endpoint shows it'}
    ${1_649_520}  | ${1_649_520} | ${1_649_520} | ${'that is the rent'}
    ${2_000_000}  | ${2_000_000} | ${1_649_520} | ${'no other endpoint shows it'}
    ${0}          | ${41_238}    | ${1_649_520} | ${'it is no rent'}
    ${-1_649_520} | ${41_238}    | ${1_649_520} | ${'it is no rent'}
    ${1e12}       | ${1_649_520} | ${1_649_520} | ${'it is no rent'}
    ${2 ** 63}    | ${1_649_520} | ${1_649_520} | ${'it is no rent'}
  `('a rent of $rent lamports counts as $counts, and is shown as $shown: $why', async ({ rent, shown, counts }) => {
    const { tokenRent, funds } = await moment(nodeWith('getMinimumBalanceForRentExemption', { result: rent }));
    expect(tokenRent).toEqual({ shown, highest: counts });
    expect(funds).toBeGreaterThan(0n);
  });

  it.each(REFUSALS)('a node that answers the call for rent with $code has the highest rent', async (error) => {
    expect(await moment(nodeWith('getMinimumBalanceForRentExemption', { error }))).toMatchObject({
      tokenRent: { shown: 1_649_520, highest: 1_649_520 },
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

describe('the cost of a token, by the rent of the chain', () => {
  const FORTY_SOL = 40_000_000_000;
  const READ_RENT = 'getMinimumBalanceForRentExemption';
  const [NODE = ''] = devnet().endpoints.map((endpoint) => endpoint());
  const SYSTEM_PROGRAM = '11111111111111111111111111111111';

  afterEach(async () => {
    vi.restoreAllMocks();
    await callDevnet('localnet_setRent', 6_960);
  });

  /** A gatekeeper with 40 SOL, and its port over the node behind these endpoints. */
  async function aPayer(...endpoints: readonly Alteration[]) {
    const { gatekeeper } = await anotherGatekeeper(aStep().key.gatekeeperNetwork);
    const payer = gatekeeper.address as Address;
    const fund = (lamports: number) => callDevnet('localnet_setAccount', payer, { lamports, owner: SYSTEM_PROGRAM });
    await fund(FORTY_SOL);
    const balance = async () => Number((await rpc().getBalance(payer, { commitment: 'confirmed' }).send()).value);
    return { port: open({ gatekeeper, endpoints: alteredNodes(NODE, ...endpoints).urls }), fund, balance };
  }

  /** Issues passes until one is not ready. Returns how many were. */
  async function issueAll(port: ReturnType<typeof open>, count: number): Promise<number> {
    const results = await prepareAll(
      port,
      Array.from({ length: count }, () => aStep()),
    );
    const signed = results.flatMap((result): Promise<Signed>[] =>
      result.type === 'ready' ? [result.sign(undefined)] : [],
    );
    await broadcastAll(port, await Promise.all(signed));
    await untilConfirmed();
    return signed.length;
  }

  const readyIn = async (port: ReturnType<typeof open>) => {
    const [result] = await prepareAll(port, [aStep()]);
    if (result?.type !== 'ready') throw new Error(`not ready: ${JSON.stringify(result)}`);
    return result;
  };

  it.each`
    perByte  | rent         | passes
    ${6_960} | ${1_649_520} | ${24_167}
    ${5_080} | ${1_203_960} | ${33_069}
    ${696}   | ${164_952}   | ${234_532}
  `('40 SOL pay for about $passes passes at $perByte lamports per byte, as the chain takes them', async (row) => {
    const { perByte, rent, passes } = row;
    await callDevnet('localnet_setRent', perByte);
    const { port, fund, balance } = await aPayer(HONEST, HONEST);
    const results = await prepareAll(port, [aStep()]);
    const counted = passesFor(BigInt(FORTY_SOL), passCostOf(results, 'solana')) ?? 0;
    const byCeiling = passesFor(BigInt(FORTY_SOL), passCostOf(results, 'solana', 'ceilings')) ?? 0;
    expect(await issueAll(port, 3)).toBe(3);
    const onChain = FORTY_SOL / ((FORTY_SOL - (await balance())) / 3);
    for (const each of [counted, byCeiling, passes]) expect(Math.abs(each / onChain - 1)).toBeLessThan(0.02);
    // The rent of the payer itself, and of three tokens with their fees at the limit of compute units.
    await fund(128 * perByte + 3 * (rent + 7_000));
    expect(await issueAll(port, 5)).toBe(3);
    expect(await balance()).toBeLessThan(128 * perByte + rent);
  });

  it('one endpoint alone lets the balance pay the rent that it shows, and the ceilings count the highest', async () => {
    await callDevnet('localnet_setRent', 696);
    const { port } = await aPayer(HONEST);
    const results = await prepareAll(port, [aStep()]);
    expect(passesFor(BigInt(FORTY_SOL), passCostOf(results, 'solana'))).toBeGreaterThan(230_000);
    expect(passesFor(BigInt(FORTY_SOL), passCostOf(results, 'solana', 'ceilings'))).toBeLessThan(24_200);
    const [ready] = results;
    const { maxCost } = ready?.type === 'ready' ? await ready.sign(undefined) : { maxCost: 0 };
    expect(maxCost).toBeGreaterThan(1_649_520);
  });

  let reads = 0;
  const falling = (truth: number) => Math.floor(truth / 2 ** ++reads);
  const fourfold = (truth: number) => 4 * truth;

  it.each`
    perByte  | said           | rent             | counts
    ${6_960} | ${'0'}         | ${() => 0}       | ${1_649_520}
    ${5_080} | ${'0'}         | ${() => 0}       | ${1_203_960}
    ${696}   | ${'0'}         | ${() => 0}       | ${164_952}
    ${696}   | ${'2^63'}      | ${() => 2 ** 63} | ${1_649_520}
    ${6_960} | ${'2^63'}      | ${() => 2 ** 63} | ${1_649_520}
    ${696}   | ${'four-fold'} | ${fourfold}      | ${659_808}
    ${6_960} | ${'four-fold'} | ${fourfold}      | ${1_649_520}
    ${6_960} | ${'falling'}   | ${falling}       | ${1_649_520}
    ${696}   | ${'falling'}   | ${falling}       | ${164_952}
  `(
    'at $perByte per byte, one of two endpoints that says $said makes $counts count',
    async ({ perByte, rent, counts }) => {
      await callDevnet('localnet_setRent', perByte);
      const lying = altering(READ_RENT, rent);
      for (const endpoints of [
        [lying, HONEST],
        [HONEST, lying],
      ]) {
        const { port } = await aPayer(...endpoints);
        for (let turn = 0; turn < 3; turn += 1) {
          const ready = await readyIn(port);
          const fee = ready.maxCost - counts;
          expect(fee).toBeGreaterThanOrEqual(5_000);
          expect(fee).toBeLessThanOrEqual(7_000);
          expect(await ready.sign(undefined)).toMatchObject({ maxCost: ready.maxCost });
        }
      }
    },
  );

  it.each([
    [[fourfold], 1_649_520],
    [[fourfold, fourfold], 6_598_080],
  ])('four times the highest rent counts only if two endpoints show it', async (rents, counts) => {
    const { port } = await aPayer(...rents.map((rent) => altering(READ_RENT, rent)));
    const fee = (await readyIn(port)).maxCost - counts;
    expect(fee).toBeGreaterThanOrEqual(5_000);
    expect(fee).toBeLessThanOrEqual(7_000);
  });

  it('the rent of one endpoint does not count while the other one does not answer', async () => {
    const away: Alteration = { refuse: () => new Response('', { status: 503 }) };
    for (const endpoints of [
      [altering(READ_RENT, fourfold), away],
      [away, altering(READ_RENT, fourfold)],
    ]) {
      const { port } = await aPayer(...endpoints);
      expect((await readyIn(port)).maxCost).toBeLessThan(1_649_520 + 7_000);
    }
  });

  it('the highest rent counts while the other endpoint shows none', async () => {
    await callDevnet('localnet_setRent', 696);
    const silent: Alteration = {
      alter: ({ method }, answer) => (method === READ_RENT ? { error: { code: -32_601, message: 'none' } } : answer),
    };
    const { port } = await aPayer(HONEST, silent);
    expect((await readyIn(port)).maxCost).toBeGreaterThan(1_649_520);
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
