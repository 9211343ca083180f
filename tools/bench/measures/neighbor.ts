import { prepareContenders } from '../contenders.ts';
import { generatePasses, NEIGHBOR, ON_NETWORK, searchRequests, seedService } from '../dataset.ts';
import { type Caller, type Request, startCaller } from '../load.ts';
import type { Measure, Outcome } from '../measure.ts';
import { median, medianRatio } from '../rounds.ts';

/** Requests per second of the neighbor: few, so that its own requests do not wait for each other. */
const NEIGHBOR_RATE = 20;
/** Number of passes of the busy partner. */
const PASSES_COUNT = 105_000;

/** A load that the limits allow one partner: the costliest request of a route, as often as it may come. */
interface BusyLoad {
  readonly what: string;
  readonly body: object;
  readonly rate: number;
  readonly connections: number;
  /** The longest answer time, as a multiple of the idle one. */
  readonly atMost: number;
}

const LOADS: readonly BusyLoad[] = [
  {
    what: 'large searches, skip 10,000, 2 a second',
    body: { limit: 100, skip: 10_000, filter: ON_NETWORK },
    rate: 2,
    connections: 2,
    atMost: 1.5,
  },
  { what: 'searches, skip 100, 100 a second', body: { limit: 100, skip: 100 }, rate: 100, connections: 8, atMost: 2 },
];

/** The answer time of one partner, idle and while another partner of the same database sends its costliest requests. */
export const neighborMeasure: Measure = {
  name: 'neighbor',
  async run(context) {
    const { rounds, seconds } = context.quick ? { rounds: 5, seconds: 3 } : { rounds: 9, seconds: 6 };
    const { headers, neighborHeaders, start } = await prepareContenders(context);
    const now = Math.floor(Date.now() / 1000);
    const theirs = [...generatePasses(1_000, now)];
    const server = await start('ours', generatePasses(PASSES_COUNT, now), (db) =>
      seedService(db, theirs, NEIGHBOR.gatekeeperNetwork),
    );
    const [neighbor, busy] = [await startCaller(), await startCaller()];
    for (const caller of [neighbor, busy]) context.atEnd(caller.stop);
    const own = searchRequests([undefined, theirs[500]?.id], neighborHeaders);
    const ask = async (time: number) =>
      (await neighbor.send({ url: server.baseUrl, requests: own, connections: 2, seconds: time, rate: NEIGHBOR_RATE }))
        .p50;
    await ask(2);
    const outcomes: Outcome[] = [];
    for (const load of LOADS) {
      const requests: Request[] = [{ method: 'POST', path: '/pass', headers, body: JSON.stringify(load.body) }];
      outcomes.push(
        await measureBeside(load, { rounds, seconds }, ask, () =>
          sendBusy(busy, server.baseUrl, requests, load, seconds),
        ),
      );
      context.say(`${load.what}: ${outcomes.at(-1)?.value} ms`);
    }
    return outcomes;
  },
};

const sendBusy = (busy: Caller, url: string, requests: readonly Request[], load: BusyLoad, seconds: number) =>
  busy.send({ url, requests, connections: load.connections, rate: load.rate, seconds: seconds + 1 });

async function measureBeside(
  { what, atMost }: BusyLoad,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
  ask: (seconds: number) => Promise<number>,
  sendLoad: () => Promise<unknown>,
): Promise<Outcome> {
  const idle: number[] = [];
  const beside: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    idle.push(await ask(seconds));
    const [waited] = await Promise.all([ask(seconds), sendLoad()]);
    beside.push(waited);
  }
  return {
    what: `search of a neighbor beside ${what}, median`,
    unit: 'ms',
    value: median(beside),
    peers: { idle: median(idle) },
    ratios: { idle: medianRatio(beside, idle) },
    rounds: { ours: beside, idle },
    targets: [{ of: 'idle', atMost }],
  };
}
