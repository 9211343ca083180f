import { afterAll, beforeAll, expect } from 'vitest';
import { NODES } from '../../../tools/localnet/nodes.ts';
import { chainOf } from '../../../tools/localnet/partner/chain-of.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { ETHEREUM_LIES } from '../../lies/ethereum-lies.ts';
import type { Lie } from '../../lies/lie.ts';
import type { RpcFault } from '../faults/rpc-fault.ts';
import { type RpcProxy, startRpcProxy } from '../faults/rpc-proxy.ts';
import { pollUntil } from '../poll-until.ts';
import { Rehearsal } from './rehearsal.ts';
import { rehearse } from './rehearse.ts';

/** Every network has one endpoint, which has the fault of its network. Each rehearsal ends with the node itself as the endpoint. */

const faults: Record<string, RpcFault | undefined> = {};
const proxies: RpcProxy[] = [];
const NO_HISTORY = { code: -32601, message: 'the method is not available on your plan' };
const refusing = (method: string): Lie<never> => ({
  name: `history: no ${method}`,
  answer: (call) => (call.method === method ? { error: NO_HISTORY } : undefined),
});
const lieNamed = (name: string): RpcFault => ({ type: 'lie', lies: ETHEREUM_LIES.filter((lie) => lie.name === name) });

let service: Rehearsal;
beforeAll(async () => {
  service = await Rehearsal.open({
    async rpc(nodes) {
      for (const { network } of NODES) {
        const behind = { chain: chainOf(network), node: nodes[network] ?? '' };
        proxies.push(await startRpcProxy(behind, () => faults[network]));
      }
      return Object.fromEntries(NODES.map(({ network }, index) => [network, proxies[index]?.url ?? '']));
    },
  });
});
afterAll(async () => {
  await service?.close();
  for (const proxy of proxies) proxy.stop();
});

/** Writes the complete `RPC_ENDPOINTS` with these changes into the file of the document. */
function writeEndpoints(changes: Readonly<Record<string, readonly string[] | undefined>>): void {
  service.writeSecrets('endpoints.secrets', {
    RPC_ENDPOINTS: JSON.stringify({ ...JSON.parse(service.endpoints), ...changes }),
  });
}
const nodeOf = (network: string) => service.localnet.facts.rpc[network] ?? '';
const faultyOf = (network: string) => proxies[NODES.findIndex((node) => node.network === network)]?.url ?? '';

const untilActive = async (network: string, wallet: string) =>
  expect(await service.partner('acme').untilSettled(network, wallet)).toMatchObject({ state: 'ACTIVE' });

/** Follows the commands with which the operator replaces an endpoint and has the passes continue. */
async function replaceEndpoint(network: string, next: (start: string) => string): Promise<void> {
  await service.run(next('npm run wrangler -- secret bulk endpoints.secrets'));
  expect(await service.run(next('rm endpoints.secrets'))).toMatchObject({ code: 0 });
  await service.withoutBlocks(network, async () => {
    expect(await service.answerOf(next('curl -X POST $GATEPASS_URL/admin/redrive'))).toMatchObject({ more: false });
  });
}

rehearse('A watcher lags', 'an endpoint with the history of the chain lets the watcher catch up', async (page) => {
  const network = 'devnet';
  faults[network] = { type: 'lie', lies: [refusing('getSignaturesForAddress')] };
  const wallet = freshWallet(network);
  await service.partner('acme').issue(network, wallet);
  await untilActive(network, wallet);
  type Watchers = { watchers: { network: string; why: string | null; coveredUntil: string | null }[] };
  const command = page.next('curl $GATEPASS_URL/admin/watchers');
  const read = async () => {
    const { watchers } = await service.answerOf<Watchers>(command);
    return watchers.find((each) => each.network === network);
  };
  expect(await pollUntil(read, (watcher) => typeof watcher?.why === 'string')).toMatchObject({ coveredUntil: null });
  writeEndpoints({ [network]: [faultyOf(network), nodeOf(network)] });
  const doctor = await service.run(page.next('npm run doctor'), { URL: service.baseUrl });
  expect(doctor.printed).toMatch(/devnet, watcher/);
  await service.run(page.next('npm run wrangler -- secret bulk endpoints.secrets'));
  expect(await service.run(page.next('rm endpoints.secrets'))).toMatchObject({ code: 0 });
  await pollUntil(read, (watcher) => watcher?.why === null && watcher.coveredUntil !== null);
});

rehearse('An endpoint lies', 'the steps about which the endpoints disagree continue without the liar', async (page) => {
  const network = 'sepolia';
  service.edit({
    RPC_ENDPOINTS: JSON.stringify({
      ...JSON.parse(service.endpoints),
      [network]: [nodeOf(network), faultyOf(network)],
    }),
  });
  await service.deploy();
  // A price or a gas limit of the second endpoint stops nothing.
  faults[network] = lieNamed('estimates: too high');
  const unharmed = freshWallet(network);
  await service.partner('acme').issue(network, unharmed);
  await untilActive(network, unharmed);
  faults[network] = lieNamed('simulations: never possible');
  const wallet = await service.issueStuck(network, 'the endpoints of the network disagree about it');
  writeEndpoints({ [network]: [nodeOf(network)] });
  await service.run(page.next('npm run doctor'));
  await replaceEndpoint(network, (start) => page.next(start));
  await untilActive(network, wallet);
});

rehearse(
  'An endpoint limits its requests',
  'the passes settle with three calls at a time, and the doctor names the limit',
  async (page) => {
    const network = 'sepolia';
    faults[network] = { type: 'batch-limit', calls: 3, form: 'an error object with status 429' };
    service.edit({
      RPC_ENDPOINTS: JSON.stringify({ ...JSON.parse(service.endpoints), [network]: [faultyOf(network)] }),
    });
    await service.deploy();
    const wallets = [freshWallet(network), freshWallet(network), freshWallet(network)];
    for (const wallet of wallets) await service.partner('acme').issue(network, wallet);
    for (const wallet of wallets) await untilActive(network, wallet);
    writeEndpoints({ [network]: [nodeOf(network)] });
    await service.run(page.next('npm run doctor'));
    await service.run(page.next('npm run wrangler -- secret bulk endpoints.secrets'));
    expect(await service.run(page.next('rm endpoints.secrets'))).toMatchObject({ code: 0 });
  },
);

rehearse(
  'The RPC provider is down for a day',
  'the passes continue with the endpoint of another provider',
  async (page) => {
    const network = 'sepolia';
    faults[network] = { type: 'reset' };
    service.edit({
      RPC_ENDPOINTS: JSON.stringify({ ...JSON.parse(service.endpoints), [network]: [faultyOf(network)] }),
    });
    await service.deploy();
    const wallet = await service.issueStuck(network, 'the nodes do not answer');
    const { signers } = await service.admin<{ signers: { network: string; paused: { why: string } | null }[] }>(
      '/admin/signers',
    );
    expect(signers.find((each) => each.network === network)?.paused?.why).toMatch(/^the nodes do not answer/);
    expect(await service.run(page.next('(umask 077; touch endpoints.secrets)'))).toMatchObject({ code: 0 });
    writeEndpoints({ [network]: [nodeOf(network), faultyOf(network)] });
    const { printed } = await service.run(page.next('npm run doctor'));
    expect(printed).toMatch(/ok +sepolia, endpoint 1 of 2/);
    expect(printed).toMatch(/FAIL +sepolia, endpoint 2 of 2/);
    await replaceEndpoint(network, (start) => page.next(start));
    await untilActive(network, wallet);
    expect(await service.admin('/admin/stuck?olderThan=0')).toMatchObject({ stuck: [] });
  },
);

rehearse(
  'A network is down for a week',
  'the waiting issuances are abandoned, and the partner requests them again when the network is back',
  async (page) => {
    const network = 'baseSepolia';
    faults[network] = { type: 'reset' };
    const waiting = [await service.issueStuck(network), await service.issueStuck(network)];
    const other = freshWallet('sepolia');
    await service.partner('acme').issue('sepolia', other);
    await untilActive('sepolia', other);
    writeEndpoints({});
    expect((await service.run(page.next('npm run doctor'))).printed).toMatch(/FAIL +baseSepolia, endpoint 1 of 1/);
    const abandon = page.next('curl -X POST $GATEPASS_URL/admin/abandon');
    expect(await service.answerOf(abandon, { NETWORK: network })).toMatchObject({ abandoned: 2, more: false });
    for (const wallet of waiting)
      expect(await service.partner('acme').untilSettled(network, wallet)).toMatchObject({ state: 'REJECTED' });
    writeEndpoints({ [network]: undefined });
    const stop = page.next('npm run wrangler -- secret bulk endpoints.secrets');
    await service.run(stop);
    await expect(service.partner('acme').issue(network, freshWallet(network))).rejects.toMatchObject({
      problem: { code: 'network_not_enabled' },
    });
    faults[network] = undefined;
    writeEndpoints({ [network]: [faultyOf(network)] });
    await service.run(page.next('npm run wrangler -- secret bulk endpoints.secrets'));
    expect(await service.run(page.next('rm endpoints.secrets'))).toMatchObject({ code: 0 });
    for (const wallet of waiting) {
      await service.partner('acme').issue(network, wallet);
      await untilActive(network, wallet);
    }
  },
);
