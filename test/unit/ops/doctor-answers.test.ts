import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as chains from 'viem/chains';
import { afterEach, expect, it } from 'vitest';
import { lineOf, ok } from '../../../ops/doctor/check.ts';
import { endpointVerdict } from '../../../ops/doctor/endpoint.ts';
import { fundsVerdict } from '../../../ops/doctor/funds.ts';
import { OP_STACK } from '../../../ops/doctor/op-stack.ts';
import { serviceFindings } from '../../../ops/doctor/service.ts';
import { rowsFound } from '../../../scripts/wrangler.ts';
import { RpcFault } from '../../../src/chain/port.ts';
import { secret } from '../../../src/lib/secret.ts';
import { NETWORKS, type Network } from '../../../src/network/networks.ts';

/** `npm run doctor` and answers that are none: each is told for what it is. */

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.each([
  ['a page of somebody else', (chunk: () => boolean) => void chunk(), true],
  [
    'an answer without end',
    (chunk: () => boolean) => {
      while (chunk());
    },
    false,
  ],
])('%s is not the service', async (_, write, ends) => {
  const url = await answering((_request, response) => {
    const chunk = () => !response.destroyed && response.write('<p>Welcome</p>'.repeat(1000));
    response.on('drain', () => write(chunk));
    write(chunk);
    if (ends) response.end();
  });
  const before = process.memoryUsage().rss;
  const lines = (await serviceFindings(url, undefined, true)).map(lineOf);
  expect(lines.map((line) => line.split(' -> ')[0])).toEqual([
    `FAIL  service: ${url}/health answers 200, and not as Gatepass does`,
    'FAIL  service, issuer: /.well-known/oauth-protected-resource answers 200, and not as Gatepass does',
    'FAIL  service, without a token: it answers 200 and not 401',
  ]);
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
});

it.each([
  [() => ({ newest: Number.NaN }), /^FAIL {2}x: its newest block has no time -> /],
  [
    () => Promise.reject(new TypeError('planted7f3a')),
    /^FAIL {2}x: it does not answer as a node does \(TypeError\) -> /,
  ],
  [
    () => Promise.reject(new RpcFault('no endpoint answered: no connection')),
    /^FAIL {2}x: no connection -> see that its/,
  ],
])('a node that answers what no node does is of no use (%#)', async (probe, line) => {
  const network = NETWORKS[0] as Network;
  const identity = { call: { method: 'eth_chainId', params: [] }, is: () => true };
  const verdict = await endpointVerdict(network, identity, secret('http://planted7f3a'), async () => probe());
  expect(lineOf({ name: 'x', verdict })).toMatch(line);
});

it('an issuance that costs nothing is no fault', async () => {
  const chain = { funds: async () => 5n, amount: (smallest: bigint) => `${smallest} wei` };
  const signer = { network: { network: 'sepolia' }, gatekeeper: { address: '0x' } };
  const verdict = await fundsVerdict(chain as never, signer as never, 0n);
  expect(verdict).toEqual(ok('5 wei; an issuance costs nothing at the moment'));
});

it('an issuance may cost less than is said, and no more but what is named', async () => {
  const chain = { funds: async () => 50n, amount: (smallest: bigint) => `${smallest} wei` };
  const signer = { network: { network: 'sepolia' }, gatekeeper: { address: '0x' } };
  const lasts = (besides?: string) => fundsVerdict({ ...chain, besides } as never, signer as never, 5n);
  expect(await lasts()).toEqual(ok('50 wei, for 10 passes of 5 wei, the most that is paid for one now'));
  expect(await lasts('a fee')).toMatchObject({ note: expect.stringMatching(/ for one now, without a fee$/) });
});

it('the networks of the OP stack hold those that viem knows as such', () => {
  const known = Object.values(chains).filter((chain) => 'gasPriceOracle' in (chain.contracts ?? {}));
  const ids = new Set<number>(known.map(({ id }) => id));
  const among = NETWORKS.filter((network) => network.chain === 'ethereum' && ids.has(network.chainId));
  expect(among.map(({ network }) => network).filter((network) => !OP_STACK.has(network))).toEqual([]);
  expect(among).toHaveLength(6);
  expect([...OP_STACK].filter((name) => !NETWORKS.some(({ network }) => network === name))).toEqual([]);
});

it('what wrangler says besides is not taken for rows', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-'));
  process.env.WRANGLER_LOG = 'debug';
  try {
    const rows = await rowsFound('SELECT 1 AS a; SELECT 2 AS b', ['DB', '--local', '--persist-to', folder]);
    expect(rows).toEqual([[{ a: 1 }], [{ b: 2 }]]);
  } finally {
    delete process.env.WRANGLER_LOG;
    rmSync(folder, { recursive: true });
  }
});
