import { base58 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gatekeeperNetworkOf, isGatekeeperNetwork, NUMBERED_SLOTS, slotOf } from '../../../src/network/slot.ts';

const BY_KEY = 'cidNdd9GGhpgUJRTrto1A1ayN2PKAuaW7pg1rqj6bRD';
/** The key that derives the slot 2^64. */
const smallestKey = Uint8Array.from({ length: 32 }, (_, index) => (index === 23 ? 1 : 0));
const ofBits = (bits: bigint) => fc.bigInt({ min: 0n, max: 2n ** bits - 1n });
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

it('reads the 32 bytes of a key as a big-endian number, with leading zeros, and refuses a number below 2^64', () => {
  fc.assert(
    fc.property(fc.oneof(ofBits(256n), ofBits(70n), ofBits(65n), ofBits(64n), ofBits(8n)), (slot) => {
      const digits = slot.toString(16).padStart(64, '0');
      const key = Uint8Array.from(digits.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
      expect(slotOf(base58.encode(key))).toBe(slot < 2n ** 64n ? undefined : slot);
    }),
  );
});

it('prefers the built-in table to a configured slot, and a configured slot to the key', () => {
  expect(slotOf(BY_KEY, { [BY_KEY]: 99n })).toBe(99n);
  expect(slotOf(NUMBERED, { [NUMBERED]: 2n })).toBe(1n);
  expect(slotOf(BY_KEY, { [NUMBERED]: 2n })).toBe(slotOf(BY_KEY));
});

it.each`
  slot          | key
  ${'0'}        | ${'1'.repeat(32)}
  ${'1'}        | ${`${'1'.repeat(31)}2`}
  ${'21'}       | ${`${'1'.repeat(31)}N`}
  ${'2^64 - 1'} | ${`${'1'.repeat(24)}jpXCZedGfVQ`}
`('refuses the key that derives the slot $slot, which could be the number of another gatekeeper network', ({ key }) => {
  expect([slotOf(key), isGatekeeperNetwork(key)]).toEqual([undefined, false]);
});

it('accepts the key that derives the slot 2^64', () => {
  expect([slotOf(base58.encode(smallestKey)), isGatekeeperNetwork(base58.encode(smallestKey))]).toEqual([
    2n ** 64n,
    true,
  ]);
});

it.each(['', '2', 'abc', BY_KEY.slice(1), '0OIl', 'constructor', 'toString'])(
  'returns no slot for "%s", which is not a key and could collide with a small slot',
  (gatekeeperNetwork) => {
    expect(slotOf(gatekeeperNetwork)).toBeUndefined();
  },
);

describe('gatekeeperNetworkOf', () => {
  it.each(Object.entries(NUMBERED_SLOTS))('returns %s for the slot %d', (gatekeeperNetwork, slot) => {
    expect(gatekeeperNetworkOf(slot)).toBe(gatekeeperNetwork);
  });

  it('is the inverse of slotOf for every key, and undefined for a number without a gatekeeper network', () => {
    fc.assert(
      fc.property(fc.oneof(ofBits(256n), ofBits(70n), ofBits(64n), ofBits(8n)), (slot) => {
        const gatekeeperNetwork = gatekeeperNetworkOf(slot);
        if (gatekeeperNetwork === undefined) expect(slot).toBeLessThan(2n ** 64n);
        else expect(slotOf(gatekeeperNetwork)).toBe(slot);
      }),
    );
  });

  it('finds a configured number, and then not the slot that the key would derive', () => {
    const derived = slotOf(BY_KEY) as bigint;
    expect(gatekeeperNetworkOf(99n, { [BY_KEY]: 99n })).toBe(BY_KEY);
    expect(gatekeeperNetworkOf(derived, { [BY_KEY]: 99n })).toBeUndefined();
    expect(gatekeeperNetworkOf(derived)).toBe(BY_KEY);
    expect(gatekeeperNetworkOf(99n)).toBeUndefined();
  });

  it('prefers the built-in table to a configured number', () => {
    expect(gatekeeperNetworkOf(1n, { [BY_KEY]: 1n })).toBe(NUMBERED);
    expect(gatekeeperNetworkOf(2n, { [NUMBERED]: 2n })).toBeUndefined();
  });
});
