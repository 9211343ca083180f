import { afterAll, beforeAll, expect, it } from 'vitest';
import { stopChildren } from '../../../../../../terminal/child-process.ts';
import { startSolanaNode } from '../../../../../../tools/localnet/solana/start-node.ts';
import { findFreePort } from '../../../../../../tools/localnet/state/ports.ts';
import { SolanaNodeClient } from './solana-node-client.ts';

let url: string;
let client: SolanaNodeClient;

beforeAll(async () => {
  ({ rpcUrl: url } = await startSolanaNode({ network: 'devnet', port: await findFreePort() }, { slotMs: 0 }));
  client = new SolanaNodeClient(url);
});

afterAll(stopChildren);

const call = (id: unknown, method: string, ...params: unknown[]) => ({ jsonrpc: '2.0', id, method, params });

it('the node answers the calls of a batch separately and in order', async () => {
  const calls = [call(7, 'getHealth'), call('b', 'nope'), call(9, 'getAccountInfo'), { id: 1 }, call(10, 'getHealth')];
  const answers = await (await client.post(JSON.stringify(calls))).json();
  expect(answers).toMatchObject([
    { jsonrpc: '2.0', id: 7, result: 'ok' },
    { id: 'b', error: { code: -32601, message: 'Method not found' } },
    { id: 9, error: { code: -32602, message: '`params` should have at least 1 argument(s)' } },
    { id: null, error: { code: -32600 } },
    { id: 10, result: 'ok' },
  ]);
});

it.each([
  ['getAccountInfo', 'x'],
  ['getAccountInfo', 5],
  ['getAccountInfo', '11111111111111111111111111111111', { commitment: 'sure' }],
  ['getAccountInfo', '11111111111111111111111111111111', { encoding: 'hex' }],
  ['getAccountInfo', '11111111111111111111111111111111', {}, {}],
  ['getSignatureStatuses', ['x']],
  ['getMinimumBalanceForRentExemption', -1],
  ['getSignaturesForAddress', '11111111111111111111111111111111', { commitment: 'processed' }],
  ['sendTransaction', 'AA==', { encoding: 'base64' }],
  ['sendTransaction', '!', { encoding: 'base64' }],
  ['sendTransaction', '0', {}],
  ['localnet_fail', { how: { nothing: true } }],
])('the node refuses the parameters of %s(%j) as invalid', async (method, ...params) => {
  await expect(client.call(method, ...params)).rejects.toMatchObject({ code: -32602 });
});

it('the node treats a null configuration like a missing one', async () => {
  expect(await client.call('getSlot', null)).toBe(await client.call('getSlot', { commitment: null }));
});

it('the node answers a request without a call with an HTTP status or a parse error', async () => {
  const statusOf = async (answer: Promise<Response>) => (await answer).status;
  expect(await (await client.post('{')).json()).toMatchObject({ error: { code: -32700 }, id: null });
  expect(await statusOf(client.post('{}', {}))).toBe(415);
  expect(await statusOf(fetch(url))).toBe(405);
  expect(await (await fetch(`${url}/health`)).text()).toBe('ok');
  const filling = (length: number) => JSON.stringify(call(1, 'getHealth')).padEnd(length);
  expect(await statusOf(client.post(filling(50 * 1024)))).toBe(200);
  expect(await statusOf(client.post(filling(50 * 1024 + 1)))).toBe(413);
});

it('the node counts requests and calls, except calls to its localnet methods', async () => {
  await client.call('localnet_resetRequests');
  await client.post(JSON.stringify([call(1, 'getHealth'), call(2, 'getSlot'), call(3, 'getSlot')]));
  await client.call('getHealth');
  await client.call('localnet_advance');
  expect(await client.call('localnet_requests')).toEqual({ http: 2, calls: { getHealth: 2, getSlot: 2 } });
});
