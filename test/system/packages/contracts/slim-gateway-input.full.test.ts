import { expect, it } from 'vitest';
import { callsOf, checkMalformed, checkNames } from './slim-calls.ts';
import { useSlimChain } from './slim-chain.ts';

/** Each bit and each length of the bytes that the slim contract takes. */

const on = useSlimChain();

it('refuses calls of each length that is too short, each bit that no argument has, and each bit of a charge', async () => {
  expect(await checkMalformed(on.ask, callsOf(true))).toBeGreaterThan(10_000);
});

it('returns names of each length up to 200 bytes exactly, and one of 10,000 bytes', async () => {
  await checkNames(on.ask, [...Array.from({ length: 200 }, (_, index) => index + 1), 10_000]);
});
