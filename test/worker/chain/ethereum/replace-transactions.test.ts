import { privateKeyToAccount } from 'viem/accounts';
import { parseTransaction } from 'viem/utils';
import { describe, expect, inject, it, vi } from 'vitest';
import { mintData, tokenData } from '../../../../src/chain/ethereum/gateway.ts';
import {
  priceOf,
  type QuotedPrices,
  readAccount,
  replacementPrice,
} from '../../../../src/chain/ethereum/network-conditions.ts';
import { signGapFillers } from '../../../../src/chain/ethereum/transaction.ts';
import type { JsonRpc } from '../../../../src/chain/json-rpc.ts';
import { RpcFault, type Signed } from '../../../../src/chain/port.ts';
import type { EthereumNetwork } from '../../../../src/network/network.ts';
import { alteredNodes } from '../altered-nodes.ts';
import { broadcastAll, fillersOf, replaceAll, trackAll } from '../ask.ts';
import { chain, open, sightingOf, signed, tokensOf } from './issuing.ts';
import {
  aStep,
  callSepolia,
  contextOver,
  freshWallet,
  makeBlocksByHand,
  mine,
  minedOfGatekeeper,
  sepolia,
} from './node.ts';

/** Prices of transactions, replacements, and fillers of nonce gaps. The test makes the blocks. */

makeBlocksByHand();

const capped = (maxFeePerGas: number, fees: EthereumNetwork['fees'] = 'eip1559') => ({
  ...sepolia().network,
  maxFeePerGas,
  fees,
});

describe('the price of a new transaction', () => {
  const asked = (gasPrice: bigint, baseFee?: bigint, tip?: bigint): QuotedPrices => ({ gasPrice, baseFee, tip });

  it.each`
    asked                    | cap    | fees         | fee    | tip    | isTooDear | why
    ${asked(25n, 20n, 3n)}   | ${100} | ${'eip1559'} | ${43n} | ${3n}  | ${false}  | ${'it has room for six full blocks'}
    ${asked(25n, 20n)}       | ${100} | ${'eip1559'} | ${45n} | ${5n}  | ${false}  | ${'the gas price holds a tip'}
    ${asked(10n, 20n)}       | ${100} | ${'eip1559'} | ${40n} | ${0n}  | ${false}  | ${'nobody is paid for our call'}
    ${asked(25n, 20n, 3n)}   | ${30}  | ${'eip1559'} | ${30n} | ${3n}  | ${false}  | ${'the cap holds, and the next block takes it'}
    ${asked(25n, 20n, 3n)}   | ${23}  | ${'eip1559'} | ${23n} | ${3n}  | ${false}  | ${'the next block takes just that'}
    ${asked(25n, 20n, 3n)}   | ${22}  | ${'eip1559'} | ${22n} | ${3n}  | ${true}   | ${'no block takes it'}
    ${asked(25n, 20n, 300n)} | ${22}  | ${'eip1559'} | ${22n} | ${22n} | ${true}   | ${'a tip is a part of the fee'}
    ${asked(50n)}            | ${100} | ${'legacy'}  | ${60n} | ${60n} | ${false}  | ${'it may rise a little'}
    ${asked(50n)}            | ${55}  | ${'legacy'}  | ${55n} | ${55n} | ${false}  | ${'the cap holds'}
    ${asked(50n)}            | ${49}  | ${'legacy'}  | ${49n} | ${49n} | ${true}   | ${'no block takes it'}
  `('$fees: the fee is $fee, the tip $tip, the cap $cap: $why', ({ asked, cap, fees, fee, tip, isTooDear }) => {
    expect(priceOf(asked, capped(cap, fees))).toEqual({ price: { fee, tip }, isTooDear });
  });
});

describe('the price of a replacement', () => {
  it.each`
    old           | moment         | cap     | raised         | why
    ${[80n, 8n]}  | ${[1n, 1n]}    | ${1000} | ${[91n, 10n]}  | ${'nodes take an eighth more of both'}
    ${[81n, 9n]}  | ${[1n, 1n]}    | ${1000} | ${[92n, 11n]}  | ${'not a wei less than an eighth'}
    ${[80n, 0n]}  | ${[1n, 1n]}    | ${1000} | ${[91n, 1n]}   | ${'more than nothing'}
    ${[80n, 8n]}  | ${[300n, 1n]}  | ${1000} | ${[300n, 10n]} | ${'the network asks more'}
    ${[80n, 8n]}  | ${[300n, 50n]} | ${200}  | ${[200n, 50n]} | ${'the cap holds'}
    ${[80n, 80n]} | ${[96n, 96n]}  | ${1000} | ${[96n, 96n]}  | ${'a gas price is fee and tip in one'}
    ${[80n, 8n]}  | ${[1n, 1n]}    | ${91}   | ${[91n, 10n]}  | ${'it is just allowed'}
    ${[80n, 8n]}  | ${[300n, 1n]}  | ${90}   | ${undefined}   | ${'an eighth more is above the cap'}
  `('a replacement of $old at $moment, capped at $cap, pays $raised: $why', ({ old, moment, cap, raised }) => {
    const [price, now] = [old, moment].map(([fee, tip]) => ({ fee, tip })) as [Price, Price];
    const [fee, tip] = raised ?? [];
    expect(replacementPrice(price, now, capped(cap))).toEqual(raised && { fee, tip });
  });
});

type Price = Parameters<typeof replacementPrice>[0];

const fieldsOf = ({ bytes }: Signed) => parseTransaction(bytes as `0x${string}`);
const raise = async (one: Signed, by = chain) => (await replaceAll(by, [one]))[0] as Signed;

describe('a transaction that stays pending', () => {
  it('replaces a pending transaction with the same call at the same nonce and both fees at least 12.5 % higher', async () => {
    const step = aStep();
    const first = await signed(step);
    await broadcastAll(chain, [first]);
    const second = await raise(first);
    const [old, raised] = [fieldsOf(first), fieldsOf(second)];
    expect(raised).toMatchObject({ nonce: old.nonce, to: old.to, data: old.data, gas: old.gas, chainId: old.chainId });
    expect(Number(raised.maxFeePerGas)).toBeGreaterThanOrEqual(Number(old.maxFeePerGas) * 1.125);
    expect(Number(raised.maxPriorityFeePerGas)).toBeGreaterThanOrEqual(Number(old.maxPriorityFeePerGas) * 1.125);
    expect(await broadcastAll(chain, [second])).toEqual([{ type: 'accepted' }]);
    await mine();
    const flight = { step, identifiers: [first.identifier, second.identifier], signedAtMs: Date.now() };
    expect(await trackAll(chain, [flight])).toMatchObject([{ type: 'confirmed', identifier: second.identifier }]);
    expect(await tokensOf(step)).toHaveLength(1);
  });

  it('replaces a pending legacy transaction with a gas price at least 12.5 % higher', async () => {
    const legacy = open({ network: capped(sepolia().network.maxFeePerGas, 'legacy') });
    const first = await signed(aStep(), 0, legacy);
    const raised = fieldsOf(await raise(first, legacy));
    expect(raised.type).toBe('legacy');
    expect(Number(raised.gasPrice)).toBeGreaterThanOrEqual(Number(fieldsOf(first).gasPrice) * 1.125);
    expect(raised).toMatchObject({ nonce: fieldsOf(first).nonce, to: fieldsOf(first).to });
  });

  it.each(['eip1559', 'legacy'] as const)(
    'replaces a pending transaction of type %s that was signed while a node quoted 0',
    async (fees) => {
      const { urls } = alteredNodes(inject('localnet').rpc.sepolia as string, {
        alter({ method }, answer) {
          if (method === 'eth_gasPrice' || method === 'eth_maxPriorityFeePerGas') return { result: '0x0' };
          return method === 'eth_getBlockByNumber' ? { result: { ...answer.result, baseFeePerGas: '0x0' } } : answer;
        },
      });
      const network = capped(sepolia().network.maxFeePerGas, fees);
      const first = await signed(aStep(), 0, open({ network, endpoints: urls }));
      vi.restoreAllMocks();
      const [old, raised] = [fieldsOf(first), fieldsOf(await raise(first, open({ network })))];
      expect(old.gasPrice ?? old.maxFeePerGas ?? 0n).toBe(0n);
      expect(raised.gasPrice ?? raised.maxFeePerGas).toBeGreaterThan(1_000n);
      expect(raised.nonce ?? 0).toBe(old.nonce ?? 0);
    },
  );

  it('does not replace a pending transaction when the higher fee would exceed maxFeePerGas', async () => {
    const first = await signed(aStep());
    const { maxFeePerGas = 0n } = fieldsOf(first);
    expect(await replaceAll(open({ network: capped(Number(maxFeePerGas) + 1) }), [first])).toEqual([undefined]);
    const just = open({ network: capped(Number(maxFeePerGas) * 2) });
    const raised = fieldsOf(await raise(first, just));
    expect(Number(raised.maxFeePerGas)).toBeLessThanOrEqual(Number(maxFeePerGas) * 2);
  });

  it('does not replace a pending transaction while the newest block of the node is old', async () => {
    const first = await signed(aStep());
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    try {
      expect(await replaceAll(chain, [first])).toEqual([undefined]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('replaces only as many pending transactions as the gatekeeper can pay for', async () => {
    const [first, second] = [await signed(aStep()), await signed(aStep(), 1)];
    const { gas = 0n } = fieldsOf(first);
    const raised = fieldsOf(await raise(first));
    const { ethereum: gatekeeper } = inject('localnet').gatekeeper;
    const rich = await callSepolia<string>('eth_getBalance', gatekeeper, 'latest');
    await callSepolia(
      'anvil_setBalance',
      gatekeeper,
      `0x${((gas * (raised.maxFeePerGas ?? 0n) * 3n) / 2n).toString(16)}`,
    );
    try {
      expect(await replaceAll(chain, [first, second])).toEqual([expect.any(Object), undefined]);
    } finally {
      await callSepolia('anvil_setBalance', gatekeeper, rich);
    }
  });

  it('does not replace a pending transaction that calls another contract than that of its step', async () => {
    expect(await replaceAll(chain, [await signed(aStep())], '0x000000000000000000000000000000000000dEaD')).toEqual([
      undefined,
    ]);
  });
});

describe('a gap in the nonces', () => {
  const fill = async (nonces: readonly number[]) => broadcastAll(chain, await fillersOf(chain, nonces));

  it('fills a gap in the nonces once, however often it is asked, and the transaction behind the gap is mined', async () => {
    const step = aStep();
    const sent = await signed(step, 2);
    await broadcastAll(chain, [sent]);
    await mine();
    expect(await sightingOf(step, sent)).toEqual({ type: 'unconfirmed' });
    const before = await minedOfGatekeeper();
    await fill([before, before + 1]);
    // A nonce that is already filled or used is not a fault.
    await fill([before, before + 1]);
    await mine();
    await fill([before]);
    expect(await sightingOf(step, sent)).toMatchObject({ type: 'confirmed' });
    expect(await minedOfGatekeeper()).toBe(before + 3);
  });

  it('replaces a filler whose price no block takes, because nodes want two higher fees', async () => {
    const nonce = await minedOfGatekeeper();
    const [cheap] = await fillersOf(chain, [nonce]);
    if (cheap === undefined) throw new Error('the chain signs no filler');
    await broadcastAll(chain, [cheap]);
    const { maxFeePerGas = 0n } = fieldsOf(cheap);
    await callSepolia('hardhat_setNextBlockBaseFeePerGas', `0x${(maxFeePerGas + 1n).toString(16)}`);
    await mine();
    expect(await minedOfGatekeeper()).toBe(nonce);
    const raised = await fillersOf(chain, [nonce], new Map([[nonce, cheap.bytes]]));
    const feesOf = (one: Signed) => [fieldsOf(one).maxFeePerGas ?? 0n, fieldsOf(one).maxPriorityFeePerGas ?? 0n];
    const shares = feesOf(raised[0] as Signed).map((fee, index) => (fee * 100n) / (feesOf(cheap)[index] ?? 0n));
    expect(
      shares.every((percent) => percent >= 110n),
      shares.join(),
    ).toBe(true);
    expect(await broadcastAll(chain, raised)).toEqual([{ type: 'accepted' }]);
    await mine();
    expect(await minedOfGatekeeper()).toBe(nonce + 1);
  });

  it('does not fill a gap in the nonces while the newest block of the node is old', async () => {
    const { nonces } = await chain.account();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    try {
      expect(await chain.signGapFillers([nonces?.latest ?? 0])).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
    expect(await chain.account()).toMatchObject({ nonces });
  });
});

it('reports the balance of the gatekeeper, its latest nonce and its pending nonce', async () => {
  const { ethereum: gatekeeper } = inject('localnet').gatekeeper;
  const balance = BigInt(await callSepolia<string>('eth_getBalance', gatekeeper, 'latest'));
  const latest = await minedOfGatekeeper();
  expect(await chain.account()).toEqual({ balance, nonces: { latest, pending: latest } });
  await broadcastAll(chain, [await signed(aStep())]);
  expect(await chain.account()).toMatchObject({ nonces: { latest, pending: latest + 1 } });
});

it.each([null, '0x', 'garbage', 7, {}])('a node that answers %o instead of a number is at fault', async (result) => {
  const rpc: JsonRpc = async (calls) => calls.map(() => ({ result }));
  await expect(readAccount(contextOver(rpc))).rejects.toThrow(RpcFault);
});

/** Later signatures pass the same checks. */
const key = privateKeyToAccount(sepolia().gatekeeper.key());
const { chainId, gateway, maxFeePerGas: cap } = sepolia().network;

/** Bytes that no release of this service signs. */
async function bytesOf(more: object): Promise<Signed> {
  const data = mintData(freshWallet(), 1n, undefined);
  const price = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n };
  const transaction = { type: 'eip1559', chainId, to: gateway, data, gas: 300_000n, nonce: 0, ...price } as const;
  return { identifier: '0x', bytes: await key.signTransaction({ ...transaction, ...more }), maxCost: 0 };
}

it.each`
  what                          | more
  ${'more gas than is allowed'} | ${{ gas: 10_000_001n }}
  ${'a call that is not ours'}  | ${{ data: tokenData(1n) }}
  ${'a transfer'}               | ${{ value: 1n }}
  ${'a call of somebody else'}  | ${{ to: freshWallet() }}
`('never signs stored bytes with $what again, and still replaces the other transaction', async ({ more }) => {
  const [raised, left] = await replaceAll(chain, [await signed(aStep()), await bytesOf(more)]);
  expect(raised?.bytes).toMatch(/^0x02/);
  expect(left).toBeUndefined();
  const [right] = await replaceAll(chain, [await bytesOf({})]);
  expect(parseTransaction(right?.bytes as '0x').to).toBe(gateway.toLowerCase());
});

it('fills gaps in the nonces with a tenth of the most gas that a call may have, whatever the node asks for', async () => {
  const now = `0x${Math.floor(Date.now() / 1000).toString(16)}`;
  const nodeAsking = (gas: string): JsonRpc => {
    return async (calls) =>
      calls.map(({ method }) => {
        if (method === 'eth_estimateGas') return { result: gas };
        return { result: method === 'eth_getBlockByNumber' ? { timestamp: now, baseFeePerGas: '0x1' } : '0x1' };
      });
  };
  const on = (gas: string) => contextOver(nodeAsking(gas));
  const fill = (gas: string) => fillersOf({ signGapFillers: (nonces) => signGapFillers(on(gas), nonces) }, [1, 2]);
  const [dear] = await fill('0xffffffff');
  expect(parseTransaction(dear?.bytes as '0x').gas).toBe(500_000n);
  const fillers = await fill('0x5208');
  const sent = fillers.map(({ bytes }) => bytes);
  expect(fillers.map(({ nonce }) => nonce)).toEqual([1, 2]);
  expect(sent.map((bytes) => parseTransaction(bytes as '0x').nonce)).toEqual([1, 2]);
  const dearest = sent.map((bytes) => parseTransaction(bytes as '0x').maxFeePerGas ?? 0n);
  expect(dearest.every((fee) => fee <= BigInt(cap))).toBe(true);
});

it('measures the time between the last eight blocks, whatever the data of the network says', async () => {
  const { blockMs } = sepolia().network;
  for (let block = 0; block < 9; block += 1) {
    const { timestamp } = await callSepolia<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false);
    await callSepolia('evm_setNextBlockTimestamp', Number(timestamp) + (3 * blockMs) / 1_000);
    await mine();
  }
  expect(await chain.readBlockMs?.()).toBe(3 * blockMs);
});
