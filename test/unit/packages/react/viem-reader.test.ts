import { createPublicClient, http } from 'viem';
import { sepolia } from 'viem/chains';
import { expect, it } from 'vitest';
import { viemReader } from '../../../../packages/react/src/core.ts';

/** A provider begins again when the key of its reader changes. One contract has the same address on many networks. */

const place = { contract: '0xA0d8b83d512cc74690DE0a57D156eddfB42752B4', slot: 1n } as const;
const keyOf = (url: string, chain?: typeof sepolia) =>
  viemReader(createPublicClient({ transport: http(url), ...(chain && { chain }) }), place).key;

it('the key of a client without a chain names its node', () => {
  expect(keyOf('https://one.example')).not.toBe(keyOf('https://other.example'));
  expect(keyOf('https://one.example')).toBe(keyOf('https://one.example'));
});

it('the key of a client with a chain is the same for each of its nodes', () => {
  expect(keyOf('https://one.example', sepolia)).toBe(keyOf('https://other.example', sepolia));
});
