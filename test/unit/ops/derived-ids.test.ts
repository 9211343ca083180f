import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDerived, type DerivedIds, isDerived } from '../../../ops/tokens/derived-ids.ts';

const idOf = (wallet: number) => (0xabcn << 160n) | BigInt(wallet);
const NONE: DerivedIds = { issued: [], burned: [] };
const logs = (minted: readonly bigint[], burned: readonly bigint[] = []) => ({ minted, burned });
const sorted = ({ issued, burned }: DerivedIds) => [issued.toSorted(), burned.toSorted()];

it('the ids of the public build are no derived ones', () => {
  expect([1n, 2n ** 64n, idOf(0), idOf(7)].map(isDerived)).toEqual([false, false, true, true]);
});

describe('the ids in the logs', () => {
  it('have each token once, also if it was burned and issued again', () => {
    const [a, b] = [idOf(1), idOf(2)];
    const first = addDerived(NONE, logs([a, b]));
    const second = addDerived(first, logs([], [a]));
    expect(sorted(second)).toEqual([[String(a), String(b)], [String(a)]]);
    expect(sorted(addDerived(second, logs([a])))).toEqual([[String(a), String(b)], []]);
  });

  it('ignore the burn of a token that was issued before the first block, and have it if it is issued again', () => {
    const a = idOf(1);
    const burned = addDerived(NONE, logs([], [a]));
    expect(burned).toEqual(NONE);
    expect(addDerived(burned, logs([a]))).toEqual({ issued: [String(a)], burned: [] });
  });

  it('refuse a repeated issuance', () => {
    const first = addDerived(NONE, logs([idOf(1)]));
    expect(() => addDerived(first, logs([idOf(1)]))).toThrow('the logs repeat a token');
    expect(() => addDerived(NONE, logs([idOf(1), idOf(1)]))).toThrow('the logs repeat a token');
  });

  it('agree with the tokens of random stories, in ranges of any size', () => {
    const story = fc.array(fc.record({ wallet: fc.integer({ min: 0, max: 5 }), ends: fc.boolean() }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(story, (steps) => {
        const [tokens, issued] = [new Set<string>(), new Set<string>()];
        let found = NONE;
        let [minted, burned]: bigint[][] = [[], []];
        for (const { wallet, ends } of steps) {
          const id = idOf(wallet);
          if (tokens.delete(String(id))) burned?.push(id);
          else {
            tokens.add(String(id));
            issued.add(String(id));
            minted?.push(id);
          }
          if (!ends) continue;
          found = addDerived(found, { minted: minted ?? [], burned: burned ?? [] });
          [minted, burned] = [[], []];
        }
        found = addDerived(found, { minted: minted ?? [], burned: burned ?? [] });
        const gone = [...issued].filter((id) => !tokens.has(id));
        expect(sorted(found)).toEqual([[...issued].toSorted(), gone.toSorted()]);
      }),
    );
  });
});
