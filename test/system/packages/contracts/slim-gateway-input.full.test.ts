import type { Hex } from 'viem';
import { expect, it } from 'vitest';
import { compileOwn, settingsOf } from '../../../../tools/contracts/compile.ts';
import { callsOf, checkMalformed, checkNames, run, type ValidCall } from './slim-calls.ts';
import { useSlimChain } from './slim-chain.ts';
import { SLIM, SLIM_CREATION } from './slim-gateway.ts';

/** Each bit and each length of the bytes that the slim contract takes. */

const on = useSlimChain();

/** The node refuses a request of some megabytes. */
const CALLS_OF_REQUEST = 500;

/** All valid calls in their order, and some malformed ones of one of them; together all. */
const GROUPS = (() => {
  const calls = callsOf(true);
  const valid = calls.map((call): ValidCall => ({ ...call, malformed: [] }));
  return calls.flatMap((call, index) =>
    Array.from({ length: Math.ceil(call.malformed.length / CALLS_OF_REQUEST) }, (_, part) => {
      const malformed = call.malformed.slice(part * CALLS_OF_REQUEST, (part + 1) * CALLS_OF_REQUEST);
      return valid.with(index, { ...call, malformed });
    }),
  );
})();

it('refuses calls of each length that is too short, each bit that no argument has, and each bit of a charge', async () => {
  let count = 0;
  for (const group of GROUPS) count += await checkMalformed(on.ask, group);
  expect(count).toBe(9_088);
});

it('does the same as its source without an optimizer in each of these calls', async () => {
  const settings = { ...settingsOf('SlimGateway.sol'), optimizer: { enabled: false } };
  const plain = compileOwn('SlimGateway.sol', settings)('SlimGateway');
  const setCode = (code: Hex) => on.ask('anvil_setCode', [SLIM_CREATION.address, code]);
  const effectsOf = async (group: readonly ValidCall[]) => {
    const all = group.flatMap((call) => [...call.malformed.map((each) => ({ ...each, by: call.by })), call]);
    return (await run(on.ask, all)).map(({ status, returnData, logs }) => ({
      status,
      returnData,
      logs: logs.map(({ topics, data }) => ({ topics, data })),
    }));
  };
  expect(plain.deployedBytecode).not.toBe(SLIM.deployedBytecode);
  for (const group of GROUPS) {
    const effects = await effectsOf(group);
    await setCode(plain.deployedBytecode);
    expect(await effectsOf(group)).toEqual(effects);
    await setCode(SLIM.deployedBytecode);
  }
});

it('returns names of each length up to 200 bytes exactly, and one of 10,000 bytes', async () => {
  await checkNames(on.ask, [...Array.from({ length: 200 }, (_, index) => index + 1), 10_000]);
});
