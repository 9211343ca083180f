import { expect, it } from 'vitest';
import { callsOf, checkMalformed, checkNames, type ValidCall } from './slim-calls.ts';
import { useSlimChain } from './slim-chain.ts';

/** Each bit and each length of the bytes that the slim contract takes. */

const on = useSlimChain();

/** The node refuses a request of some megabytes. */
const CALLS_OF_REQUEST = 500;

it('refuses calls of each length that is too short, each bit that no argument has, and each bit of a charge', async () => {
  const calls = callsOf(true);
  const valid = calls.map((call): ValidCall => ({ ...call, malformed: [] }));
  let count = 0;
  for (const [index, call] of calls.entries())
    for (let at = 0; at < call.malformed.length; at += CALLS_OF_REQUEST) {
      const malformed = call.malformed.slice(at, at + CALLS_OF_REQUEST);
      count += await checkMalformed(on.ask, valid.with(index, { ...call, malformed }));
    }
  expect(count).toBe(9_088);
});

it('returns names of each length up to 200 bytes exactly, and one of 10,000 bytes', async () => {
  await checkNames(on.ask, [...Array.from({ length: 200 }, (_, index) => index + 1), 10_000]);
});
