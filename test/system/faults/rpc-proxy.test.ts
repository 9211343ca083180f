import { base58 } from '@scure/base';
import { numberToHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { stopChildren } from '../../../terminal/child-process.ts';
import { GATEKEEPER_KEYS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { startEthereumNode } from '../../../tools/localnet/ethereum/start-node.ts';
import { startSolanaNode } from '../../../tools/localnet/solana/start-node.ts';
import type { Node } from '../../../tools/localnet/state/node.ts';
import { findFreePort } from '../../../tools/localnet/state/ports.ts';
import { callNode } from '../../call-node.ts';
import { ETHEREUM_LIES } from '../../lies/ethereum-lies.ts';
import type { RpcAnswer, RpcCall } from '../json-rpc.ts';
import type { RpcFault } from './rpc-fault.ts';
import { type RpcProxy, startRpcProxy } from './rpc-proxy.ts';

const SEPOLIA = 11_155_111;
const BASE_SEPOLIA = 84_532;
const UNKNOWN_SIGNATURE = base58.encode(new Uint8Array(64).fill(3));

let sepolia: Node;
let baseSepolia: Node;
let devnet: Node;
let onSepolia: RpcProxy;
let onDevnet: RpcProxy;
let fault: RpcFault | undefined;

beforeAll(async () => {
  [sepolia, baseSepolia, devnet] = await Promise.all([
    startEthereumNode(SEPOLIA, { network: 'sepolia', port: await findFreePort() }),
    startEthereumNode(BASE_SEPOLIA, { network: 'baseSepolia', port: await findFreePort() }),
    startSolanaNode({ network: 'devnet', port: await findFreePort() }),
  ]);
  const once = () => {
    const next = fault;
    fault = undefined;
    return next;
  };
  onSepolia = await startRpcProxy({ chain: 'ethereum', node: sepolia.rpcUrl, otherChain: baseSepolia.rpcUrl }, once);
  onDevnet = await startRpcProxy({ chain: 'solana', node: devnet.rpcUrl }, once);
});

afterAll(async () => {
  await Promise.all([onSepolia.stop(), onDevnet.stop()]);
  await stopChildren();
});

type Call = Omit<RpcCall, 'id'>;

const call = (method: string, ...params: unknown[]): Call => ({ method, params });
const CHAIN_ID = call('eth_chainId');
const HEAD = call('eth_blockNumber');

async function post(proxy: RpcProxy, body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(proxy.url, { method: 'POST', headers, body: JSON.stringify(body) });
}

const asBatch = (calls: readonly Call[]) => calls.map((each, id) => ({ jsonrpc: '2.0', id, ...each }));

/** Sends one batch under the fault `befalls`. Resolves to the answers in the order of arrival. */
async function answers(proxy: RpcProxy, befalls: RpcFault | undefined, ...calls: Call[]): Promise<RpcAnswer[]> {
  fault = befalls;
  return (await (await post(proxy, asBatch(calls))).json()) as RpcAnswer[];
}

let nonce = 0;

/** Signs a transaction of the gatekeeper without sending it. */
async function transaction() {
  const to = '0x00000000000000000000000000000000000000aa';
  const gas = { gas: 50_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
  const chainId = SEPOLIA;
  return call(
    'eth_sendRawTransaction',
    await privateKeyToAccount(GATEKEEPER_KEYS[0]).signTransaction({ type: 'eip1559', chainId, nonce, to, ...gas }),
  );
}

const known = (hash: unknown) => callNode<object | null>(sepolia.rpcUrl, 'eth_getTransactionByHash', [hash]);

describe('connection faults', () => {
  it.each<RpcFault>([{ type: 'reset' }, { type: 'hang', ms: 100 }, { type: 'answer-lost' }])(
    'the fault "$type" leaves one request without an answer, and the proxy answers the next request',
    async (befalls) => {
      await expect(answers(onSepolia, befalls, CHAIN_ID)).rejects.toThrow();
      expect(await answers(onSepolia, undefined, CHAIN_ID)).toMatchObject([{ result: numberToHex(SEPOLIA) }]);
      expect(onSepolia.faultCounts.get(befalls.type)).toBe(1);
    },
  );

  it('the fault "offline" refuses connections for the given time', async () => {
    await expect(answers(onSepolia, { type: 'offline', ms: 2_000 }, CHAIN_ID)).rejects.toThrow();
    await expect(post(onSepolia, CHAIN_ID)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    const back = () => post(onSepolia, { jsonrpc: '2.0', id: 1, ...CHAIN_ID }).then(({ status }) => status);
    await expect.poll(() => back().catch(() => 'refused')).toBe(200);
  });
});

describe('answer faults', () => {
  it.each([429, 503])('the fault "http" answers %i without JSON', async (status) => {
    fault = { type: 'http', status };
    const response = await post(onSepolia, asBatch([CHAIN_ID]));
    expect(response.status).toBe(status);
    await expect(response.json()).rejects.toThrow();
  });

  it('the fault "malformed" answers 200 without valid JSON', async () => {
    await expect(answers(onSepolia, { type: 'malformed' }, CHAIN_ID)).rejects.toThrow(SyntaxError);
  });

  it('the fault "echo" quotes the URL of the request on a page, in every answer, or in the answers to sends', async () => {
    const asked = `${onSepolia.url}/v3/the-key-of-acme?and=more`;
    const ask = async (befalls: RpcFault, ...calls: Call[]) => {
      fault = befalls;
      const headers = { 'content-type': 'application/json' };
      return fetch(asked, { method: 'POST', headers, body: JSON.stringify(asBatch(calls)) });
    };
    const page = await ask({ type: 'echo', in: 'page' }, CHAIN_ID);
    expect([page.status, await page.text()]).toEqual([403, expect.stringContaining(asked)]);
    const quoted = { error: { message: expect.stringContaining(asked) } };
    expect(await (await ask({ type: 'echo', in: 'answers' }, CHAIN_ID, HEAD)).json()).toMatchObject([quoted, quoted]);
    const send = await transaction();
    const sends = await ask({ type: 'echo', in: 'sends' }, CHAIN_ID, send);
    expect(await sends.json()).toMatchObject([{ result: numberToHex(SEPOLIA) }, quoted]);
    expect([...onSepolia.requestedPaths]).toContain('/v3/the-key-of-acme?and=more');
    expect([...onSepolia.sentTransactions]).toEqual(send.params);
  });

  it('the fault "out-of-order" reverses the answers of a batch', async () => {
    const got = await answers(onSepolia, { type: 'out-of-order' }, CHAIN_ID, HEAD);
    expect(got.map(({ id }) => id)).toEqual([1, 0]);
    expect(got[1]).toMatchObject({ result: numberToHex(SEPOLIA) });
  });

  it('the fault "incomplete" leaves out the last answer of a batch', async () => {
    expect((await answers(onSepolia, { type: 'incomplete' }, CHAIN_ID, HEAD)).map(({ id }) => id)).toEqual([0]);
  });

  it('the proxy forwards a single call and a batch unchanged without a fault', async () => {
    const single = await post(onSepolia, { jsonrpc: '2.0', id: 'mine', ...CHAIN_ID });
    expect(await single.json()).toEqual({ jsonrpc: '2.0', id: 'mine', result: numberToHex(SEPOLIA) });
    expect((await answers(onSepolia, undefined, CHAIN_ID, HEAD)).map(({ id }) => id)).toEqual([0, 1]);
  });
});

describe('faults of another node', () => {
  it('the fault "wrong-chain" answers with another chain id on Ethereum', async () => {
    const got = await answers(onSepolia, { type: 'wrong-chain' }, CHAIN_ID);
    expect(got).toMatchObject([{ result: numberToHex(BASE_SEPOLIA) }]);
  });

  it('the fault "wrong-chain" answers with another genesis hash and without accounts on Solana', async () => {
    const genesis = call('getGenesisHash');
    const accounts = call('getMultipleAccounts', ['SysvarC1ock11111111111111111111111111111111']);
    const [right] = await answers(onDevnet, undefined, genesis);
    const [hash, none] = await answers(onDevnet, { type: 'wrong-chain' }, genesis, accounts);
    expect(hash?.result).not.toBe(right?.result);
    expect(none).toMatchObject({ result: { value: [null] } });
  });

  it('the fault "lagging" hides the newest blocks on Ethereum', async () => {
    // The transaction must stay among the hidden blocks.
    await callNode(sepolia.rpcUrl, 'evm_setIntervalMining', [0]);
    onTestFinished(async () => void (await callNode(sepolia.rpcUrl, 'evm_setIntervalMining', [1])));
    const send = await transaction();
    nonce += 1;
    const [sent] = await answers(onSepolia, undefined, send);
    await callNode(sepolia.rpcUrl, 'evm_mine', []);
    const receipt = call('eth_getTransactionReceipt', sent?.result);
    const account = privateKeyToAccount(GATEKEEPER_KEYS[0]).address;
    const questions = [HEAD, receipt, call('eth_getTransactionCount', account, 'latest')];
    await expect.poll(async () => (await answers(onSepolia, undefined, receipt))[0]?.result).toBeTruthy();

    const [head, now, count] = await answers(onSepolia, undefined, ...questions);
    const [before, hidden, less] = await answers(onSepolia, { type: 'lagging', blocks: 3 }, ...questions);
    expect(Number(before?.result)).toBeLessThan(Number(head?.result) - 1);
    expect(hidden).toEqual({ jsonrpc: '2.0', id: 1, result: null });
    expect(now?.result).not.toBeNull();
    expect([Number(count?.result), Number(less?.result)]).toEqual([1, 0]);
    const [beyond] = await answers(
      onSepolia,
      { type: 'lagging', blocks: 3 },
      call('eth_getCode', account, head?.result),
    );
    expect(beyond?.error?.message).toBe('header not found');
  });

  it('the fault "lagging" confirms only finalized slots on Solana', async () => {
    const slot = (commitment: string) => call('getLatestBlockhash', { commitment });
    const slotIn = ({ result }: RpcAnswer) => (result as { context: { slot: number } }).context.slot;
    await callNode(devnet.rpcUrl, 'localnet_advance', [40]);
    const [now] = await answers(onDevnet, undefined, slot('confirmed'));
    const [behind] = await answers(onDevnet, { type: 'lagging', blocks: 1 }, slot('confirmed'));
    expect(slotIn(behind as RpcAnswer)).toBeLessThan(slotIn(now as RpcAnswer) - 20);
    const statuses = call('getSignatureStatuses', [UNKNOWN_SIGNATURE]);
    const [unknown] = await answers(onDevnet, { type: 'lagging', blocks: 1 }, statuses);
    expect(unknown).toMatchObject({ result: { value: [null] } });
  });
});

describe('lies', () => {
  const lie = (...names: string[]): RpcFault => ({
    type: 'lie',
    lies: ETHEREUM_LIES.filter(({ name }) => names.includes(name)),
  });

  it('the fault "lie" changes the answers that the lies are about, forwards the other calls, and can swallow sends', async () => {
    const count = call('eth_getTransactionCount', privateKeyToAccount(GATEKEEPER_KEYS[0]).address, 'latest');
    const send = await transaction();
    const lies = lie('latest nonce: too high', 'sends: swallowed');
    const [truth] = await answers(onSepolia, undefined, count);
    const [hash, lied, chainId] = await answers(onSepolia, lies, send, count, CHAIN_ID);
    expect(Number(lied?.result) - Number(truth?.result)).toBe(3);
    expect(chainId).toMatchObject({ id: 2, result: numberToHex(SEPOLIA) });
    expect(await known(hash?.result)).toBeNull();
  });
});

describe('faults of sends', () => {
  it.each(['nonce too low', 'replacement transaction underpriced', 'insufficient funds for gas * price + value'])(
    'the fault "send-refused" refuses a send with "%s", drops it, and answers the other calls',
    async (message) => {
      const send = await transaction();
      const [refused, chainId] = await answers(
        onSepolia,
        { type: 'send-refused', error: { code: -32000, message } },
        send,
        CHAIN_ID,
      );
      expect(refused?.error?.message).toBe(message);
      expect(chainId?.result).toBe(numberToHex(SEPOLIA));
      const [hash] = await answers(onSepolia, { type: 'dropped' }, send);
      expect(await known(hash?.result)).toBeNull();
    },
  );

  it('the fault "dropped" returns a hash and sends nothing, "answer-lost" sends and returns nothing, and "already-known" sends and returns a refusal', async () => {
    const send = await transaction();
    const [dropped] = await answers(onSepolia, { type: 'dropped' }, send);
    expect(await known(dropped?.result)).toBeNull();
    await expect(answers(onSepolia, { type: 'answer-lost' }, send)).rejects.toThrow();
    nonce += 1;
    expect(await known(dropped?.result)).toMatchObject({ hash: dropped?.result });

    const next = await transaction();
    const [passedOn] = await answers(onSepolia, { type: 'already-known' }, next);
    nonce += 1;
    expect(passedOn?.error?.message).toBe('already known');
    const [again] = await answers(onSepolia, { type: 'dropped' }, next);
    expect(await known(again?.result)).toMatchObject({ hash: again?.result });
  });
});
