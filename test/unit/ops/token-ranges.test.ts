import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deploymentBlockOf } from '../../../ops/tokens/deployment-blocks.ts';
import { addToken, hasToken, type TokenSet } from '../../../ops/tokens/token-set.ts';
import { walkRanges } from '../../../ops/tokens/walk-ranges.ts';
import { FIRST_RANGE, growRange, shrinkRange } from '../../../src/chain/ethereum/logs.ts';
import { RpcFault } from '../../../src/chain/port.ts';
import { NETWORKS } from '../../../src/network/networks.ts';

/** The ranges of log queries, the blocks where they start, and the set of read tokens. */

const source = { network: { network: 'sepolia' }, pauseMs: 0 };

async function walk(from: number, to: number, maxBlocks: number) {
  let queries = 0;
  const blocks: number[] = [];
  const read = async (range: { from: number; to: number }) => {
    queries += 1;
    if (range.to - range.from + 1 > maxBlocks) throw new RpcFault('block range is too wide');
    return range;
  };
  for await (const { value } of walkRanges(source, { from, to }, read))
    for (let block = value.from; block <= value.to; block += 1) blocks.push(block);
  return { queries, blocks };
}

describe('walkRanges', () => {
  it('reads every block once and in order, for every limit of the provider', async () => {
    const numbers = fc.tuple(fc.nat(5_000), fc.nat(20_000), fc.integer({ min: 1, max: 15_000 }));
    await fc.assert(
      fc.asyncProperty(numbers, async ([from, length, maxBlocks]) => {
        const { blocks } = await walk(from, from + length, maxBlocks);
        expect(blocks.length).toBe(length + 1);
        expect(blocks.every((block, index) => block === from + index)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('learns the limit of the provider: few queries exceed it', async () => {
    const { queries } = await walk(0, 100_000, 2_000);
    // The ranges are halves of the first one: 1,250 blocks.
    expect(queries).toBeLessThan(1.15 * (100_000 / 1_250));
  });

  it('needs few queries if the provider has no limit', async () => {
    expect((await walk(0, 100_000, 1e9)).queries).toBe(4);
  });

  it('reads nothing of an empty range', async () => {
    expect(await walk(5, 4, 10)).toEqual({ queries: 0, blocks: [] });
  });
});

describe('the size of a range', () => {
  it('doubles after a success, and waits before it grows after a refusal', () => {
    expect(growRange(FIRST_RANGE).blocks).toBe(2 * FIRST_RANGE.blocks);
    const shrunk = shrinkRange(1_000);
    expect(shrunk?.blocks).toBe(500);
    expect(growRange(shrunk as never).blocks).toBe(500);
  });

  it('has an end: no range is smaller than a block', () => {
    expect(shrinkRange(3)?.blocks).toBe(1);
    expect(shrinkRange(1)).toBeUndefined();
  });
});

describe('the blocks of deployments', () => {
  const gateway = '0xF65b6396dF6B7e2D8a6270E3AB6c7BB08BAEF22E';

  it('are known only for the recorded address, in any case', () => {
    expect(deploymentBlockOf('sepolia', gateway)).toBe(3_350_227);
    expect(deploymentBlockOf('sepolia', gateway.toLowerCase())).toBe(3_350_227);
    expect(deploymentBlockOf('sepolia', `0x${'12'.repeat(20)}`)).toBeUndefined();
    expect(deploymentBlockOf('polygonAmoy', gateway)).toBeUndefined();
  });

  it('belong to Ethereum-type networks', () => {
    const known = NETWORKS.filter(({ network }) => deploymentBlockOf(network, gateway) !== undefined);
    expect(known.length).toBe(15);
    expect(known.filter(({ chain }) => chain !== 'ethereum')).toEqual([]);
  });
});

describe('the set of read tokens', () => {
  it('contains exactly the added ids', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.bigInt(0n, 5_000n)), fc.bigInt(0n, 5_000n), (ids, other) => {
        const set = ids.reduce((each, id) => addToken(each, id), new Uint8Array() as TokenSet);
        expect(ids.every((id) => hasToken(set, id))).toBe(true);
        expect(hasToken(set, other)).toBe(ids.includes(other));
      }),
    );
  });

  it('refuses an id that no contract has, because its bit would fill the memory', () => {
    expect(() => addToken(new Uint8Array(), 2n ** 255n)).toThrow(RpcFault);
  });
});
