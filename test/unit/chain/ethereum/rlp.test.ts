import fc from 'fast-check';
import { fromRlp, toRlp } from 'viem/utils';
import { describe, expect, it } from 'vitest';
import { decodeRlp, encodeRlp, type RlpItem } from '../../../../src/chain/ethereum/rlp.ts';
import type { Hex } from '../../../../src/lib/hex.ts';

/** viem encodes and decodes the same items independently. */

const toHex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`;
const { item: items } = fc.letrec<{ item: RlpItem; bytes: Hex; list: RlpItem[] }>((tie) => ({
  item: fc.oneof({ depthSize: 'small' }, tie('bytes'), tie('list')),
  bytes: fc.oneof(fc.uint8Array({ maxLength: 3 }), fc.uint8Array({ maxLength: 300, size: 'max' })).map(toHex),
  list: fc.array(tie('item'), { maxLength: 6 }),
}));

const REFUSED = 'refused';
function outcomeOf(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return REFUSED;
  }
}

/** viem's type has no recursion of readonly lists. */
const viems = (item: RlpItem) => toRlp(item as Hex);

describe('encodeRlp and decodeRlp', () => {
  it('encode random items as viem does, and read them back', () => {
    fc.assert(
      fc.property(items, (item) => {
        const encoded = encodeRlp(item);
        expect(encoded).toBe(viems(item));
        expect(decodeRlp(encoded)).toEqual(item);
      }),
      { numRuns: 500 },
    );
  });

  it.each([0, 1, 55, 56, 255, 256, 65_535, 65_536, 70_000])('treat %i bytes as viem does', (length) => {
    for (const first of [0x00, 0x7f, 0x80, 0xff]) {
      const bytes = toHex(new Uint8Array(length).fill(first));
      for (const item of [bytes, [bytes], [[bytes], bytes]]) {
        expect(encodeRlp(item)).toBe(viems(item));
        expect(decodeRlp(encodeRlp(item))).toEqual(item);
      }
    }
  });

  it('read random bytes, and items with a damaged byte or end, as viem does', () => {
    const damaged = items.map(viems).chain((text) => {
      const bytes = Buffer.from(text.slice(2), 'hex');
      return fc.oneof(
        fc
          .tuple(fc.nat(Math.max(0, bytes.length - 1)), fc.nat(255))
          .map(([at, byte]) => toHex(bytes.fill(byte, at, at + 1))),
        fc.nat(bytes.length).map((length) => toHex(bytes.subarray(0, length))),
        fc.uint8Array({ minLength: 1, maxLength: 3 }).map((end) => `${text}${toHex(end).slice(2)}` as Hex),
      );
    });
    let refused = 0;
    fc.assert(
      fc.property(fc.oneof(damaged, fc.uint8Array({ minLength: 1, maxLength: 12 }).map(toHex)), (text) => {
        // viem reads no bytes at all as an item.
        fc.pre(text !== '0x');
        const ours = outcomeOf(() => decodeRlp(text));
        refused += Number(ours === REFUSED);
        expect(ours).toEqual(outcomeOf(() => fromRlp(text, 'hex')));
      }),
      { numRuns: 3_000 },
    );
    expect(refused).toBeGreaterThan(300);
  });

  it.each([
    ['nothing', '0x'],
    ['half a byte', '0x8'],
    ['other characters', '0xzz'],
    ['no hexadecimal text', '80'],
    ['bytes after the item', '0x8080'],
    ['bytes without their end', '0x8261'],
    ['a length without its end', '0xb9ff'],
    ['a length of five bytes', '0xbc0000000001'],
    ['a list that ends within an item', '0xc18261'],
    ['a length of 4 GB', '0xbbffffffff61'],
  ])('decodeRlp refuses %s', (_, text) => {
    expect(() => decodeRlp(text)).toThrow();
  });

  it.each(['0x1', '0xzz', '1234', ['0x1']])('encodeRlp refuses %j, which is not whole bytes', (item) => {
    expect(() => encodeRlp(item as Hex)).toThrow();
  });
});
