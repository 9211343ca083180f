import { encodeErrorResult, parseAbi } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { slotData, tokenData } from '../../../src/chain/ethereum/gateway.ts';
import { stopChildren } from '../../../terminal/child-process.ts';
import { startEthereumNode } from '../../../tools/localnet/ethereum/start-node.ts';
import { GATEKEEPER_NETWORKS } from '../../../tools/localnet/oauth/partners.ts';
import type { Node } from '../../../tools/localnet/state/node.ts';
import { findFreePort } from '../../../tools/localnet/state/ports.ts';
import type { Fault } from '../fault-proxy.ts';
import { randomFrom } from '../faults/random.ts';
import type { RpcCall } from '../json-rpc.ts';
import { alterAnswers, alterLogs, BEHIND, limitRanges, rangeOf, type WireLog } from './faulty-endpoints.ts';
import { MixedTokens, readWithProtocolClient } from './mixed-ethereum-tokens.ts';
import { type RecordingProxy, startRecordingProxy } from './recording-proxy.ts';
import { readTexts, textOf } from './scanned-tokens.ts';

/** The reader of Ethereum-type tokens with providers that limit log queries, and with nodes that lie or lag. */

const [, KEYED_NETWORK = ''] = GATEKEEPER_NETWORKS;
const proxies: RecordingProxy[] = [];
let node: Node;
let tokens: MixedTokens;
let expected: readonly string[];

beforeAll(async () => {
  node = await startEthereumNode(11_155_111, { network: 'sepolia', port: await findFreePort() });
  tokens = new MixedTokens(node.rpcUrl, randomFrom(11));
  await tokens.create(60, 2);
  const read = await readWithProtocolClient(node.rpcUrl, 'sepolia', KEYED_NETWORK, tokens.wallets);
  expected = read.map(textOf).toSorted();
});

afterAll(async () => {
  for (const proxy of proxies) proxy.stop();
  await stopChildren();
});

async function startProxy(fault: Fault): Promise<RecordingProxy> {
  const proxy = await startRecordingProxy(node.rpcUrl, fault);
  proxies.push(proxy);
  return proxy;
}
const read = (urls: readonly string[], byIndex = false) =>
  readTexts(['ethereum', 'sepolia'], KEYED_NETWORK, urls, { byIndex });
const readThrough = async (fault: Fault) => read([(await startProxy(fault)).url]);
const rangesIn = (requests: readonly (readonly RpcCall[])[]) =>
  requests.flatMap((calls) => calls.map(rangeOf).find((blocks) => blocks !== undefined) ?? []);

describe('a provider that limits log queries', () => {
  it.each([
    ['blocks', -32_600, (blocks: number) => (blocks > 7 ? 'block range is too wide' : undefined)],
    ['results', -32_005, (blocks: number) => (blocks > 16 ? 'query returned more than 10000 results' : undefined)],
    ['bytes', -32_602, (blocks: number) => (blocks > 3 ? 'Log response size exceeded.' : undefined)],
    ['time', -32_000, (blocks: number) => (blocks > 20 ? 'query timeout exceeded' : undefined)],
  ] as const)('is asked for ranges within its limit of %s', async (_, code, refuse) => {
    const { url, requests } = await startProxy(limitRanges(refuse, code));
    expect(await read([url])).toEqual(expected);
    const ranges = rangesIn(requests);
    const accepted = ranges.filter((blocks) => refuse(blocks) === undefined);
    expect(accepted.length).toBeGreaterThan(3);
    // After the first refusals, few queries exceed the limit.
    expect(ranges.length).toBeLessThan(1.2 * accepted.length + 14);
  });

  it('ends the scan with one line that names --by-index if it refuses every range', async () => {
    await expect(readThrough(limitRanges(() => 'upgrade your plan'))).rejects.toThrow(
      /^sepolia: the logs of block 0 cannot be read \(.*upgrade your plan\): use another provider, or .* --by-index$/,
    );
  });

  it('ends the scan at once if it offers no logs', async () => {
    const { url, requests } = await startProxy(limitRanges(() => 'the method eth_getLogs is not available'));
    await expect(read([url])).rejects.toThrow(/--by-index$/);
    expect(rangesIn(requests)).toHaveLength(1);
    expect(await read([url], true)).toEqual(expected);
  });
});

describe('a node that lies about logs', () => {
  it('once does not change the scan, because a second endpoint disagrees', async () => {
    let lies = 1;
    const { url } = await startProxy(alterLogs((logs) => (lies-- > 0 ? logs.slice(1) : logs)));
    expect(await read([url, node.rpcUrl])).toEqual(expected);
  });

  it('again and again ends the scan, because a second endpoint disagrees', async () => {
    const { url } = await startProxy(alterLogs((logs) => logs.slice(1)));
    await expect(read([node.rpcUrl, url])).rejects.toThrow(/the endpoints disagree/);
  });

  const first = (alter: (log: WireLog) => WireLog) =>
    alterLogs(([log, ...others]) => [alter(log as WireLog), ...others]);
  it.each([
    ['another slot', first((log) => ({ ...log, topics: log.topics.with(3, `0x${'7'.repeat(64)}`) }))],
    ['another contract', first((log) => ({ ...log, address: `0x${'7'.repeat(40)}` }))],
    ['another block', first((log) => ({ ...log, blockNumber: '0xffffff' }))],
    ['a block that left the chain', first((log) => ({ ...log, removed: true }))],
    ['three topics', first((log) => ({ ...log, topics: log.topics.slice(0, 3) }))],
  ])('and returns one of %s ends the scan', async (_, fault) => {
    await expect(readThrough(fault)).rejects.toThrow(/a log does not belong to the query/);
  });

  it('and repeats one ends the scan', async () => {
    await expect(readThrough(alterLogs((logs) => [...logs, logs.at(-1)]))).rejects.toThrow(/the logs repeat a token/);
  });

  it('and omits that of a burned token ends the scan', async () => {
    const isBurn = ({ topics }: WireLog) => /^0x0+$/.test(topics[3] ?? '');
    await expect(readThrough(alterLogs((logs) => logs.filter((log) => !isBurn(log))))).rejects.toThrow(
      /the logs show 0 burned tokens, and the contract does not know \d+\. Delete the file/,
    );
  });
});

describe('a node that is behind', () => {
  it('by an hour ends the scan', async () => {
    await expect(readThrough(BEHIND)).rejects.toThrow(/the newest block is 3\d\d\d seconds old/);
  });

  it('and lacks the last block of a range ends the scan', async () => {
    const isNumber = (at: unknown) => /^0x/.test(String(at));
    const fault = alterAnswers(({ method, params: [at] }, answer) =>
      method === 'eth_getBlockByNumber' && isNumber(at) ? { result: null } : answer,
    );
    await expect(readThrough(fault)).rejects.toThrow(/the node does not have block \d+/);
  });

  it('for one request does not change the scan', async () => {
    let finals = 0;
    const fault = alterAnswers(({ params: [at] }, answer) =>
      at === 'finalized' && ++finals === 2 ? { result: { ...Object(answer.result), number: '0x10' } } : answer,
    );
    expect(await readThrough(fault)).toEqual(expected);
    expect(finals).toBeGreaterThan(2);
  });

  it('and serves another chain ends the scan at once', async () => {
    const { url, requests } = await startProxy(
      alterAnswers(({ method }, answer) => (method === 'eth_chainId' ? { result: '0x1' } : answer)),
    );
    await expect(read([url])).rejects.toThrow(/^sepolia: .*it serves another chain/);
    expect(requests).toHaveLength(1);
  });
});

describe('a node that lies about tokens', () => {
  const unknownToken = encodeErrorResult({
    abi: parseAbi(['error Error(string)']),
    args: ['ERC3525: invalid token ID'],
  });
  const livingToken = () => BigInt(expected[0]?.split(',').at(-1) ?? '');
  const isCall = (call: RpcCall, data: string) => (Object(call.params[0]) as { data?: string }).data === data;
  const burned = { error: { code: 3, message: 'execution reverted', data: unknownToken } };

  it.each([false, true])('and hides one as if it was burned ends the scan (by index: %s)', async (byIndex) => {
    const data = [tokenData(livingToken()), slotData(livingToken())];
    const hide = alterAnswers((call, answer) => (data.some((each) => isCall(call, each)) ? burned : answer));
    const { url } = await startProxy(hide);
    await expect(read([url], byIndex)).rejects.toThrow(byIndex ? /execution reverted/ : /the contract does not know/);
  });

  it.each([
    ['fails to read one', { error: { code: -32_000, message: 'missing trie node' } }, /missing trie node/],
    ['answers with garbage', { result: `0x${'7'.repeat(64)}` }, /the contract's answer cannot be read/],
    ['has no contract', { result: '0x' }, /no contract exists at 0xA0d8/],
  ])('and %s ends the scan', async (_, lie, message) => {
    const data = tokenData(livingToken());
    await expect(readThrough(alterAnswers((call, answer) => (isCall(call, data) ? lie : answer)))).rejects.toThrow(
      message,
    );
  });

  it('and names another slot of a token ends the scan', async () => {
    const data = slotData(livingToken());
    const lie = { result: `0x${'1'.padStart(64, '0')}` };
    await expect(readThrough(alterAnswers((call, answer) => (isCall(call, data) ? lie : answer)))).rejects.toThrow(
      /belongs to another gatekeeper network/,
    );
  });
});

it('a node that omits the data of reverts does not change the scan', async () => {
  const omitData = alterAnswers((_, answer) => {
    const { code, message } = Object(answer.error) as { code?: number; message?: string };
    return code === 3 ? { error: { code, message: message ?? '' } } : answer;
  });
  expect(await readThrough(omitData)).toEqual(expected);
});

it('a token that is burned during the scan is not in the scan', async () => {
  const id = expected[1]?.split(',').at(-1) ?? '';
  let isBurned = false;
  const { url } = await startProxy(async (request, forwarding) => {
    const answer = await alterAnswers((_, each) => each)(request, forwarding);
    if (request.body.includes('eth_getLogs') && !isBurned) {
      isBurned = true;
      await tokens.burn([BigInt(id)]);
      await tokens.makeFinal();
    }
    return answer;
  });
  const left = expected.filter((text) => !text.endsWith(`,${id}`));
  expect(await read([url])).toEqual(left);
  expect(await read([node.rpcUrl], true)).toEqual(left);
});
