import { describe, expect, it, vi } from 'vitest';
import { prepare } from '../../../../src/chain/ethereum/prepare.ts';
import { hex, identityOf } from '../../../../src/chain/ethereum/rpc.ts';
import { type JsonRpc, jsonRpc } from '../../../../src/chain/json-rpc.ts';
import type { RpcCall } from '../../../../src/chain/json-rpc-batch.ts';
import { notNow } from '../../../../src/chain/reasons.ts';
import type { RpcAnswer } from '../../../../src/chain/rpc-answer.ts';
import type { Step } from '../../../../src/pass/step.ts';
import { errorText, whileMintReverts } from './altered-mint.ts';
import { findingOf, issued, tokenData, tokenIdOf } from './issuing.ts';
import { aStep, byGatekeeper, callSepolia, contextOver, makeBlocksByHand, mine, sepolia } from './node.ts';

/** Events during a preparation, and its nodes, on the real contract. The test makes the blocks. */

makeBlocksByHand();

const send = jsonRpc(sepolia().endpoints, identityOf(sepolia().network));

async function lookOver(rpc: JsonRpc, step: Step) {
  return (await prepare(contextOver(rpc), [{ step }])).results[0]?.[1];
}

/** Prepares a step, and runs other work before the simulation. */
function lookAfter(happens: () => Promise<unknown>, step: Step) {
  return lookOver(async (calls) => {
    const isTrial = calls.some(({ params }) => Object.hasOwn(Object(params[0]), 'from'));
    if (isTrial && calls.every(({ method }) => method === 'eth_call')) await happens();
    return send(calls);
  }, step);
}

/** An endpoint with two nodes: contract calls go to one whose newest block is that block. */
const splitAt = (head: number): JsonRpc => {
  const answer = async (call: RpcCall): Promise<RpcAnswer> => {
    const at = call.params[1];
    if (call.method === 'eth_call' && Number(at) > head)
      return { error: { code: -32000, message: 'header not found' } };
    const params = call.method === 'eth_call' && at === 'latest' ? [call.params[0], hex(head)] : call.params;
    return (await send([{ ...call, params }]))[0] as RpcAnswer;
  };
  return (calls) => Promise.all(calls.map(answer));
};

it('an issuance waits when two nodes answer one batch and the node that reads the contract is behind', async () => {
  const step = aStep();
  const before = Number(await callSepolia<string>('eth_blockNumber'));
  await issued(step);
  expect(await lookOver(splitAt(before), step)).toMatchObject({ type: 'not-now', blocks: 'step' });
  expect(await lookOver(send, step)).toMatchObject({ type: 'found', onChain: { state: 'ACTIVE' } });
});

describe('a refusal by a node that is behind its chain', () => {
  const ZERO_ADDRESS = errorText('ERC3525: mint to the zero address');
  const STALE = notNow('nodes-behind');

  it('the refusal of a simulation is not believed while the newest block of the node is old', async () => {
    const step = aStep();
    await whileMintReverts(ZERO_ADDRESS, async () => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * 86_400_000 });
      try {
        expect(await findingOf(step)).toEqual(STALE);
      } finally {
        vi.useRealTimers();
      }
      expect(await findingOf(step)).toMatchObject({ type: 'refused' });
    });
  });

  it('the refusal of another endpoint is not believed unless the endpoint with the newest block repeats it', async () => {
    const step = aStep();
    const isTrial = (call: RpcCall) => call.method === 'eth_call' && Object.hasOwn(Object(call.params[0]), 'from');
    const error = { code: 3, message: 'execution reverted', data: ZERO_ADDRESS };
    // The first endpoint fails for a moment, and the second one is 30 days behind.
    const failingOver: JsonRpc = async (calls) =>
      calls.length > 0 && calls.every(isTrial) ? calls.map(() => ({ error })) : send(calls);
    expect(await lookOver(failingOver, step)).toMatchObject({ type: 'not-now', blocks: 'step' });
    await whileMintReverts(ZERO_ADDRESS, async () => {
      expect(await lookOver(failingOver, step)).toMatchObject({ type: 'refused' });
    });
  });

  it('a token is not found while the endpoint that shows it is behind, whatever another endpoint answers', async () => {
    const step = aStep();
    await issued(step);
    const old: RpcAnswer = {
      result: { ...(await callSepolia<object>('eth_getBlockByNumber', 'latest', false)), timestamp: '0x1' },
    };
    const failingOver: JsonRpc = async (calls) =>
      calls.length === 1 && calls[0]?.method === 'eth_getBlockByNumber' ? [old] : send(calls);
    expect(await lookOver(failingOver, step)).toEqual(STALE);
  });
});

it.each`
  kind            | before      | meanwhile     | state
  ${'freeze'}     | ${''}       | ${'freeze'}   | ${'FROZEN'}
  ${'unfreeze'}   | ${'freeze'} | ${'unfreeze'} | ${'ACTIVE'}
  ${'set-expiry'} | ${''}       | ${'freeze'}   | ${'FROZEN'}
  ${'set-expiry'} | ${''}       | ${'revoke'}   | ${'REVOKED'}
  ${'freeze'}     | ${''}       | ${'burn'}     | ${'NONE'}
  ${'revoke'}     | ${''}       | ${'burn'}     | ${'NONE'}
`('$kind waits when $meanwhile by somebody else comes first', async ({ kind, before, meanwhile, state }) => {
  const step: Step = { ...aStep(), kind, expiry: kind === 'set-expiry' ? 2_000_000_000 : undefined };
  await issued({ ...step, kind: 'issue', expiry: undefined });
  const id = await tokenIdOf(step);
  if (before) await byGatekeeper(tokenData(before, id));
  await mine(3);
  const happens = () => byGatekeeper(tokenData(meanwhile, id));
  expect(await lookAfter(happens, step)).toEqual(notNow('token-changed'));
  await mine(3);
  expect(await findingOf(step)).toMatchObject({ type: 'found', onChain: { state } });
});
