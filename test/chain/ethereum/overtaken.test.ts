import { afterAll, beforeAll, expect, it } from 'vitest';
import { identityOf } from '../../../src/chain/ethereum/calls.ts';
import { look } from '../../../src/chain/ethereum/look.ts';
import { jsonRpc } from '../../../src/chain/json-rpc.ts';
import { slotOf } from '../../../src/network/slot.ts';
import type { Step } from '../../../src/pass/step.ts';
import { findingOf, issued, tokenData, tokenIdOf } from './issuing.ts';
import { aStep, byGatekeeper, mine, node, sepolia } from './node.ts';

/** What happens between reading a token and trying the call, on the real contract. Blocks are made by hand. */

beforeAll(() => node('evm_setIntervalMining', 0));
afterAll(() => node('evm_setIntervalMining', 1));

/** Looks with something else going on before the trial. */
async function lookAfter(happens: () => Promise<unknown>, step: Step) {
  const { endpoints, network, gatekeeper } = sepolia();
  const send = jsonRpc(endpoints, identityOf(network));
  const chain = {
    network,
    account: gatekeeper.address,
    slot: slotOf,
    rpc: async (calls: Parameters<typeof send>[0]) => {
      const isTrial = calls.some(({ params }) => Object.hasOwn(Object(params[0]), 'from'));
      if (isTrial && calls.every(({ method }) => method === 'eth_call')) await happens();
      return send(calls);
    },
  };
  return (await look(chain, [step])).findings[0];
}

it.each`
  kind            | before      | meanwhile     | state
  ${'freeze'}     | ${''}       | ${'freeze'}   | ${'FROZEN'}
  ${'unfreeze'}   | ${'freeze'} | ${'unfreeze'} | ${'ACTIVE'}
  ${'set-expiry'} | ${''}       | ${'freeze'}   | ${'FROZEN'}
  ${'set-expiry'} | ${''}       | ${'revoke'}   | ${'REVOKED'}
  ${'freeze'}     | ${''}       | ${'burn'}     | ${'NONE'}
  ${'revoke'}     | ${''}       | ${'burn'}     | ${'NONE'}
`('$kind waits when somebody came first: $meanwhile', async ({ kind, before, meanwhile, state }) => {
  const step: Step = { ...aStep(), kind, expiry: kind === 'set-expiry' ? 2_000_000_000 : undefined };
  await issued({ ...step, kind: 'issue', expiry: undefined });
  const id = await tokenIdOf(step);
  if (before) await byGatekeeper(tokenData(before, id));
  await mine(3);
  const happens = () => byGatekeeper(tokenData(meanwhile, id));
  expect(await lookAfter(happens, step)).toEqual({
    is: 'not-now',
    why: 'the token has changed meanwhile',
    keeps: 'step',
  });
  await mine(3);
  expect(await findingOf(step)).toMatchObject({ is: 'found', onChain: { state } });
});
