import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkVerdictKeys } from '../../../ops/doctor/verdict-keys.ts';
import { aConfig } from '../config/environments.ts';

/** The doctor's check of the verdict key and of the contracts that trust it. */

const KEY = '0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
const ADDRESS = '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23';
const OTHER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const CONTRACT = '0xbD2aAF5cbB58AB5Cd6aAB72Fa1BA2FBB0Fb0E1C4';
const NOW = Math.floor(Date.now() / 1000);

/** The list of the service, and the keys that the contract trusts, in lower case. */
let listed: unknown;
let trusted: readonly string[] = [];
/** A service and a node in one. */
const server = createServer(async (request, response) => {
  if (request.method === 'GET') return response.end(JSON.stringify({ keys: listed }));
  let text = '';
  for await (const part of request) text += part;
  type Call = { readonly id: number; readonly method: string; readonly params: readonly { readonly data?: string }[] };
  const answers = (JSON.parse(text) as Call[]).map(({ id, method, params }) => {
    const key = `0x${params[0]?.data?.slice(-40)}`;
    const results: Record<string, string> = {
      eth_chainId: '0xaa36a7',
      eth_getCode: '0x60',
      eth_call: `0x${(trusted.includes(key) ? '1' : '0').padStart(64, '0')}`,
    };
    return { jsonrpc: '2.0', id, result: results[method] };
  });
  return response.setHeader('content-type', 'application/json').end(JSON.stringify(answers));
});
let url = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

async function findingsOf(secrets: object, contracts: Record<string, typeof CONTRACT> = {}) {
  const config = aConfig({ ...secrets, RPC_ENDPOINTS: JSON.stringify({ sepolia: [url] }) });
  const found = await checkVerdictKeys({ url, verdictContracts: contracts }, config);
  return found.map(({ name, verdict }) => [name, verdict.type, 'why' in verdict ? verdict.why : verdict.note]);
}

it.each([
  ['no key, and never one', {}, [], []],
  [
    'a key that signs',
    { VERDICT_KEY: KEY },
    [{ address: ADDRESS, from: 1 }],
    ['ok', `the service signs with ${ADDRESS}`],
  ],
  ['a key that no file has', {}, [{ address: ADDRESS, from: 1 }], ['ok', `the service signs with ${ADDRESS}`]],
  ['only ended keys', {}, [{ address: ADDRESS, from: 1, until: 2 }], ['ok', 'the service signs no verdicts']],
  [
    'a key that has ended',
    { VERDICT_KEY: KEY },
    [
      { address: ADDRESS, from: 1, until: 2 },
      { address: OTHER, from: 2 },
    ],
    ['failed', `VERDICT_KEY is ${ADDRESS}, which has ended, and the service signs with ${OTHER}`],
  ],
  [
    'a key that the list lacks',
    { VERDICT_KEY: KEY },
    [],
    ['failed', `VERDICT_KEY is ${ADDRESS}, which the public list lacks, and the service signs nothing`],
  ],
])('judges %s', async (_, secrets, keys, finding) => {
  listed = keys;
  expect(await findingsOf(secrets)).toEqual(finding.length === 0 ? [] : [['verdict key', ...finding]]);
});

it('does not take another answer for a list', async () => {
  listed = undefined;
  expect(await findingsOf({ VERDICT_KEY: KEY })).toEqual([
    ['verdict key', 'skipped', 'the service does not show its verdict keys'],
  ]);
});

it.each([
  ['the key', [ADDRESS], ['ok', `it trusts ${ADDRESS}`]],
  ['no key', [], ['failed', `it does not trust ${ADDRESS}, so it refuses every verdict`]],
  ['a key whose last verdicts may still count', [ADDRESS, OTHER], ['ok', `it trusts ${ADDRESS}`], NOW - 500],
  ['a key that has ended', [ADDRESS, OTHER], ['failed', `it still trusts ${OTHER}, which has ended`], NOW - 700],
] as const)('judges a contract that trusts %s', async (_, keys, finding, until = NOW - 1) => {
  listed = [
    { address: OTHER, from: 1, until },
    { address: ADDRESS, from: until },
  ];
  trusted = keys.map((key) => key.toLowerCase());
  const [, contract] = await findingsOf({ VERDICT_KEY: KEY }, { sepolia: CONTRACT });
  expect(contract).toEqual([`sepolia, verdicts ${CONTRACT}`, ...finding]);
});
