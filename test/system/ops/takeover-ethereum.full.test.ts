import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stopChildren } from '../../../terminal/child-process.ts';
import { startEthereumNode } from '../../../tools/localnet/ethereum/start-node.ts';
import { GATEKEEPER_NETWORKS } from '../../../tools/localnet/oauth/partners.ts';
import type { Node } from '../../../tools/localnet/state/node.ts';
import { findFreePort } from '../../../tools/localnet/state/ports.ts';
import { LONG } from '../../form.ts';
import type { Fault } from '../fault-proxy.ts';
import { randomFrom } from '../faults/random.ts';
import type { RpcCall } from '../json-rpc.ts';
import { pollUntil } from '../poll-until.ts';
import { limitRanges, rangeOf } from './faulty-endpoints.ts';
import { MixedTokens, readWithProtocolClient } from './mixed-ethereum-tokens.ts';
import { type RecordingProxy, startRecordingProxy } from './recording-proxy.ts';
import { runTakeover, startTakeover } from './run-takeover.ts';
import { readTexts, textOf, textsIn } from './scanned-tokens.ts';

/** `npm run takeover -- scan` on an Ethereum-type network: a real node with the real contract. */

/** One gatekeeper network has about four fifths of the tokens. */
const COUNT = LONG ? 12_500 : 300;
const KILLS = LONG ? 20 : 2;
const [, KEYED_NETWORK = ''] = GATEKEEPER_NETWORKS;
const random = randomFrom(7);

const folder = mkdtempSync(join(tmpdir(), 'gatepass-takeover-'));
const proxies: RecordingProxy[] = [];
let node: Node;
/** The tokens of the gatekeeper network as the protocol's own client reads them. */
let expected: readonly string[];

beforeAll(async () => {
  node = await startEthereumNode(11_155_111, { network: 'sepolia', port: await findFreePort() });
  const tokens = new MixedTokens(node.rpcUrl, random);
  await tokens.create(COUNT, LONG ? 300 : 6);
  const read = await readWithProtocolClient(node.rpcUrl, 'sepolia', KEYED_NETWORK, tokens.wallets);
  expected = read.map(textOf).toSorted();
}, 600_000);

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

const scanArgs = (out: string, url: string, ...more: readonly string[]) => [
  ...['scan', '--gatekeeper-network', KEYED_NETWORK, '--network', 'sepolia'],
  ...['--out', out, '--rpc', `sepolia=${url}`, ...more],
];
const hasRange = (calls: readonly RpcCall[]) => calls.some((call) => rangeOf(call) !== undefined);
const format = (number: number) => number.toLocaleString('en-US');

it(`the scan reads the tokens among ${COUNT} in random states as the protocol's own client does`, async () => {
  const out = join(folder, 'whole.csv');
  const proxy = await startProxy();
  const started = performance.now();
  const { code, lines, peakMegabytes } = await runTakeover(scanArgs(out, proxy.url));
  const seconds = (performance.now() - started) / 1_000;
  expect(code, lines.join('\n')).toBe(0);
  expect(expected.length).toBeGreaterThan(COUNT / 2);
  expect(await textsIn(out)).toEqual(expected);
  const ranges = proxy.requests.filter(hasRange).length;
  const requests = proxy.requests.length - ranges;
  const figures = `${seconds.toFixed(1)} s, ${requests} requests, ${ranges} more for ranges, ${peakMegabytes} MB`;
  console.log(`${expected.length} tokens on Ethereum: ${figures}`);
  expect(requests / expected.length).toBeLessThan(0.05);
  expect(seconds).toBeLessThan(60);

  const count = (pattern: RegExp) => format(expected.filter((text) => pattern.test(text)).length);
  expect(lines).toContain(
    `  states: ${count(/,ACTIVE,/)} ACTIVE, ${count(/,FROZEN,/)} FROZEN, ${count(/,REVOKED,/)} REVOKED`,
  );
  expect(lines).toContain(`  expired: ${count(/,16\d{8},/)}`);
  expect(lines.filter((line) => /^ {2}issued by 0x\w{40}: /.test(line))).toHaveLength(4);
  const byWallet = Object.values(Object.groupBy(expected, (text) => text.split(',')[2] ?? ''));
  const several = byWallet.filter((texts) => (texts?.length ?? 0) > 1);
  expect(several.length).toBeGreaterThan(3);
  expect(lines).toContain(
    `  wallets with several tokens: ${format(several.length)}, with ${format(several.flat().length)} tokens`,
  );
  expect(lines.at(-1)).toBe(`${out} has ${format(expected.length)} tokens`);
  expect(readdirSync(folder)).toEqual(['whole.csv']);

  const again = await runTakeover(scanArgs(out, node.rpcUrl));
  expect([again.code, again.lines]).toEqual([2, [`${out} exists: name a new file with --out`]]);
});

it('a scan by index reads the same tokens, without log queries', async () => {
  const { url, requests } = await startProxy();
  expect(await readTexts(['ethereum', 'sepolia'], KEYED_NETWORK, [url], { byIndex: true })).toEqual(expected);
  expect(requests.filter(hasRange)).toEqual([]);
});

const SLOW_MAX_BLOCKS = 3;

/** A provider that is slow and limits its ranges, so that a scan writes several checkpoints. */
const slowly: Fault = async (request, forwarding) => {
  await sleep(80);
  return limitRanges((blocks) => (blocks > SLOW_MAX_BLOCKS ? 'block range is too wide' : undefined))(
    request,
    forwarding,
  );
};

const MODES = [
  ['logs', []],
  ['index', ['--by-index']],
] as const;

it.each(LONG ? MODES : MODES.slice(0, 1))(
  'a scan by %s that is killed at random moments continues, and writes the same file as one that is not',
  async (name, mode) => {
    const whole = join(folder, mode.length === 0 ? 'whole.csv' : `whole-by-${name}.csv`);
    if (mode.length > 0) expect((await runTakeover(scanArgs(whole, node.rpcUrl, ...mode))).code).toBe(0);
    const out = join(folder, `resumed-by-${name}.csv`);
    const slow = await startProxy(slowly);
    let code: number | undefined;
    let [kills, continued] = [0, 0];
    for (; code === undefined; kills += 1) {
      const continues = existsSync(`${out}.checkpoint`);
      const { child, lines } = await startTakeover(scanArgs(out, slow.url, ...mode));
      const end = kills < KILLS ? slow.requests.length + 25 + random.below(15) : Number.POSITIVE_INFINITY;
      let hasEnded = false;
      child.ended.then(() => {
        hasEnded = true;
      });
      await pollUntil(
        async () => hasEnded || slow.requests.length >= end,
        (isOver) => isOver,
        300_000,
      );
      if (!hasEnded) process.kill(child.pid, 'SIGKILL');
      code = await child.ended;
      expect([undefined, 0], lines.join('\n')).toContain(code);
      // The two outputs may arrive in any order.
      if (continues) expect(lines).toContain(`continues the scan in ${out}`);
      if (continues) continued += 1;
    }
    expect(kills).toBeGreaterThan(2);
    expect(continued).toBeGreaterThan(kills / 2);
    expect(readFileSync(out, 'utf8')).toBe(readFileSync(whole, 'utf8'));
    expect(existsSync(`${out}.checkpoint`)).toBe(false);
    // A run that is killed before its first checkpoint starts again. The others do not.
    const starts = slow.requests.filter((calls) => calls.some(isFirstRange)).length;
    expect(starts).toBeLessThan(kills);
  },
  600_000,
);

/** Whether the call is the query of the first blocks that the slow provider accepts. */
function isFirstRange(call: RpcCall): boolean {
  const { fromBlock } = Object(call.params[0]) as { fromBlock?: string };
  return fromBlock === '0x0' && (rangeOf(call) ?? 0) <= SLOW_MAX_BLOCKS;
}
