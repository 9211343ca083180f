import { base58 } from '@scure/base';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { slotOf } from '../../../src/network/slot.ts';

const BY_KEY = 'cidNdd9GGhpgUJRTrto1A1ayN2PKAuaW7pg1rqj6bRD';
const NUMBERED = 'tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf';

it.each`
  gatekeeperNetwork                                | slot
  ${'tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf'} | ${1n}
  ${'ignREusXmGrscGNUesoU9mxfds9AiYTezUKex2PsZV6'} | ${4n}
  ${'bni1ewus6aMxTxBi5SAfzEmmXLf8KcVFRmTfproJuKw'} | ${6n}
  ${'b1gz9sD7TeH6cagodm4zTcAx6LkZ56Etisvgr6jGFQb'} | ${7n}
  ${'uniqobk8oGh4XBLMqM68K8M2zNu3CdYX7q5go7whQiv'} | ${10n}
  ${'vaa1QRNEBb1G2XjPohqGWnPsvxWnwwXF67pdjrhDSwM'} | ${11n}
  ${'tigoYhp9SpCDoCQmXGj2im5xa3mnjR1zuXrpCJ5ZRmi'} | ${14n}
  ${'tbniJdS9j7BWhUoJesjpqutC54AYr96cn2No7dJcqce'} | ${16n}
  ${'tb1g4GgywqGprgbuRw8RdDuPGUPC4CFMmmNFXfBX79J'} | ${17n}
  ${'tunQheuPpHhjjsbrUDp4rikqYez9UXv4SXLRHf9Kzsv'} | ${20n}
  ${'tvaaHL9BSgZGLRAqUrx1Fzs2Uneb6BWGdnYuqrFoXm3'} | ${21n}
  ${BY_KEY}                                        | ${0x09266570c8755cb9e9d8ea3d75c5251514f0eb45c6f2a86d39ace69e516988ecn}
`('returns the slot $slot for $gatekeeperNetwork', ({ gatekeeperNetwork, slot }) => {
  expect(slotOf(gatekeeperNetwork)).toBe(slot);
});

it('reads the 32 bytes of a key as a big-endian number, leading zeros included', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (slot) => {
      const digits = slot.toString(16).padStart(64, '0');
      const key = Uint8Array.from(digits.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
      expect(slotOf(base58.encode(key))).toBe(slot);
    }),
  );
});

it('uses the configured slot before the table and before the key', () => {
  expect(slotOf(BY_KEY, { [BY_KEY]: 99n })).toBe(99n);
  expect(slotOf(NUMBERED, { [NUMBERED]: 2n })).toBe(2n);
  expect(slotOf(BY_KEY, { [NUMBERED]: 2n })).toBe(slotOf(BY_KEY));
});

it.each(['', '2', 'abc', BY_KEY.slice(1), '0OIl', 'constructor', 'toString'])(
  'returns no slot for "%s", which is no key and could collide with a small slot',
  (gatekeeperNetwork) => {
    expect(slotOf(gatekeeperNetwork)).toBeUndefined();
  },
);
