import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { fetchToken } from '../../../tools/localnet/partner/fetch-token.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { callNode } from '../../call-node.ts';
import { eventually } from '../../eventually.ts';
import { FORM } from '../../form.ts';
import { Canary } from '../e2e/canary.ts';
import { plantEndpointKey, plantSecrets } from '../e2e/plant-secrets.ts';
import { pollUntil } from '../poll-until.ts';
import { openPreparedState } from '../prepared-state.ts';
import { checkAfterFaults } from './check-after-faults.ts';
import { type FaultEnvironment, openFaultEnvironment } from './fault-environment.ts';
import { runKills } from './kill-run.ts';
import { runOperations } from './operations-run.ts';
import { randomFrom } from './random.ts';
import { readAdmin, samplesOf, scrape, scrapeDuring, sumOf } from './scrape.ts';
import type { TestedPass } from './tested-pass.ts';

/** A run of `npm run test:faults` with a fixed seed, in the size of the form. */
const SIZE = {
  short: { kills: 1, issuances: 10, acceptedMin: 6, operations: 80, crowd: 20, operationsMin: 80, limitMs: 300_000 },
  all: { kills: 3, issuances: 30, acceptedMin: 20, operations: 120, crowd: 50, operationsMin: 150, limitMs: 300_000 },
  long: {
    ...{ kills: 30, issuances: 200, acceptedMin: 130, limitMs: 600_000 },
    ...{ operations: 1_000, crowd: 50, operationsMin: 1_150 },
  },
}[FORM];

const SEED = 20_251_121;
const random = randomFrom(SEED);
/** A Solana slot becomes final after thirteen seconds. The test finalizes slots at this interval to save time. */
const FINALIZE_EVERY_MS = 2000;

let environment: FaultEnvironment;
const canary = new Canary();
let stopListening: () => void;
let passes: readonly TestedPass[] = [];
let unharmed = false;

/** The part of a signer that the metrics show too. */
interface SignerFacts {
  readonly network: string;
  readonly chain: 'ethereum' | 'solana';
  readonly address: string;
  readonly balance: string;
  readonly waiting: number;
  readonly inFlight: { readonly unsent: number; readonly sent: number };
}

interface UsageFacts {
  readonly networks: readonly { readonly issued: number }[];
}

/** Returns the balance in the smallest unit, from the node itself. */
async function balanceOnChain(node: string, chain: SignerFacts['chain'], address: string): Promise<bigint> {
  if (chain === 'ethereum') return BigInt(await callNode<string>(node, 'eth_getBalance', [address, 'latest']));
  const { value } = await callNode<{ value: number }>(node, 'getBalance', [address, { commitment: 'confirmed' }]);
  return BigInt(value);
}

beforeAll(async () => {
  const state = openPreparedState(inject('preparedState'));
  environment = await openFaultEnvironment(random.fork(), state, inject('builtWorker'));
  plantSecrets(canary, environment.signingKey);
  for (const url of Object.values(environment.nodes.rpc).flat()) plantEndpointKey(canary, url);
  for (const { webhooks } of Object.values(environment.receivers)) {
    for (const { secret } of Object.values(webhooks))
      canary.plant('the secret of a webhook', secret.slice('whsec_'.length));
  }
  stopListening = canary.listenTo(environment.facts.baseUrl);
});

afterAll(() => {
  stopListening();
  return environment?.close(!unharmed);
});

describe('faults', () => {
  it('the Worker accepts issuances although the test kills it at random moments and restarts it on the same state', {
    timeout: SIZE.limitMs,
  }, async () => {
    const severity = { perRequest: 0.04, perSend: 0.04, hangMs: 1000 };
    const deadline = Date.now() + SIZE.limitMs;
    const run = await runKills(
      environment,
      { kills: SIZE.kills, issuances: SIZE.issuances, severity, deadline },
      random.fork(),
    );
    expect(run.kills).toBe(SIZE.kills);
    expect(run.passes.filter(({ model }) => model.accepted).length).toBeGreaterThanOrEqual(SIZE.acceptedMin);
    passes = run.passes;
  });

  it('partners run random operations against the service while its nodes fail', {
    timeout: SIZE.limitMs,
  }, async () => {
    const severity = { perRequest: 0.12, perSend: 0.15, hangMs: 1000 };
    const deadline = Date.now() + SIZE.limitMs;
    const run = { operations: SIZE.operations, perSecond: 20, crowd: SIZE.crowd, severity, deadline };
    const countIssued = (metrics: Awaited<ReturnType<typeof scrape>>) => sumOf(metrics, 'gatepass_passes_issued_total');
    // So that a counter which a kill sets back to 0 shows.
    await pollUntil(
      () => scrape(environment.facts),
      (metrics) => countIssued(metrics) > 0,
    );
    const [tested, scrapes] = await scrapeDuring(environment.facts, runOperations(environment, run, random.fork()));
    passes = [...passes, ...tested];
    expect(scrapes.length).toBeGreaterThan(1);
    // Counters survive kills and faults, and never fall.
    const issued = scrapes.map(countIssued);
    expect(issued).toEqual(issued.toSorted((a, b) => a - b));
    expect(issued[0]).toBeGreaterThan(0);
    expect(environment.modelClient.tally.operations).toBeGreaterThanOrEqual(SIZE.operationsMin);
    expect(Object.keys(environment.nodes.faultCounts()).length).toBeGreaterThan(5);
  });

  it('no pass or event is lost or doubled after the faults, and record, chain, model, feed and deliveries agree', async () => {
    const { devnet = '' } = environment.facts.rpc;
    const advancing = setInterval(
      () => callNode(devnet, 'localnet_advance', [34]).catch(() => undefined),
      FINALIZE_EVERY_MS,
    );
    const after = await checkAfterFaults(environment, passes).finally(() => clearInterval(advancing));
    const { differences, feed, settledMs } = after;
    console.log(`settled after ${settledMs} ms, ${feed.events} events, ${feed.replays} replays`);
    expect(feed.events).toBeGreaterThanOrEqual(SIZE.acceptedMin);
    expect(differences, `seed ${SEED}, ${environment.folder}`).toEqual([]);
    unharmed = true;
  });

  it('the metrics agree with the signers and with the chain', async () => {
    const { facts } = environment;
    const { signers } = JSON.parse(await readAdmin(facts, 'signers')) as { signers: SignerFacts[] };
    expect(signers).toHaveLength(3);
    const agree = async () => {
      const metrics = await scrape(facts);
      for (const { network, chain, address, waiting, inFlight, balance } of signers) {
        const sample = (name: string) =>
          samplesOf(metrics, name).filter(({ labels }) => labels.network === network && labels.signer === address);
        const [coins] = sample('gatepass_signer_balance_coins');
        const onChain = await balanceOnChain(facts.rpc[network] ?? '', chain, address);
        expect(onChain.toString()).toBe(balance);
        expect(coins?.value).toBeCloseTo(Number(onChain) / (chain === 'solana' ? 1e9 : 1e18), 9);
        expect(sample('gatepass_signer_waiting_steps').reduce((sum, { value }) => sum + value, 0)).toBe(waiting);
        const unconfirmed = sample('gatepass_signer_in_flight_transactions').filter(
          ({ labels }) => labels.stage !== 'confirmed',
        );
        expect(unconfirmed.map(({ value }) => value)).toEqual([inFlight.unsent, inFlight.sent]);
        expect(sample('gatepass_signer_paused').map(({ value }) => value)).toEqual([0]);
      }
      return metrics;
    };
    const metrics = await eventually(agree, 3_000);
    // The counters and the usage count the same issuances in different places: the signer and the database.
    const { gatekeeperNetworks } = JSON.parse(await readAdmin(facts, 'usage')) as { gatekeeperNetworks: UsageFacts[] };
    const counted = gatekeeperNetworks.flatMap(({ networks }) => networks.map((network) => network.issued));
    const issued = sumOf(metrics, 'gatepass_passes_issued_total');
    expect(issued).toBe(counted.reduce((sum, each) => sum + each, 0));
    expect(sumOf(metrics, 'gatepass_signers_missing')).toBe(0);
    expect(sumOf(metrics, 'gatepass_shards_missing')).toBe(0);
  });

  it('issuances wait while no node answers, the operator can abandon those of one network, and the others succeed', async () => {
    const { facts, nodes } = environment;
    const partner = new LocalnetPartner(facts, 'acme');
    const [abandoned, kept] = [freshWallet('sepolia'), freshWallet('baseSepolia')];
    nodes.forceFault({ type: 'reset' });
    await partner.issue('sepolia', abandoned);
    await partner.issue('baseSepolia', kept);
    expect(await partner.fetch('sepolia', abandoned)).toMatchObject({ state: 'REQUESTED', onChainState: 'NONE' });

    const token = await fetchToken(facts.tokenUrl, facts.operator);
    const abandon = async () => {
      const response = await fetch(`${facts.baseUrl}/admin/abandon`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ chain: 'ethereum', network: 'sepolia' }),
      });
      return (await response.json()) as { abandoned: number; signed: number; more: boolean };
    };
    // The signer receives the step with its next message, and ends the step in its next run.
    const isAbandoned = (answer: { abandoned: number }) => answer.abandoned > 0;
    expect(await pollUntil(abandon, isAbandoned)).toMatchObject({ abandoned: 1 });
    expect(await partner.untilSettled('sepolia', abandoned)).toMatchObject({ state: 'REJECTED' });

    nodes.forceFault(undefined);
    expect(await partner.untilSettled('baseSepolia', kept)).toMatchObject({ onChainState: 'ACTIVE' });
    await partner.issue('sepolia', abandoned);
    expect(await partner.untilSettled('sepolia', abandoned)).toMatchObject({ onChainState: 'ACTIVE' });
  });

  it('no log line and no answer contains a secret, although the endpoints quote the URLs of the requests', async () => {
    const { worker, nodes, folder, facts } = environment;
    const asked = passes.filter(({ model }) => model.accepted);
    for (const where of ['page', 'answers'] as const) {
      nodes.forceFault({ type: 'echo', in: where });
      for (const network of Object.keys(facts.rpc)) {
        const { partner, wallet } = asked.find((pass) => pass.network === network) as TestedPass;
        const reading = new LocalnetPartner(facts, partner).sync(network, wallet);
        await expect(reading).rejects.toMatchObject({ status: 503 });
      }
    }
    await worker.stop();
    const lines = readFileSync(worker.logFile, 'utf8').split('\n');
    const quoting = lines.filter((line) => line.includes('no project at [hidden]'));
    expect(quoting.length).toBeGreaterThanOrEqual(Object.keys(facts.rpc).length);

    for (const bytes of nodes.sentTransactions()) canary.plantSigned(bytes);
    for (const line of lines) canary.addLine(line);
    canary.addFilesIn(join(folder, 'wrangler-logs'));
    expect(await canary.findLeaks(), `seed ${SEED}, ${folder}`).toEqual([]);
    expect(canary.counts.responses).toBeGreaterThan(100);
  });
});
