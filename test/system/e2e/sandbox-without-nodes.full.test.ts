import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openAdminApi } from '../../../ops/admin-api.ts';
import { NETWORKS } from '../../../src/network/networks.ts';
import { stopChildren } from '../../../terminal/child-process.ts';
import { storageFolderOf } from '../../../terminal/wrangler.ts';
import { type Gatepass, startGatepass } from '../../../tools/localnet/gatepass.ts';
import { chainOf } from '../../../tools/localnet/partner/chain-of.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { LIFE_STAGES, runStage } from '../../../tools/localnet/partner/pass-life.ts';
import type { StateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { pollUntil } from '../poll-until.ts';
import { openPreparedState } from '../prepared-state.ts';

/** A sandbox beside endpoints that count their calls. The Worker has keys, endpoints and watchers for every network. */

let state: StateFolder;
let gatepass: Gatepass;
const calls: string[] = [];
const endpoint = createServer((request, response) => {
  calls.push(request.url ?? '');
  response.writeHead(503).end();
});

beforeAll(async () => {
  await new Promise<void>((listening) => void endpoint.listen(0, '127.0.0.1', listening));
  const { port } = endpoint.address() as AddressInfo;
  state = openPreparedState(inject('preparedState'));
  gatepass = await startGatepass({
    folder: state.folder,
    hasDatabase: true,
    config: inject('builtWorker'),
    // A key on Solana serves one network.
    rpc: Object.fromEntries(
      NETWORKS.filter(({ network }) => network !== 'mainnet-beta' && network !== 'testnet').map(({ network }) => [
        network,
        `http://127.0.0.1:${port}/${network}`,
      ]),
    ),
  });
});
afterAll(async () => {
  await gatepass?.stop();
  await stopChildren();
  endpoint.close();
  state?.close();
});

const facts = () => gatepass.facts;
const sandbox = () => new LocalnetPartner(facts(), 'sandbox');
const operator = () => {
  const { baseUrl, tokenUrl, operator: credentials } = facts();
  return openAdminApi(baseUrl, { tokenUrl, ...credentials });
};

describe('a sandbox', () => {
  it.each(['sepolia', 'mainnet', 'devnet', 'mainnet-beta'])('lives a whole life of a pass on %s', async (network) => {
    const client = sandbox();
    const wallet = freshWallet(network);
    for (const stage of LIFE_STAGES) {
      const pass = await runStage(stage, client, network, wallet);
      expect(pass).toMatchObject({ state: stage.state, onChainState: stage.state });
    }
    expect(await client.sync(network, wallet)).toMatchObject({ state: 'REVOKED' });
    const { records } = await client.call<{ records: { walletAddress: string }[] }>('POST', '/pass', {
      filter: { walletAddress: wallet },
    });
    expect(records.map(({ walletAddress }) => walletAddress)).toEqual([wallet]);
  });

  it('has passes that the operator looks up, redrives, revokes and rebuilds', async () => {
    const { gatekeeperNetwork } = sandbox();
    for (const network of ['baseMainnet', 'devnet']) {
      const wallet = freshWallet(network);
      await sandbox().issue(network, wallet);
      await sandbox().untilSettled(network, wallet);
      const chain = chainOf(network);
      const found = await operator()<{ passes: object[] }>('GET', `/admin/passes/${chain}/${network}/${wallet}`);
      expect(found.passes).toHaveLength(1);
      const pass = { gatekeeperNetwork, chain, network, walletAddress: wallet };
      await operator()('POST', '/admin/redrive', { pass });
      await operator()('POST', '/admin/revocations', { passes: [pass], reason: 'a test' });
      const revoked = await pollUntil(
        () => sandbox().fetch(network, wallet),
        ({ onChainState }) => onChainState === 'REVOKED',
      );
      expect(revoked.state).toBe('REVOKED');
    }
    const folder = join(storageFolderOf(state.folder), 'v3', 'do');
    const [passes = ''] = readdirSync(folder).filter((name) => name.endsWith('-PassObject'));
    const objects = readdirSync(join(folder, passes)).flatMap(
      (file) => /^([0-9a-f]{64})\.sqlite$/.exec(file)?.[1] ?? [],
    );
    expect(objects.length).toBeGreaterThanOrEqual(6);
    const rebuilt = await operator()('POST', '/admin/rebuild', { shard: 'DB', objects, start: true, position: null });
    expect(rebuilt).toMatchObject({ passes: objects.length, unreachable: [] });
  });

  it('is in no list of stuck passes, no usage and no difference of the nightly run', async () => {
    const night = await fetch(`${new URL(facts().baseUrl).origin}/cdn-cgi/handler/scheduled?cron=17+3+*+*+*`);
    expect(night.status).toBe(200);
    type Run = { readonly finished: number | null; readonly counts: Readonly<Record<string, number>> } | null;
    const { run } = await pollUntil(
      () => operator()<{ run: Run }>('GET', '/admin/reconciliation'),
      (answer) => Boolean(answer.run?.finished),
    );
    expect(run?.counts).toEqual({ passes: 6 });
    expect(await operator()('GET', '/admin/stuck?olderThan=0')).toMatchObject({ stuck: [] });
    const usage = await operator()<{ gatekeeperNetworks: { gatekeeperNetwork: string }[] }>('GET', '/admin/usage');
    expect(usage.gatekeeperNetworks.filter(({ gatekeeperNetwork }) => gatekeeperNetwork.startsWith('sandbox'))).toEqual(
      [],
    );
    expect(await sandbox().call('GET', '/usage')).toMatchObject({ networks: [] });
  });

  it('has called no endpoint, although a real client calls them', async () => {
    expect(calls).toEqual([]);
    await new LocalnetPartner(facts(), 'acme').issue('sepolia', freshWallet('sepolia'));
    await pollUntil(
      async () => calls,
      (made) => made.includes('/sepolia'),
    );
  });
});
