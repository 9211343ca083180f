import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { stopChildren } from '../../../terminal/child-process.ts';
import { GATEKEEPER_NETWORKS } from '../../../tools/localnet/oauth/partners.ts';
import { SOLANA_GATEKEEPERS } from '../../../tools/localnet/solana/gatekeepers.ts';
import { startSolanaNode } from '../../../tools/localnet/solana/start-node.ts';
import type { Node } from '../../../tools/localnet/state/node.ts';
import { findFreePort } from '../../../tools/localnet/state/ports.ts';
import { callNode } from '../../call-node.ts';
import { LONG } from '../../form.ts';
import type { Fault } from '../fault-proxy.ts';
import { randomFrom } from '../faults/random.ts';
import { alterAnswers } from './faulty-endpoints.ts';
import { createSolanaTokens, readWithProtocolClient } from './mixed-solana-tokens.ts';
import { type RecordingProxy, startRecordingProxy } from './recording-proxy.ts';
import { runTakeover } from './run-takeover.ts';
import { readTexts, textOf, textsIn } from './scanned-tokens.ts';

/** `npm run takeover -- scan` on Solana, with a local node. */

/** One gatekeeper network has about four fifths of the tokens. */
const COUNT = LONG ? 12_500 : 300;
const [TEST_NETWORK = '', KEYED_NETWORK = ''] = GATEKEEPER_NETWORKS;
const folder = mkdtempSync(join(tmpdir(), 'gatepass-takeover-'));
const proxies: RecordingProxy[] = [];
let node: Node;
let expected: readonly string[];

beforeAll(async () => {
  node = await startSolanaNode({ network: 'devnet', port: await findFreePort() }, { slotMs: 50 });
  await createSolanaTokens(node.rpcUrl, [KEYED_NETWORK, TEST_NETWORK], COUNT, randomFrom(3));
  const read = await readWithProtocolClient(node.rpcUrl, 'devnet', KEYED_NETWORK);
  expected = read.map(textOf).toSorted();
}, 600_000);

afterEach(() => callNode(node.rpcUrl, 'localnet_heal', []));

afterAll(async () => {
  for (const proxy of proxies) proxy.stop();
  await stopChildren();
  rmSync(folder, { recursive: true });
});

async function startProxy(fault?: Fault): Promise<RecordingProxy> {
  const proxy = await startRecordingProxy(node.rpcUrl, fault);
  proxies.push(proxy);
  return proxy;
}
const read = (url: string, gatekeepers: readonly string[] = []) =>
  readTexts(['solana', 'devnet'], KEYED_NETWORK, [url], { gatekeepers });
const refuseNext = (times: number) => {
  const error = { code: -32_010, message: 'excluded from account secondary indexes' };
  return callNode(node.rpcUrl, 'localnet_fail', [{ method: 'getProgramAccounts', times, how: { error } }]);
};
const format = (number: number) => number.toLocaleString('en-US');

it(`the scan reads the tokens among ${COUNT} in random states as the protocol's own client does`, async () => {
  const out = join(folder, 'tokens.csv');
  const { url, requests } = await startProxy();
  const args = ['--gatekeeper-network', KEYED_NETWORK, '--network', 'devnet', '--out', out, '--rpc', `devnet=${url}`];
  const started = performance.now();
  const { code, lines, peakMegabytes } = await runTakeover(['scan', ...args]);
  const seconds = (performance.now() - started) / 1_000;
  expect(code, lines.join('\n')).toBe(0);
  expect(expected.length).toBeGreaterThan(COUNT / 2);
  expect(await textsIn(out)).toEqual(expected);
  console.log(
    `${expected.length} tokens on Solana: ${seconds.toFixed(1)} s, ${requests.length} requests, ${peakMegabytes} MB`,
  );
  expect(requests.length / expected.length).toBeLessThan(0.05);
  const count = (pattern: RegExp) => format(expected.filter((text) => pattern.test(text)).length);
  expect(lines).toContain(
    `  states: ${count(/,ACTIVE,/)} ACTIVE, ${count(/,FROZEN,/)} FROZEN, ${count(/,REVOKED,/)} REVOKED`,
  );
  expect(lines).toContain(`  expired: ${count(/,16\d{8},/)}`);
  expect(lines.at(-1)).toBe(`${out} has ${format(expected.length)} tokens`);
  expect(readdirSync(folder)).toEqual(['tokens.csv']);
});

describe('a provider that refuses to list all tokens', () => {
  it('is asked for the wallets by their first byte', async () => {
    await refuseNext(1);
    expect(await read(node.rpcUrl)).toEqual(expected);
  });

  it('is asked by gatekeeper if it refuses that too', async () => {
    await refuseNext(9);
    expect(await read(node.rpcUrl, SOLANA_GATEKEEPERS)).toEqual(expected);
    await refuseNext(9);
    const [first = ''] = SOLANA_GATEKEEPERS;
    expect(await read(node.rpcUrl, [first])).toEqual(expected.filter((text) => text.split(',')[5] === first));
  });

  it('is asked for the wallets of a gatekeeper by their first byte if it refuses that query', async () => {
    await refuseNext(10);
    expect(await read(node.rpcUrl, SOLANA_GATEKEEPERS)).toEqual(expected);
  });

  it('ends the scan with one line that names --gatekeeper if no gatekeeper is known', async () => {
    await refuseNext(9);
    await expect(read(node.rpcUrl)).rejects.toThrow(/^devnet: the provider refuses .* --gatekeeper ADDRESS$/);
  });

  it('ends the scan if it refuses every query', async () => {
    await refuseNext(10_000);
    await expect(read(node.rpcUrl, SOLANA_GATEKEEPERS)).rejects.toThrow(/^devnet: the provider refuses to list/);
  });

  it('makes the summary say which tokens are missing', async () => {
    await refuseNext(9);
    const out = join(folder, 'by-gatekeeper.csv');
    const args = ['--gatekeeper-network', KEYED_NETWORK, '--network', 'devnet', '--rpc', `devnet=${node.rpcUrl}`];
    const [first = ''] = SOLANA_GATEKEEPERS;
    const { code, lines } = await runTakeover(['scan', ...args, '--out', out, '--gatekeeper', first]);
    expect(code, lines.join('\n')).toBe(0);
    expect(lines).toContain(`  INCOMPLETE: the scan lacks tokens of gatekeepers other than ${first}`);
    expect(await textsIn(out)).toEqual(expected.filter((text) => text.split(',')[5] === first));
  });
});

it('an outage does not lead to queries that may miss tokens', async () => {
  const { url } = await startProxy(
    alterAnswers(({ method }, answer) => {
      if (method === 'getProgramAccounts') throw new Error('offline');
      return answer;
    }),
  );
  await expect(read(url, SOLANA_GATEKEEPERS)).rejects.toThrow(/^devnet: no endpoint answered: no connection/);
});

describe('a lying or lagging node', () => {
  interface Listed {
    readonly pubkey: string;
    readonly account: { readonly owner: string; readonly data: readonly [string, string] };
  }
  const alterList = (alter: (value: readonly Listed[], slot: number) => object) =>
    alterAnswers(({ method }, answer) => {
      const { context, value } = Object(answer.result) as { context: { slot: number }; value: Listed[] };
      return method === 'getProgramAccounts' && value.length > 0
        ? { result: { context, value, ...alter(value, context.slot) } }
        : answer;
    });
  const alterFirst = (alter: (listed: Listed) => Listed) =>
    alterList(([first, ...others]) => ({ value: [alter(first as Listed), ...others] }));
  const otherNetwork = Buffer.alloc(109).toString('base64');

  it.each([
    [
      'lists an account of another program',
      alterFirst((it) => ({ ...it, account: { ...it.account, owner: '1'.repeat(32) } })),
      /is not a token of the query/,
    ],
    [
      'lists an account with other data',
      alterFirst((it) => ({ ...it, account: { ...it.account, data: [otherNetwork, 'base64'] } })),
      /is not a token of the query/,
    ],
    ['lists an invalid address', alterFirst((it) => ({ ...it, pubkey: 'x' })), /is not a token of the query/],
    ['repeats an account', alterList((value) => ({ value: [...value, value[0]] })), /the node repeats an account/],
    ['answers without a slot', alterList(() => ({ context: {} })), /the list of accounts cannot be read/],
  ])('that %s ends the scan', async (_, fault, message) => {
    const { url } = await startProxy(fault);
    await expect(read(url, SOLANA_GATEKEEPERS)).rejects.toThrow(message);
  });

  it('of another cluster ends the scan at once', async () => {
    const { url, requests } = await startProxy(
      alterAnswers(({ method }, answer) =>
        method === 'getGenesisHash' ? { result: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' } : answer,
      ),
    );
    await expect(read(url)).rejects.toThrow(/it serves another chain/);
    expect(requests).toHaveLength(1);
  });

  it('without the program ends the scan', async () => {
    const fault = alterAnswers(({ method }, answer) =>
      method === 'getMultipleAccounts' ? { result: { ...Object(answer.result), value: [null] } } : answer,
    );
    await expect(read((await startProxy(fault)).url)).rejects.toThrow(/no program exists at gatem74/);
  });
});
