import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { stopChildren } from '../../../terminal/child-process.ts';
import { type Gatepass, startGatepass } from '../../../tools/localnet/gatepass.ts';
import { chainOf } from '../../../tools/localnet/partner/chain-of.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { LIFE_STAGES, runStage } from '../../../tools/localnet/partner/pass-life.ts';
import type { StateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { callNode } from '../../call-node.ts';
import { LONG } from '../../form.ts';
import { ChainWitness } from '../chain-witness.ts';
import { pollUntil } from '../poll-until.ts';
import { openPreparedState } from '../prepared-state.ts';
import { REFUSAL_FORMS, type RefusalForm } from './batch-refusals.ts';
import { HABIT_NAMES, type HabitName, TROUBLE_NAMES } from './provider-habits.ts';
import type { RpcFault } from './rpc-fault.ts';
import { type RpcProxy, startRpcProxy } from './rpc-proxy.ts';
import { readAdmin } from './scrape.ts';

/** The service behind nodes that answer as those of real providers do, on both chains at once. */

const NETWORKS = ['sepolia', 'devnet'] as const;
/** Descending, because a Worker keeps a smaller size for ten minutes. */
const LIMITS = LONG ? [100, 10, 3, 1] : [3];
/** One form for the short form: `test/worker/chain/batch-limits.test.ts` has all of them. */
const FORMS: readonly RefusalForm[] = LONG ? REFUSAL_FORMS : ['an array of one error with the id of the first call'];
const BURST = LONG ? 300 : 20;
/** One habit and one trouble for the short form: the adapters' tests read every one of them. */
const HABITS = LONG ? HABIT_NAMES : HABIT_NAMES.slice(0, 1);
const TROUBLES = LONG ? TROUBLE_NAMES : TROUBLE_NAMES.slice(0, 1);
const WITHIN_MS = LONG ? 600_000 : 150_000;

/** Runs the service for the tests of a `describe`, with proxies before each node. */
function runBehindProxies(endpoints: number) {
  let state: StateFolder;
  let gatepass: Gatepass;
  let faults: readonly (RpcFault | undefined)[] = [];
  const proxies: RpcProxy[] = [];
  beforeAll(async () => {
    state = openPreparedState(inject('preparedState'));
    gatepass = await startGatepass({
      folder: state.folder,
      hasDatabase: true,
      config: inject('builtWorker'),
      async rpc(nodes) {
        const urls = Object.entries(nodes).map(async ([network, node]) => {
          const behind = { chain: chainOf(network), node };
          const own = await Promise.all(
            Array.from({ length: endpoints }, (_, index) => startRpcProxy(behind, () => faults[index])),
          );
          proxies.push(...own);
          return [network, own.map(({ url }) => url)] as const;
        });
        return Object.fromEntries(await Promise.all(urls));
      },
    });
  });
  afterAll(async () => {
    await gatepass.stop();
    await stopChildren();
    for (const proxy of proxies) proxy.stop();
    await state.close();
  });
  return {
    facts: () => gatepass.facts,
    /** Sets the fault of each endpoint, in order of preference. */
    setFaults(...next: readonly (RpcFault | undefined)[]) {
      faults = next;
    },
  };
}

type Service = ReturnType<typeof runBehindProxies>;

async function liveAPass({ facts }: Service, network: string): Promise<void> {
  const acme = new LocalnetPartner(facts(), 'acme');
  const chain = new ChainWitness(facts, () => acme.gatekeeperNetwork);
  const wallet = freshWallet(network);
  for (const stage of LIFE_STAGES) {
    const pass = await runStage(stage, acme, network, wallet);
    expect(pass).toMatchObject({ state: stage.state, onChainState: stage.state });
    expect(await chain.token(network, wallet)).toEqual({ state: stage.state, expiry: pass.expiryTimestamp });
  }
  expect(await chain.transactionsAbout(network, wallet)).toHaveLength(LIFE_STAGES.length);
}

async function issueABurst({ facts }: Service, network: string): Promise<readonly string[]> {
  const acme = new LocalnetPartner(facts(), 'acme');
  const wallets = Array.from({ length: BURST }, () => freshWallet(network));
  for (let from = 0; from < wallets.length; from += 20)
    await Promise.all(wallets.slice(from, from + 20).map((wallet) => acme.issue(network, wallet)));
  const passes = await acme.untilAllSettled(network, wallets, { withinMs: WITHIN_MS });
  expect(passes.map(({ onChainState }) => onChainState)).toEqual(wallets.map(() => 'ACTIVE'));
  return wallets;
}

/** Waits until every transaction is final: before that, the reconciliation finds the passes busy. */
async function untilAllFinal({ facts }: Service): Promise<void> {
  await pollUntil(
    async () => {
      await callNode(facts().rpc.devnet as string, 'localnet_advance', [34]);
      return JSON.parse(await readAdmin(facts(), 'signers')) as Signers;
    },
    ({ signers }) => signers.every(({ inFlight }) => sumOf(inFlight) === 0),
    WITHIN_MS,
  );
}

interface Signers {
  readonly signers: readonly { readonly inFlight: Readonly<Record<string, number>> }[];
}
const sumOf = (numbers: Readonly<Record<string, number>>) =>
  Object.values(numbers).reduce((sum, each) => sum + each, 0);

/** Runs the nightly reconciliation. Returns what it counted. */
async function reconcile({ facts }: Service): Promise<Record<string, number>> {
  const latest = async () => JSON.parse(await readAdmin(facts(), 'reconciliation')).run;
  const before = await latest();
  await sleep(1_000);
  const response = await fetch(`${new URL(facts().baseUrl).origin}/cdn-cgi/handler/scheduled?cron=17+3+*+*+*`);
  expect(response.status).toBe(200);
  const run = await pollUntil(latest, (each) => each?.finished && each.started !== before?.started, WITHIN_MS);
  return run.counts;
}

describe.each(FORMS)('nodes that refuse large batches with %s', (form) => {
  const service = runBehindProxies(2);
  let known = 0;

  it.each(LIMITS)(
    `with at most %d calls a pass lives, ${BURST} are issued, and the night compares all of them`,
    {
      timeout: 2 * WITHIN_MS,
    },
    async (calls) => {
      const limit = { type: 'batch-limit', calls, form } as const;
      service.setFaults(limit, limit);
      const began = Date.now();
      await Promise.all(NETWORKS.map((network) => liveAPass(service, network)));
      const lived = Date.now();
      await Promise.all(NETWORKS.map((network) => issueABurst(service, network)));
      const burst = Date.now();
      known += NETWORKS.length * (BURST + 1);
      await untilAllFinal(service);
      expect(await reconcile(service)).toEqual({ passes: known });
      const seconds = (from: number, to: number) => Math.round((to - from) / 1000);
      console.info(
        `${form}, ${calls}: life ${seconds(began, lived)} s, burst ${seconds(lived, burst)} s, final and night ${seconds(burst, Date.now())} s`,
      );
    },
  );
});

describe('nodes with the habits of providers', () => {
  const service = runBehindProxies(2);
  let known = 0;

  it.each(HABITS)('with %s at both endpoints a pass lives on both chains', async (name: HabitName) => {
    service.setFaults({ type: 'habit', name }, { type: 'habit', name });
    await Promise.all(NETWORKS.map((network) => liveAPass(service, network)));
    known += NETWORKS.length;
  });

  it.each(TROUBLES)(
    'with %s at one endpoint a pass lives on both chains, and the night reads every pass',
    async (name: HabitName) => {
      service.setFaults({ type: 'habit', name });
      await Promise.all(NETWORKS.map((network) => liveAPass(service, network)));
      known += NETWORKS.length;
      await untilAllFinal(service);
      expect(await reconcile(service)).toEqual({ passes: known });
    },
  );
});
