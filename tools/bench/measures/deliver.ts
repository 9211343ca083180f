import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../../terminal/failure.ts';
import { freshWallet } from '../../localnet/partner/fresh-wallet.ts';
import { startReceiver } from '../../localnet/webhook/receiver.ts';
import type { Built } from '../build.ts';
import type { BenchContext, Measure } from '../measure.ts';
import { median } from '../rounds.ts';
import { startSettlementLocalnet } from '../settlement/localnet.ts';
import { buildService, type Service, startService } from '../settlement/service.ts';

const NETWORK = 'sepolia';
/** Below the number of deliveries that a host gets. */
const EVENTS_PER_SECOND = 15;
const WARM_UP_EVENTS_COUNT = 100;
const DELIVERED_WITHIN_MS = 120_000;

/**
 * The time from ACTIVE to the delivery of the event, at a steady rate of issuances on one gatekeeper network with one webhook. A
 * POST that waits is answered as soon as the read model shows the pass as ACTIVE. The counts come from a second run.
 */
export const deliverMeasure: Measure = {
  name: 'deliver',
  async run(context) {
    const events = EVENTS_PER_SECOND * (context.quick ? 10 : 40);
    const { lags } = await deliver(await buildService(context), events, context);
    const counting = await deliver(await buildService(context, 'tools/bench/counting/worker.ts'), events, context);
    const counts = countsPerEvent(counting.counts, events);
    const p99 = lags.toSorted((one, other) => one - other)[Math.floor(lags.length * 0.99)] ?? Number.NaN;
    return [
      {
        what: `ACTIVE → delivered, p50 at ${EVENTS_PER_SECOND} events/s`,
        unit: 'ms',
        value: median(lags),
        targets: [{ of: 'value', atMost: 1_000 }],
        counts,
        note: `p99 ${Math.round(p99)} ms`,
      },
      {
        what: 'calls of webhook objects per event',
        unit: '',
        value: counts['calls.WEBHOOKS'] ?? 0,
        targets: [{ of: 'value', atMost: 1.2 }],
      },
    ];
  },
};

type Counts = Readonly<Record<string, number>>;

/** Issues passes at the steady rate. Resolves to the milliseconds from ACTIVE to delivered of each, and to the counts, if any. */
async function deliver(built: Built, events: number, context: BenchContext) {
  const service = await startService(context, { built, localnet: await startSettlementLocalnet(context, NETWORK) });
  const deliveredMs = new Map<string, number>();
  const receiver = await startReceiver(({ data }) => {
    if (data !== undefined) deliveredMs.set(data.pass.walletAddress, performance.now());
  });
  context.atEnd(receiver.stop);
  await receiver.register(service.localnet);
  const awaitDeliveries = async (count: number) => {
    for (const deadline = performance.now() + DELIVERED_WITHIN_MS; deliveredMs.size < count; await sleep(50)) {
      if (performance.now() < deadline) continue;
      throw new Failure(`of ${count} events ${deliveredMs.size} are delivered`);
    }
  };

  await issueSteadily(service, WARM_UP_EVENTS_COUNT);
  await awaitDeliveries(WARM_UP_EVENTS_COUNT);
  await readCounts(service);
  const activeMs = await issueSteadily(service, events);
  await awaitDeliveries(WARM_UP_EVENTS_COUNT + events);
  const counts = await readCounts(service);
  await service.stop();
  const lags = [...activeMs].map(([wallet, active]) => (deliveredMs.get(wallet) ?? Number.NaN) - active);
  context.say(`${events} events, p50 from ACTIVE to delivered: ${Math.round(median(lags))} ms`);
  return { lags, counts };
}

/** Issues passes of new wallets, evenly spread over time. Resolves to the time at which each was ACTIVE. */
async function issueSteadily({ baseUrl, headers }: Service, count: number): Promise<Map<string, number>> {
  const activeMs = new Map<string, number>();
  const begun = performance.now();
  const issue = async (place: number) => {
    const walletAddress = freshWallet(NETWORK);
    await sleep(begun + (place * 1_000) / EVENTS_PER_SECOND - performance.now());
    const response = await fetch(`${baseUrl}/pass/ethereum/${NETWORK}`, {
      method: 'POST',
      headers: { ...headers, prefer: 'wait=20' },
      body: JSON.stringify({ walletAddress }),
    });
    const pass = (await response.json()) as { state?: string };
    activeMs.set(walletAddress, performance.now());
    if (pass.state !== 'ACTIVE') throw new Failure(`a waiting POST was answered with ${JSON.stringify(pass)}`);
  };
  await Promise.all(Array.from({ length: count }, (_, place) => issue(place)));
  return activeMs;
}

/** Returns the counts since the last reading; empty if the Worker does not count. */
async function readCounts({ baseUrl }: Service): Promise<Counts> {
  const response = await fetch(`${baseUrl}/__counts`);
  return response.ok ? ((await response.json()) as { counts: Counts }).counts : {};
}

const SHOWN = /^(calls\.WEBHOOKS|rows\.webhook|d1\.rows-written|d1\.rows-written: INSERT INTO (events|feeds))$/;

function countsPerEvent(counts: Counts, events: number): Counts {
  const shown = Object.entries(counts).filter(([name]) => SHOWN.test(name));
  return Object.fromEntries(shown.map(([name, times]) => [name, Number((times / events).toPrecision(4))]));
}
