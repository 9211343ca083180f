import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as chains from 'viem/chains';
import { afterEach, expect, it } from 'vitest';
import { lineOf, ok } from '../../../ops/doctor/check.ts';
import { checkEndpoint } from '../../../ops/doctor/endpoint.ts';
import { checkFunds } from '../../../ops/doctor/funds.ts';
import { checkService } from '../../../ops/doctor/service.ts';
import { RpcFault } from '../../../src/chain/port.ts';
import { secret } from '../../../src/lib/secret.ts';
import type { Network } from '../../../src/network/network.ts';
import { NETWORKS } from '../../../src/network/networks.ts';

/** How `npm run doctor` reports invalid answers. */

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.each([
  ['a page of another server', (chunk: () => boolean) => void chunk(), true],
  [
    'an endless answer',
    (chunk: () => boolean) => {
      while (chunk());
    },
    false,
  ],
])('reports that %s is not an answer of Gatepass', async (_, write, ends) => {
  const url = await serve((_request, response) => {
    const chunk = () => !response.destroyed && response.write('<p>Welcome</p>'.repeat(1000));
    response.on('drain', () => write(chunk));
    write(chunk);
    if (ends) response.end();
  });
  const before = process.memoryUsage().rss;
  const lines = (await checkService(url, undefined, true)).map(lineOf);
  expect(lines.map((line) => line.split(' -> ')[0])).toEqual([
    `FAIL  service: ${url}/health answers 200, but not as Gatepass does`,
    'FAIL  service, issuer: /.well-known/oauth-protected-resource answers 200, but not as Gatepass does',
    'FAIL  service, without a token: it answers 200 instead of 401',
  ]);
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
});

it('names the variables of a service that is not configured, and nothing that would control the terminal', async () => {
  const names = ['/TOKEN_ISSUER', '/\u001b[2J'].map((pointer) => ({ pointer, detail: 'is missing' }));
  const url = await serve((_request, response) => {
    response.statusCode = 503;
    response.end(JSON.stringify({ code: 'not_configured', errors: names }));
  });
  const [line = ''] = (await checkService(url, undefined, true)).map(lineOf);
  expect(line).toMatch(
    /^FAIL {2}service: it is not configured: TOKEN_ISSUER, .*\[2J are missing or wrong -> correct them/,
  );
  expect(line).not.toContain('\u001b');
});

it.each([
  ['a block without a time', () => ({ newest: Number.NaN }), /^FAIL {2}x: its newest block has no time -> /],
  [
    'an unexpected value',
    () => Promise.reject(new TypeError('planted7f3a')),
    /^FAIL {2}x: its answers are not those of a node \(TypeError\) -> /,
  ],
  [
    'no connection',
    () => Promise.reject(new RpcFault('no endpoint answered: no connection', ['no-connection'])),
    /^FAIL {2}x: no connection -> check its URL/,
  ],
])('fails an endpoint when the probe gets %s', async (_, probe, line) => {
  const network = NETWORKS[0] as Network;
  const identity = { call: { method: 'eth_chainId', params: [] }, isOurChain: () => true, errors: [] };
  const verdict = await checkEndpoint(network, identity, secret('http://planted7f3a'), async () => probe());
  expect(lineOf({ name: 'x', verdict })).toMatch(line);
});

it('accepts an issuance that costs nothing', async () => {
  const chain = { readFunds: async () => 5n, formatAmount: (smallest: bigint) => `${smallest} wei` };
  const signer = { network: { network: 'sepolia' }, gatekeeper: { address: '0x' } };
  const verdict = await checkFunds(chain as never, signer as never, 0n);
  expect(verdict).toEqual(ok('5 wei; an issuance currently costs nothing'));
});

it('counts the passes that the funds can pay for at the maximum cost', async () => {
  const chain = { readFunds: async () => 50n, formatAmount: (smallest: bigint) => `${smallest} wei` };
  const signer = { network: { network: 'sepolia' }, gatekeeper: { address: '0x' } };
  const lasts = checkFunds(chain as never, signer as never, 5n);
  expect(await lasts).toEqual(ok('50 wei, enough for 10 passes at 5 wei each, their current maximum cost'));
});

it('includes the L1 data fee on every network that viem lists as an OP stack chain', () => {
  const known = Object.values(chains).filter((chain) => 'gasPriceOracle' in (chain.contracts ?? {}));
  const ids = new Set<number>(known.map(({ id }) => id));
  const among = NETWORKS.flatMap((network) =>
    network.chain === 'ethereum' && ids.has(network.chainId) ? network : [],
  );
  expect(among.filter(({ maxL1Fee }) => maxL1Fee === undefined)).toEqual([]);
  expect(among).toHaveLength(6);
});
