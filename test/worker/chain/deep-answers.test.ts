import { expect, it } from 'vitest';
import { ETHEREUM_ERRORS } from '../../../src/chain/ethereum/node-answers.ts';
import { jsonRpc } from '../../../src/chain/json-rpc.ts';
import { RpcFault } from '../../../src/chain/port.ts';
import { secret } from '../../../src/lib/secret.ts';

const LEVELS = 500_000;
const deep = '['.repeat(LEVELS) + ']'.repeat(LEVELS);
const identity = {
  call: { method: 'which chain', params: [] },
  isOurChain: (result: unknown) => result === 'ours',
  errors: ETHEREUM_ERRORS,
};

/** Asks a node for two results. The node answers with this text in the place of the second one. */
function ask(second: string) {
  const answer = `[{"id":0,"result":"ours"},{"id":1,"result":"first"},{"id":2,${second}}]`;
  const rpc = jsonRpc([secret('https://a.example')], identity, async () => new Response(answer));
  return rpc(['x', 'y'].map((method) => ({ method, params: [] })));
}

it.each([
  ['a result', `"result":${deep}`],
  ['the data of an error', `"error":{"code":3,"message":"execution reverted","data":${deep}}`],
  ['a member that nobody reads', `"result":"second","extra":${deep}`],
])('%s with 500,000 levels affects no other call of the batch', async (_, second) => {
  expect((await ask(second))[0]).toMatchObject({ result: 'first' });
});

it('an error that is a list of 500,000 levels is the fault of the endpoint', async () => {
  await expect(ask(`"error":${deep}`)).rejects.toThrow(RpcFault);
});
